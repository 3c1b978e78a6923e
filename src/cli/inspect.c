/* cpb inspect: what a model computes, and what it is made of. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cli/cli.h"
#include "cli/inspect_files.h"
#include "cli/inspect_show.h"
#include "cli/os.h"
#include "cpb/model.h"
#include "host/message.h"

#define GUESS_BYTES 256

typedef struct inspection {
  cli *cli;
  const char *name; /* of the file */
  cpb_message_file *message;
  cpb_model *model;
  cpb_model_kind model_kind;
  cpb_question_kind kind;
} inspection;

/* --- The question ------------------------------------------------------------------- */

static const char *question_name_at(const void *list, size_t i) {
  (void)list;
  return cpb_question_name((cpb_question_kind)(i + 1));
}

static size_t count_questions(void) {
  size_t count = 0;
  while (question_name_at(NULL, count)) count++;
  return count;
}

static bool find_question(inspection *i, int *status) {
  char problem[160];
  const char *word = i->cli->settings.question;
  i->kind = CPB_ASK_OVERVIEW;
  if (!word) return true;
  for (size_t q = 0; q < count_questions(); q++) {
    i->kind = (cpb_question_kind)(q + 1);
    if (strcmp(cpb_question_name(i->kind), word) == 0) return true;
  }
  const char *meant = cli_suggest(word, NULL, count_questions(), question_name_at);
  snprintf(problem, sizeof problem, meant ? "there is no question %.64s; is %s meant?" : "there is no question %.64s",
           word, meant);
  *status = cli_usage(i->cli->command, problem);
  return false;
}

static cpb_question question_of(const inspection *i) {
  const cli_settings *s = &i->cli->settings;
  return (cpb_question){.struct_size = sizeof(cpb_question),
                        .kind = i->kind,
                        .meta_graph = s->meta_graph < UINT32_MAX ? (uint32_t)s->meta_graph : UINT32_MAX,
                        .name = s->name,
                        .name_size = s->name ? strlen(s->name) : 0,
                        .scope = s->scope,
                        .scope_size = s->scope ? strlen(s->scope) : 0,
                        .first = s->first,
                        .count = s->page};
}

/* --- The model ------------------------------------------------------------------------ */

/* What --type names, or what the file begins with. */
static cpb_model_kind find_kind(inspection *i, cpb_error *error) {
  static const struct {
    const char *type;
    cpb_model_kind kind;
  } types[] = {{"tensorflow.SavedModel", CPB_MODEL_SAVED_MODEL}, {"tensorflow.GraphDef", CPB_MODEL_GRAPH_DEF}};
  const char *type = i->cli->settings.type;
  for (size_t t = 0; type && t < sizeof types / sizeof *types; t++) {
    if (strcmp(types[t].type, type) == 0) return types[t].kind;
  }
  size_t length = GUESS_BYTES;
  const uint8_t *data = cpb_message_file_read(i->message, 0, &length, error);
  if (!data) return 0;
  cpb_model_kind kind = cpb_model_guess(data, length);
  if (kind == 0) {
    error->code = CPB_E_FORMAT;
    snprintf(error->message, sizeof error->message, "this is no model that is known");
  }
  return kind;
}

static int run(inspection *i) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_question question = question_of(i);
  cpb_step step;
  cpb_model_ask(i->model, &question);
  while ((step = cpb_model_step(i->model)) == CPB_STEP_NEED) {
    if (!cpb_message_file_answer(i->message, cpb_model_input(i->model), &error)) break;
  }
  if (step == CPB_STEP_DONE) return CLI_OK;
  return cli_fail(i->cli, i->name, error.code != CPB_OK ? &error : cpb_model_error(i->model));
}

/* --- keras_metadata.pb -------------------------------------------------------------------- */

#define KERAS_METADATA "keras_metadata.pb"
#define MOST_KERAS ((size_t)64 << 20)

/* Beside the model; NULL when there is none. */
static char *find_keras(inspection *i, int *status) {
  const char *slash = strrchr(i->name, '/');
  size_t length = slash ? (size_t)(slash - i->name) + 1 : 0;
  char *path = cpb_alloc(&i->cli->allocator, length + sizeof KERAS_METADATA);
  if (!path) {
    *status = cli_fail_memory(i->cli);
    return NULL;
  }
  memcpy(path, i->name, length);
  memcpy(path + length, KERAS_METADATA, sizeof KERAS_METADATA);
  if (os_exists(path)) return path;
  cpb_release(&i->cli->allocator, path);
  return NULL;
}

static bool read_whole(inspection *i, const char *path, cpb_buffer *out, cpb_error *error) {
  cpb_message_file *file = cpb_message_file_open(&i->cli->allocator, path, error);
  size_t length = 1;
  while (file && error->code == CPB_OK && length > 0 && out->size <= MOST_KERAS) {
    length = (size_t)1 << 20;
    const uint8_t *data = cpb_message_file_read(file, out->size, &length, error);
    if (data && !cpb_buffer_append(out, data, length)) cpb_fail_memory(error);
  }
  cpb_message_file_close(file);
  return error->code == CPB_OK;
}

static int give_keras(inspection *i) {
  int status = CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  char *path = find_keras(i, &status);
  if (!path) return status;
  cpb_buffer data;
  cpb_buffer_init(&data, &i->cli->allocator);
  if (!read_whole(i, path, &data, &error)) status = cli_fail(i->cli, path, &error);
  else if (!cpb_model_set_keras_metadata(i->model, data.data, data.size)) status = cli_fail_memory(i->cli);
  cpb_buffer_free(&data);
  cpb_release(&i->cli->allocator, path);
  return status;
}

static int open_model(inspection *i) {
  cli *c = i->cli;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  i->message = cpb_message_file_open(&c->allocator, i->name, &error);
  cpb_model_kind kind = i->message ? find_kind(i, &error) : 0;
  if (error.code != CPB_OK) return cli_fail(c, i->name, &error);
  i->model_kind = kind;
  i->model = cpb_model_new(&c->allocator, kind, NULL);
  if (!i->model) return cli_fail_memory(c);
  bool of_keras = i->kind == CPB_ASK_LAYERS || i->kind == CPB_ASK_LOAD;
  return of_keras && kind == CPB_MODEL_SAVED_MODEL ? give_keras(i) : CLI_OK;
}

/* --- The answer ------------------------------------------------------------------------- */

static int print(inspection *i, const cpb_buffer *answer) {
  if (!i->cli->settings.json) return cli_show_answer(i->cli, (const char *)answer->data, answer->size);
  cli_print_bytes(i->cli, answer->data, answer->size);
  cli_print(i->cli, "\n");
  return CLI_OK;
}

static int show(inspection *i) {
  size_t size;
  cpb_buffer answer;
  const char *json = cpb_model_answer(i->model, &size);
  cpb_buffer_init(&answer, &i->cli->allocator);
  int status = cpb_buffer_append(&answer, json, size) ? CLI_OK : cli_fail_memory(i->cli), beside = CLI_OK;
  if (status == CLI_OK && i->kind == CPB_ASK_OVERVIEW && i->model_kind == CPB_MODEL_SAVED_MODEL)
    beside = cli_add_fingerprint(i->cli, i->name, &answer);
  if (status == CLI_OK) status = print(i, &answer);
  cpb_buffer_free(&answer);
  return status != CLI_OK ? status : beside;
}

int cli_inspect(cli *c) {
  int status = CLI_OK;
  inspection i = {.cli = c};
  if (!find_question(&i, &status)) return status;
  char *name = cli_find_model(c, c->settings.input, &status);
  if (!name) return status;
  i.name = name;
  status = open_model(&i);
  if (status == CLI_OK) status = run(&i);
  if (status == CLI_OK) status = show(&i);
  cpb_model_free(i.model);
  cpb_message_file_close(i.message);
  cpb_release(&c->allocator, name);
  return status;
}
