#include "cli/show/show.h"

#include "base/checked.h"

#define DEPTH 1000 /* of an answer: it is ours */
#define PARTS 8    /* of a long list, a page each */
#define PAGE_BYTES ((uint64_t)32 << 20)

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
                        .to = s->to,
                        .to_size = s->to ? strlen(s->to) : 0,
                        .distance = s->distance,
                        .first = s->first,
                        .count = s->page == 0 && s->json && s->all ? CLI_EVERYTHING : s->page};
}

static void fail(cli_asker *a, const char *path, const cpb_error *error, bool silent) {
  int status = silent ? cli_exit_code(error) : cli_fail(a->cli, path, error);
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

uint64_t cli_next_page(yyjson_doc *answer, yyjson_val *list, uint64_t least) {
  uint64_t total = 0, count = yyjson_arr_size(cpb_json_member(list, "items"));
  cpb_json_unsigned(cpb_json_member(list, "total"), &total);
  if (count == 0) return least;
  const uint64_t each = yyjson_doc_get_read_size(answer) / count + 1, share = total / PARTS + 1;
  return cpb_max_u64(least, cpb_min_u64(share, PAGE_BYTES / each));
}
