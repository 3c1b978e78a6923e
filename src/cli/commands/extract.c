/* cpb extract: one array of a model as a file. */
#include <string.h>

#include "cli/model.h"
#include "cli/npy.h"
#include "cli/show/variables.h"

typedef struct extraction {
  cli *cli;
  cli_model model;
  cpb_file *shard; /* of a variable: the file that has its values */
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

/* A scalar of NumPy's has a value: one of ND4J's that has none gets a dimension of 0. */
static size_t head_of(char *head, const cpb_values_info *info) {
  static const uint64_t nothing[] = {0};
  if (!info->numpy) return 0;
  if (info->rank == 0 && info->count == 0) return npy_head(head, info->numpy, false, nothing, 1);
  return npy_head(head, info->numpy, info->fortran_order, info->shape, info->rank);
}

static int write_head(extraction *e, const cpb_values_info *info) {
  char head[NPY_HEAD_MAX];
  if (e->cli->settings.raw) return CLI_OK;
  size_t size = head_of(head, info);
  if (size > 0) return write(e, head, size);
  cli_note(e->cli, e->model.name,
           info->numpy ? "too many dimensions for a .npy file: --raw writes the values of type %s alone"
                       : "there is no .npy file of such values of type %s: --raw writes them alone",
           info->dtype);
  return CLI_UNSUPPORTED;
}

static cpb_step step(extraction *e, cpb_error *error) {
  cpb_step step;
  if (!e->shard) return cli_model_values(&e->model, e->values, error);
  while ((step = cpb_values_step(e->values)) == CPB_STEP_NEED) cpb_file_supply(e->shard, cpb_values_input(e->values));
  if (step == CPB_STEP_ERROR) *error = *cpb_values_error(e->values);
  return step;
}

static int copy(extraction *e) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_step now = step(e, &error);
  const cpb_values_info *info = cpb_values_get_info(e->values);
  int status = now != CPB_STEP_ERROR ? write_head(e, info) : CLI_OK;
  while (status == CLI_OK && now == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_values_data(e->values, &size);
    status = write(e, data, size);
    cli_progress_step(e->cli, e->written, info->size);
    if (status == CLI_OK) now = step(e, &error);
  }
  if (status != CLI_OK || now != CPB_STEP_ERROR) return status;
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

/* The variable's key is its array's name in the checkpoint. */
static int open_variable(extraction *e) {
  cli_model *m = &e->model;
  int status = cli_model_begin(m, NULL);
  if (status == CLI_OK) status = cli_model_give_checkpoint(m);
  if (status == CLI_OK && !m->checkpoint) {
    cli_note(e->cli, m->name, "there is no checkpoint beside it, in variables/variables.index");
    status = CLI_DAMAGED;
  }
  const cpb_stored *stored = status == CLI_OK ? cli_model_find_variable(m, e->cli->settings.question, &status) : NULL;
  if (!stored) return status;
  const cpb_values_options how = {.struct_size = sizeof how, .checkpoint = m->checkpoint};
  e->values = cpb_values_new(&e->cli->allocator, m->kind, stored->key, stored->key_size, &how);
  if (!e->values) return cli_fail_memory(e->cli);
  e->shard = cli_model_open_shard(m, stored->slices > 0 ? 0 : stored->shard, &status);
  return status;
}

int cli_extract(cli *c) {
  extraction e = {.cli = c};
  if (!c->settings.question) return cli_usage(c->command, "the array's name is missing");
  int status = cli_model_open(&e.model, c, c->settings.input);
  if (status == CLI_OK) status = c->settings.variable ? open_variable(&e) : open_values(&e);
  if (status == CLI_OK) status = copy_to_output(&e);
  cpb_values_free(e.values);
  cpb_file_close(e.shard);
  cli_model_close(&e.model);
  return status;
}
