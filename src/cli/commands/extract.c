/* cpb extract: one array of a model as a file. */
#include <string.h>

#include "cli/cli.h"
#include "cli/npy.h"

typedef struct extraction {
  cli *cli;
  cpb_model_file *model;
  cpb_values_file *values;
  cpb_output *out;
  uint64_t written;
} extraction;

static int write(extraction *e, const void *data, size_t size) {
  return cli_write(e->cli, e->out, e->cli->settings.output, &e->written, data, size);
}

/* A scalar of NumPy has a value: an empty scalar of ND4J gets a dimension of 0. */
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
  const char *why = "NumPy has no type for values of type %s; --raw writes them alone";
  if (strcmp(info->dtype, "string") == 0)
    why =
        "values of type %s that end in NUL, or differ much in length, do not fit into a .npy file; --raw writes each "
        "after its length";
  if (info->numpy) why = "too many dimensions for a .npy file; --raw writes the values alone, of type %s";
  cli_note(e->cli, cpb_model_file_path(e->model), why, info->dtype);
  return CLI_UNSUPPORTED;
}

static int copy(extraction *e) {
  cpb_error error;
  const cpb_values_info *info = cpb_values_file_info(e->values);
  int status = write_head(e, info);
  while (status == CLI_OK) {
    size_t size;
    const uint8_t *data = cpb_values_file_read(e->values, &size, &error);
    if (!data) return cli_model_fail(e->cli, e->model, &error);
    if (size == 0) break;
    status = write(e, data, size);
    cli_progress_step(e->cli, e->written, info->size);
  }
  return status;
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
  const char *name = s->question;
  cpb_error error;
  const cpb_values_options how = {.struct_size = sizeof how,
                                  .scope = s->scope,
                                  .scope_size = s->scope ? strlen(s->scope) : 0,
                                  .state = cli_number32(s->state),
                                  .meta_graph = cli_number32(s->meta_graph),
                                  .exact_texts = s->raw};
  e->values = s->variable ? cpb_model_file_variable(e->model, name, strlen(name), &how, &error)
                          : cpb_model_file_values(e->model, name, strlen(name), &how, &error);
  return e->values ? CLI_OK : cli_model_fail(e->cli, e->model, &error);
}

int cli_extract(cli *c) {
  int status = CLI_OK;
  extraction e = {.cli = c};
  if (!c->settings.question) return cli_usage(c->command, "the array's name is missing");
  e.model = cli_open_model(c, c->settings.input, NULL, false, &status);
  if (e.model) status = cli_keep_model(c, c->settings.output, e.model);
  if (e.model && status == CLI_OK) status = open_values(&e);
  if (status == CLI_OK) status = copy_to_output(&e);
  cpb_values_file_close(e.values);
  cpb_model_file_close(e.model);
  return status;
}
