#include "cli/model.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cli/os/os.h"

#define GUESS_BYTES 256

/* --- Opening --------------------------------------------------------------------------- */

/* What --type names, or what the file begins with. */
static cpb_model_kind find_kind(cli_model *m, cpb_error *error) {
  static const struct {
    const char *type;
    cpb_model_kind kind;
  } types[] = {{"tensorflow.SavedModel", CPB_MODEL_SAVED_MODEL}, {"tensorflow.GraphDef", CPB_MODEL_GRAPH_DEF}};
  const char *type = m->cli->settings.type;
  for (size_t t = 0; type && t < sizeof types / sizeof *types; t++) {
    if (strcmp(types[t].type, type) == 0) return types[t].kind;
  }
  size_t length = GUESS_BYTES;
  const uint8_t *data = cpb_message_file_read(m->message, 0, &length, error);
  if (!data) return 0;
  cpb_model_kind kind = cpb_model_guess(data, length);
  if (kind == 0) {
    error->code = CPB_E_FORMAT;
    snprintf(error->message, sizeof error->message, "this is no model that is known");
  }
  return kind;
}

int cli_model_open(cli_model *m, cli *c, const char *path) {
  int status = CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  *m = (cli_model){.cli = c, .name = cli_find_model(c, path, &status)};
  if (!m->name) return status;
  m->message = cpb_message_file_open(&c->allocator, m->name, &error);
  if (m->message) m->kind = find_kind(m, &error);
  return error.code != CPB_OK ? cli_fail(c, m->name, &error) : CLI_OK;
}

void cli_model_close(cli_model *m) {
  if (!m->cli) return;
  cpb_model_free(m->model);
  cpb_checkpoint_free(m->checkpoint);
  cpb_message_file_close(m->message);
  cpb_release(&m->cli->allocator, m->name);
}

/* --- Questions ------------------------------------------------------------------------- */

int cli_model_begin(cli_model *m, const cpb_model_options *options) {
  m->model = cpb_model_new(&m->cli->allocator, m->kind, options);
  return m->model ? CLI_OK : cli_fail_memory(m->cli);
}

bool cli_model_answer(cli_model *m, const cpb_question *question, cpb_error *error) {
  cpb_step step;
  *error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_model_ask(m->model, question);
  while ((step = cpb_model_step(m->model)) == CPB_STEP_NEED) {
    if (!cpb_message_file_supply(m->message, cpb_model_input(m->model), error)) break;
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_model_error(m->model);
  return step == CPB_STEP_DONE;
}

cpb_step cli_model_values(cli_model *m, cpb_values *values, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED) {
    if (!cpb_message_file_supply(m->message, cpb_values_input(values), error)) return CPB_STEP_ERROR;
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_values_error(values);
  return step;
}

/* --- keras_metadata.pb -------------------------------------------------------------------- */

#define KERAS_METADATA "keras_metadata.pb"
#define MOST_KERAS ((uint64_t)64 << 20)

static bool read_keras(cli_model *m, const char *path, cpb_buffer *out, cpb_error *error) {
  cpb_file *file = cpb_file_open(&m->cli->allocator, path, error);
  bool read = file && cli_read_whole(file, MOST_KERAS, "metadata of Keras", out, error);
  cpb_file_close(file);
  return read;
}

static int give_keras(cli_model *m, const char *path) {
  int status = CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_buffer data;
  cpb_buffer_init(&data, &m->cli->allocator);
  if (!read_keras(m, path, &data, &error)) status = cli_fail(m->cli, path, &error);
  else if (!cpb_model_set_keras_metadata(m->model, data.data, data.size)) status = cli_fail_memory(m->cli);
  cpb_buffer_free(&data);
  return status;
}

int cli_model_give_keras(cli_model *m) {
  int status = CLI_OK;
  if (m->kind != CPB_MODEL_SAVED_MODEL) return CLI_OK;
  char *path = cli_beside(m->cli, m->name, KERAS_METADATA, &status);
  if (path && os_exists(path)) status = give_keras(m, path);
  cpb_release(&m->cli->allocator, path);
  return status;
}
