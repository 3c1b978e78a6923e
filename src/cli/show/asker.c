#include "cli/show/asker.h"

#define DEPTH 1000 /* of an answer: it is ours */

cpb_question cli_question(const cli *c, cpb_question_kind kind, cpb_span name) {
  const cli_settings *s = &c->settings;
  return (cpb_question){.struct_size = sizeof(cpb_question),
                        .kind = kind,
                        .meta_graph = cli_number32(s->meta_graph),
                        .name = (const char *)name.data,
                        .name_size = name.size,
                        .brief = s->brief,
                        .scope = s->scope,
                        .scope_size = s->scope ? strlen(s->scope) : 0,
                        .first = s->first,
                        .count = s->page};
}

static void fail(cli_asker *a, const char *path, const cpb_error *error, bool silent) {
  int status = silent ? cli_exit_code(error->code) : cli_fail(a->cli, path, error);
  if (a->status == CLI_OK) a->status = status;
}

const char *cli_ask(cli_asker *a, const cpb_question *question, size_t *size) {
  const char *json, *path;
  while (!(json = cpb_model_file_ask(a->model, question, size, &a->error))) {
    unsigned beside = cpb_model_file_culprit(a->model, &path);
    fail(a, path, &a->error, a->silent && !beside);
    if (!beside || (a->cli->settings.json && beside == CPB_BESIDE_KERAS_METADATA)) return NULL;
    cpb_model_file_leave_out(a->model, beside);
  }
  return json;
}

yyjson_doc *cli_ask_tree(cli_asker *a, const cpb_question *question) {
  size_t size;
  const char *json = cli_ask(a, question, &size);
  if (!json) return NULL;
  yyjson_doc *tree = cpb_json_read(&a->cli->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &a->error);
  if (!tree) fail(a, "the answer", &a->error, a->silent);
  return tree;
}
