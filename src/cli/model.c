#include "cli/model.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cli/os.h"

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
    if (!cpb_message_file_answer(m->message, cpb_model_input(m->model), error)) break;
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_model_error(m->model);
  return step == CPB_STEP_DONE;
}

/* --- keras_metadata.pb -------------------------------------------------------------------- */

#define KERAS_METADATA "keras_metadata.pb"
#define MOST_KERAS ((size_t)64 << 20)

/* Beside the model; NULL when there is none. */
static char *find_keras(cli_model *m, int *status) {
  const char *slash = strrchr(m->name, '/');
  size_t length = slash ? (size_t)(slash - m->name) + 1 : 0;
  char *path = cpb_alloc(&m->cli->allocator, length + sizeof KERAS_METADATA);
  if (!path) {
    *status = cli_fail_memory(m->cli);
    return NULL;
  }
  memcpy(path, m->name, length);
  memcpy(path + length, KERAS_METADATA, sizeof KERAS_METADATA);
  if (os_exists(path)) return path;
  cpb_release(&m->cli->allocator, path);
  return NULL;
}

static bool read_whole(cli_model *m, const char *path, cpb_buffer *out, cpb_error *error) {
  cpb_message_file *file = cpb_message_file_open(&m->cli->allocator, path, error);
  size_t length = 1;
  while (file && error->code == CPB_OK && length > 0 && out->size <= MOST_KERAS) {
    length = (size_t)1 << 20;
    const uint8_t *data = cpb_message_file_read(file, out->size, &length, error);
    if (data && !cpb_buffer_append(out, data, length)) cpb_fail_memory(error);
  }
  cpb_message_file_close(file);
  return error->code == CPB_OK;
}

int cli_model_give_keras(cli_model *m) {
  int status = CLI_OK;
  if (m->kind != CPB_MODEL_SAVED_MODEL) return CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  char *path = find_keras(m, &status);
  if (!path) return status;
  cpb_buffer data;
  cpb_buffer_init(&data, &m->cli->allocator);
  if (!read_whole(m, path, &data, &error)) status = cli_fail(m->cli, path, &error);
  else if (!cpb_model_set_keras_metadata(m->model, data.data, data.size)) status = cli_fail_memory(m->cli);
  cpb_buffer_free(&data);
  cpb_release(&m->cli->allocator, path);
  return status;
}
