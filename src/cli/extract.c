/* cpb extract: one array of a model as a file. */
#include <string.h>

#include "cli/model.h"
#include "cli/npy.h"

typedef struct extraction {
  cli *cli;
  cli_model model;
  cpb_values *values;
  cpb_output *out;
  uint64_t written;
} extraction;

static int write(extraction *e, const void *data, size_t size) {
  const char *path = e->cli->settings.output;
  if (cpb_output_write(e->out, e->written, data, size) != CPB_OK)
    return cli_fail(e->cli, cli_output_name(path), cpb_output_error(e->out));
  e->written += size;
  return CLI_OK;
}

static int write_head(extraction *e, const cpb_values_info *info) {
  char head[NPY_HEAD_MAX];
  if (e->cli->settings.raw) return CLI_OK;
  size_t size = info->numpy ? npy_head(head, info->numpy, info->fortran_order, info->shape, info->rank) : 0;
  if (size > 0) return write(e, head, size);
  cli_note(e->cli, e->model.name,
           info->numpy ? "too many dimensions for a .npy file: --raw writes the values of type %s alone"
                       : "there is no .npy file of such values of type %s: --raw writes them alone", info->dtype);
  return CLI_UNSUPPORTED;
}

static int copy(extraction *e) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_step step = cli_model_values(&e->model, e->values, &error);
  const cpb_values_info *info = cpb_values_get_info(e->values);
  int status = step != CPB_STEP_ERROR ? write_head(e, info) : CLI_OK;
  while (status == CLI_OK && step == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_values_data(e->values, &size);
    status = write(e, data, size);
    cli_progress_step(e->cli, e->written, info->size);
    if (status == CLI_OK) step = cli_model_values(&e->model, e->values, &error);
  }
  if (status != CLI_OK || step != CPB_STEP_ERROR) return status;
  return cli_fail(e->cli, e->model.name, &error);
}

static int copy_to_output(extraction *e) {
  cli *c = e->cli;
  int status = CLI_OK;
  e->out = cli_open_output(c, c->settings.output, true, &status);
  if (!e->out) return status;
  cli_progress_start(c, "reading");
  status = copy(e);
  cli_progress_end(c);
  return cli_close_output(c, c->settings.output, e->out, status);
}

static int open_values(extraction *e) {
  const cli_settings *s = &e->cli->settings;
  cpb_values_options how = {.struct_size = sizeof how,
                            .scope = s->scope,
                            .scope_size = s->scope ? strlen(s->scope) : 0,
                            .state = s->state < UINT32_MAX ? (uint32_t)s->state : UINT32_MAX,
                            .meta_graph = s->meta_graph < UINT32_MAX ? (uint32_t)s->meta_graph : UINT32_MAX,
                            .exact_texts = s->raw};
  e->values = cpb_values_new(&e->cli->allocator, e->model.kind, s->question, strlen(s->question), &how);
  return e->values ? CLI_OK : cli_fail_memory(e->cli);
}

int cli_extract(cli *c) {
  extraction e = {.cli = c};
  if (!c->settings.question) return cli_usage(c->command, "the array's name is missing");
  int status = cli_model_open(&e.model, c, c->settings.input);
  if (status == CLI_OK) status = open_values(&e);
  if (status == CLI_OK) status = copy_to_output(&e);
  cpb_values_free(e.values);
  cli_model_close(&e.model);
  return status;
}
