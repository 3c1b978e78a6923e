#include "cli/show/variables.h"

#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/status.h"
#include "cli/os/os.h"

#define INDEX "variables/variables.index"
#define MOST_INDEX ((uint64_t)64 << 20)
#define MOST_GRAPH ((uint64_t)64 << 20)
#define DEPTH 1000 /* of an answer: it is ours */

/* --- The files ---------------------------------------------------------------------- */

static char *shard_path(cli_model *m, uint32_t shard, int *status) {
  char name[64];
  snprintf(name, sizeof name, "variables/variables.data-%05u-of-%05u", (unsigned)shard,
           (unsigned)cpb_checkpoint_num_shards(m->checkpoint));
  return cli_beside(m->cli, m->name, name, status);
}

cpb_file *cli_model_open_shard(cli_model *m, uint32_t shard, int *status) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  char *path = shard_path(m, shard, status);
  cpb_file *file = path ? cpb_file_open(&m->cli->allocator, path, &error) : NULL;
  if (path && !file) *status = cli_fail(m->cli, path, &error);
  cpb_release(&m->cli->allocator, path);
  return file;
}

/* --- The object graph ----------------------------------------------------------------- */

static cpb_step step_values(cpb_values *values, cpb_file *file) {
  cpb_step step;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED) cpb_file_supply(file, cpb_values_input(values));
  return step;
}

/* Its only text, after the length in 8 bytes. */
static bool read_text(cli_model *m, const char *key, cpb_file *file, cpb_buffer *out, cpb_error *error) {
  const cpb_values_options how = {.struct_size = sizeof how, .checkpoint = m->checkpoint, .max_memory = MOST_GRAPH};
  cpb_values *values = cpb_values_new(&m->cli->allocator, m->kind, key, strlen(key), &how);
  cpb_step step = CPB_STEP_ERROR;
  if (!values) cpb_fail_memory(error);
  while (values && error->code == CPB_OK && (step = step_values(values, file)) == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_values_data(values, &size);
    if (!cpb_buffer_append(out, data, size)) cpb_fail_memory(error);
  }
  if (values && step == CPB_STEP_ERROR && error->code == CPB_OK) *error = *cpb_values_error(values);
  cpb_values_free(values);
  return error->code == CPB_OK;
}

/* Where there is none, or its file is not there, the model says what that means. */
static int read_graph(cli_model *m, cpb_buffer *graph) {
  int status = CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  const cpb_stored *stored = cpb_checkpoint_find(m->checkpoint, CPB_CHECKPOINT_GRAPH, strlen(CPB_CHECKPOINT_GRAPH));
  char *path = stored && stored->size <= MOST_GRAPH ? shard_path(m, stored->shard, &status) : NULL;
  cpb_file *file = path && os_exists(path) ? cpb_file_open(&m->cli->allocator, path, &error) : NULL;
  if (file) read_text(m, CPB_CHECKPOINT_GRAPH, file, graph, &error);
  if (error.code != CPB_OK) status = cli_fail(m->cli, path, &error);
  cpb_file_close(file);
  cpb_release(&m->cli->allocator, path);
  return status;
}

static int give(cli_model *m) {
  cpb_buffer graph;
  const size_t length = sizeof(uint64_t);
  cpb_buffer_init(&graph, &m->cli->allocator);
  int status = read_graph(m, &graph);
  bool has = status == CLI_OK && graph.size >= length;
  if (!cpb_model_set_checkpoint(m->model, m->checkpoint, has ? graph.data + length : NULL,
                                has ? graph.size - length : 0))
    status = cli_fail_memory(m->cli);
  cpb_buffer_free(&graph);
  return status;
}

/* --- The checkpoint --------------------------------------------------------------------- */

static int open_checkpoint(cli_model *m, const char *path) {
  int status = CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_buffer index;
  cpb_buffer_init(&index, &m->cli->allocator);
  cpb_file *file = cpb_file_open(&m->cli->allocator, path, &error);
  if (file && cli_read_whole(file, MOST_INDEX, "the index of a checkpoint", &index, &error))
    m->checkpoint = cpb_checkpoint_new(&m->cli->allocator, index.data, index.size, NULL, &error);
  if (!m->checkpoint) status = cli_fail(m->cli, path, &error);
  cpb_file_close(file);
  cpb_buffer_free(&index);
  return status;
}

int cli_model_give_checkpoint(cli_model *m) {
  int status = CLI_OK;
  if (m->kind != CPB_MODEL_SAVED_MODEL) return CLI_OK;
  char *path = cli_beside(m->cli, m->name, INDEX, &status);
  if (path && os_exists(path)) status = open_checkpoint(m, path);
  if (m->checkpoint) status = give(m);
  cpb_release(&m->cli->allocator, path);
  return status;
}

/* --- One variable ------------------------------------------------------------------------ */

/* Of a page of variables the only key, or the one that is the name itself. */
static bool choose_key(yyjson_val *answer, const char *name, cpb_span *key, cpb_error *error) {
  size_t i, count, found = 0;
  yyjson_val *item, *page = cpb_json_member(answer, "variables");
  uint64_t total = 0;
  cpb_json_unsigned(cpb_json_member(page, "total"), &total);
  yyjson_arr_foreach(cpb_json_member(page, "items"), i, count, item) {
    cpb_span one = {NULL, 0}, path;
    bool has = cpb_json_text(cpb_json_member(item, "key"), &one);
    bool exactly = (has && one.size == strlen(name) && memcmp(one.data, name, one.size) == 0) ||
                   (cpb_json_text(cpb_json_member(item, "path"), &path) && path.size == strlen(name) &&
                    memcmp(path.data, name, path.size) == 0);
    if (has && (!key->data || key->size != one.size || memcmp(key->data, one.data, one.size) != 0)) found++;
    if (has && (exactly || !key->data)) *key = one;
    if (exactly) total = found = 1;
    if (exactly) break;
  }
  if (found == 1) return true;
  error->code = CPB_E_NOT_FOUND;
  if (found == 0)
    snprintf(error->message, sizeof error->message, "the checkpoint has no value of the variable \"%.80s\"", name);
  else
    snprintf(error->message, sizeof error->message,
             "%llu variables are called \"%.80s\": say the path or the key of one, as inspect variables shows them",
             (unsigned long long)total, name);
  return false;
}

const cpb_stored *cli_model_find_variable(cli_model *m, const char *name, int *status) {
  const cpb_stored *stored = NULL;
  size_t size;
  cpb_span key = {NULL, 0};
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  const cli_settings *s = &m->cli->settings;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = CPB_ASK_VARIABLES,
                                 .name = name,
                                 .name_size = strlen(name),
                                 .meta_graph = s->meta_graph < UINT32_MAX ? (uint32_t)s->meta_graph : UINT32_MAX,
                                 .count = 1000};
  yyjson_doc *doc = NULL;
  if (cli_model_answer(m, &question, &error)) {
    const char *json = cpb_model_answer(m->model, &size);
    doc = cpb_json_read(&m->cli->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &error);
  }
  if (doc && choose_key(yyjson_doc_get_root(doc), name, &key, &error)) {
    stored = cpb_checkpoint_find(m->checkpoint, (const char *)key.data, key.size);
    if (!stored) cpb_fail(&error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "the key of this variable is no text");
  }
  yyjson_doc_free(doc);
  if (!stored) *status = cli_fail(m->cli, m->name, &error);
  return stored;
}
