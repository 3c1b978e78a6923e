/* cpb diff: what differs between two models. */
#include "cli/diff/diff.h"

#include <string.h>

#include "base/status.h"

#define EQUAL 0
#define DIFFERENT 1
#define TROUBLE 2
#define MOST_SHOWN 100
#define MAX_VALUE ((uint64_t)16 << 10) /* longer texts are compared by their size */

static const cpb_span nothing = {NULL, 0};

/* --- Lists --------------------------------------------------------------------------------- */

static bool compare_list(diff *d, const cpb_diff_list *list) {
  diff_items items;
  diff_items_init(d, &items);
  bool done = diff_read(d, list, 0, nothing, nothing, &items) && diff_read(d, list, 1, nothing, nothing, &items) &&
              diff_section_of(d, list->section, nothing, &items);
  diff_items_free(&items);
  return done;
}

static bool compare_lists(diff *d, const cpb_diff_list *list) {
  for (; list->section; list++) {
    if (!compare_list(d, list)) return false;
  }
  return true;
}

/* --- Functions and nodes ----------------------------------------------------------------------- */

static const cpb_diff_list names = {"functions", CPB_ASK_FUNCTIONS, "functions", {"name"}, NULL, false};

static bool pair_functions(diff *d) {
  diff_items items;
  diff_items_init(d, &items);
  for (int side = 0; diff_ok(d) && side < 2; side++) {
    diff_read(d, &names, side, nothing, nothing, &items);
    for (size_t i = 0; diff_ok(d) && i < items.plain[side].count; i++) {
      cpb_span key = cpb_diff_key(&items.plain[side], &items.plain[side].items[i]);
      if (!cpb_diff_pairs_add(&d->pairs, side, key)) diff_fail_memory(d);
    }
  }
  if (diff_ok(d) && !cpb_diff_pairs_make(&d->pairs)) diff_fail_memory(d);
  diff_items_free(&items);
  return diff_ok(d);
}

static cpb_span pair_name(const cpb_diff_pair *pair) { return pair->names[!pair->names[0].data]; }

static bool compare_functions(diff *d) {
  diff_items items;
  diff_items_init(d, &items);
  for (size_t i = 0; diff_ok(d) && i < d->pairs.count; i++) {
    const cpb_diff_pair *pair = &d->pairs.list[i];
    for (int side = 0; diff_ok(d) && side < 2; side++) {
      if (pair->names[side].data)
        diff_read_one(d, &cpb_diff_functions, side, pair->names[side], pair_name(pair), &items);
    }
  }
  bool done = diff_ok(d) && diff_section_of(d, "functions", nothing, &items);
  diff_items_free(&items);
  return done;
}

/* Of the graph where there is no pair. */
static bool compare_nodes(diff *d, const cpb_diff_pair *pair) {
  diff_items items;
  diff_items_init(d, &items);
  bool done = diff_read(d, &cpb_diff_nodes, 0, pair ? pair->names[0] : nothing, nothing, &items) &&
              diff_read(d, &cpb_diff_nodes, 1, pair ? pair->names[1] : nothing, nothing, &items) &&
              diff_section_of(d, "nodes", pair ? pair->names[0] : nothing, &items);
  diff_items_free(&items);
  return done;
}

static bool compare_graphs(diff *d) {
  if (!compare_functions(d) || !compare_nodes(d, NULL)) return false;
  for (size_t i = 0; i < d->pairs.count; i++) {
    const cpb_diff_pair *pair = &d->pairs.list[i];
    if (pair->names[0].data && pair->names[1].data && !compare_nodes(d, pair)) return false;
  }
  return true;
}

/* --- Objects ----------------------------------------------------------------------------------- */

/* Objects of which the children are still to be compared. */
typedef struct place {
  uint64_t nodes[2];
  size_t path, path_size; /* in places.paths, followed by a dot */
} place;

typedef struct places {
  diff *diff;
  place *list;
  size_t count, capacity;
  cpb_buffer paths;
} places;

static bool add_place(places *p, const uint64_t nodes[2], cpb_span path) {
  void *list = p->list;
  bool done = cpb_reserve(&p->diff->cli->allocator, &list, &p->capacity, p->count + 1, sizeof *p->list);
  p->list = list;
  if (!done) return diff_fail_memory(p->diff);
  p->list[p->count++] = (place){{nodes[0], nodes[1]}, p->paths.size, path.size};
  done = cpb_buffer_append(&p->paths, path.data, path.size) && cpb_buffer_append(&p->paths, ".", 1);
  return done || diff_fail_memory(p->diff);
}

/* Whether its children are to be looked at here; `node` is its id. */
static bool has_children(diff *d, const cpb_diff_table *table, const cpb_diff_item *item, uint64_t *node) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  yyjson_doc *doc = cpb_json_read(&d->cli->allocator, cpb_diff_text(table, item), CPB_DIFF_DEPTH * 2, &error);
  yyjson_val *root = yyjson_doc_get_root(doc);
  bool has = doc && diff_number(root, "children") > 0 && !yyjson_is_true(cpb_json_member(root, "elsewhere"));
  *node = diff_number(root, "node");
  if (!doc) d->status = cli_fail(d->cli, "the answers", &error);
  yyjson_doc_free(doc);
  return has;
}

static bool add_places(places *p, const diff_items *items, const cpb_diff_join *join) {
  uint64_t nodes[2];
  bool has = true;
  for (int side = 0; side < 2; side++) {
    if (!join->items[side]) return true;
    const cpb_diff_item *whole = &items->whole[side].items[join->items[side] - items->plain[side].items];
    has = has_children(p->diff, &items->whole[side], whole, &nodes[side]) && has;
  }
  return !has || !diff_ok(p->diff) || add_place(p, nodes, cpb_diff_key(&items->plain[0], join->items[0]));
}

static bool read_children(places *p, size_t i, diff_items *items) {
  diff *d = p->diff;
  char name[24];
  cpb_span path = {p->paths.data + p->list[i].path, p->list[i].path_size}, prefix = {path.data, path.size + 1};
  for (int side = 0; diff_ok(d) && side < 2; side++) {
    size_t size = cpb_format(name, sizeof name, "#%llu", (unsigned long long)p->list[i].nodes[side]);
    cpb_span asked = i == 0 ? nothing : (cpb_span){(const uint8_t *)name, size};
    if (i == 0) diff_read_one(d, &cpb_diff_object, side, nothing, path, items);
    if (diff_ok(d)) diff_read(d, &cpb_diff_objects, side, asked, prefix, items);
  }
  return diff_ok(d) && diff_sort(d, items);
}

static bool compare_children(places *p, size_t i, diff_section *s) {
  diff *d = p->diff;
  diff_items items;
  diff_items_init(d, &items);
  read_children(p, i, &items);
  cpb_diff_join join = diff_join(&items);
  while (diff_ok(d) && cpb_diff_join_next(&join)) {
    if (diff_item(d, s, &items, &join)) add_places(p, &items, &join);
  }
  diff_items_free(&items);
  return diff_ok(d);
}

/* Breadth first, from the root of both. */
static bool compare_objects(diff *d) {
  static const uint64_t roots[2] = {0, 0};
  places p = {.diff = d};
  cpb_buffer_init(&p.paths, &d->cli->allocator);
  diff_section s = diff_begin(d, "objects", nothing);
  bool done = add_place(&p, roots, cpb_span_of("root"));
  for (size_t i = 0; done && i < p.count; i++) done = compare_children(&p, i, &s);
  diff_end(d, &s, true);
  cpb_release(&d->cli->allocator, p.list);
  cpb_buffer_free(&p.paths);
  return diff_ok(d);
}

/* --- Parts -------------------------------------------------------------------------------------- */

/* Values are the same when their checksums are: they are not read. */
static bool compare_variables(diff *d) {
  if (!cpb_model_file_checkpoint(d->files[0]) || !cpb_model_file_checkpoint(d->files[1])) return true;
  return compare_list(d, d->cli->settings.skip_values ? &cpb_diff_variables_alone : &cpb_diff_variables);
}

static bool compare_meta_graph(diff *d) {
  bool saved = d->kinds[0] == CPB_MODEL_SAVED_MODEL;
  cpb_diff_pairs_init(&d->pairs, &d->cli->allocator);
  bool done = pair_functions(d) && compare_lists(d, cpb_diff_lists_of_part(d->kinds[0])) &&
              (!saved || compare_objects(d)) && compare_graphs(d) && diff_constants(d) && compare_variables(d);
  cpb_diff_pairs_free(&d->pairs);
  return done;
}

static uint64_t count_meta_graphs(diff *d, int side) {
  yyjson_doc *doc = diff_ask(d, side, CPB_ASK_OVERVIEW, nothing, 0);
  uint64_t count = diff_number(cpb_json_member(yyjson_doc_get_root(doc), "meta_graphs"), "total");
  yyjson_doc_free(doc);
  return count;
}

static bool compare_saved_models(diff *d) {
  uint64_t counts[2] = {count_meta_graphs(d, 0), 0};
  if (diff_ok(d)) counts[1] = count_meta_graphs(d, 1);
  uint64_t both = counts[0] < counts[1] ? counts[0] : counts[1];
  for (; diff_ok(d) && d->meta_graph < both; d->meta_graph++) compare_meta_graph(d);
  return diff_ok(d);
}

static bool compare_tag(diff *d) { return compare_lists(d, cpb_diff_lists_of_part(d->kinds[0])) && diff_parameters(d); }

/* Each tag that both have. */
static bool compare_tags(diff *d) {
  static const cpb_diff_list tags = {"tags", CPB_ASK_OVERVIEW, "tags", {"tag"}, NULL, false};
  diff_items items;
  if (d->kinds[0] == CPB_MODEL_SAMEDIFF_GRAPH) return compare_tag(d);
  diff_items_init(d, &items);
  if (diff_read(d, &tags, 0, nothing, nothing, &items) && diff_read(d, &tags, 1, nothing, nothing, &items))
    diff_sort(d, &items);
  cpb_diff_join join = diff_join(&items);
  while (diff_ok(d) && cpb_diff_join_next(&join)) {
    if (!join.items[0] || !join.items[1]) continue;
    d->tag = cpb_diff_key(&items.plain[0], join.items[0]);
    compare_tag(d);
  }
  d->tag = nothing;
  diff_items_free(&items);
  return diff_ok(d);
}

static bool compare_parts(diff *d) {
  switch (d->kinds[0]) {
    case CPB_MODEL_SAVED_MODEL: return compare_saved_models(d);
    case CPB_MODEL_GRAPH_DEF: return compare_meta_graph(d);
    case CPB_MODEL_SAMEDIFF_ZIP:
    case CPB_MODEL_SAMEDIFF_GRAPH: return compare_tags(d);
    default: return true;
  }
}

/* --- The command ---------------------------------------------------------------------------------- */

static const char *kind_name(cpb_model_kind kind) {
  static const char *const kinds[] = {[CPB_MODEL_SAVED_MODEL] = "SavedModel",
                                      [CPB_MODEL_GRAPH_DEF] = "GraphDef",
                                      [CPB_MODEL_KERAS_METADATA] = "Keras metadata",
                                      [CPB_MODEL_SAMEDIFF_ZIP] = "SameDiff zip",
                                      [CPB_MODEL_SAMEDIFF_GRAPH] = "SameDiff graph"};
  return kinds[kind];
}

static void compare_models(diff *d) {
  bool same_kind = d->kinds[0] == d->kinds[1];
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "a", kind_name(d->kinds[0]));
  cpb_json_writer_text(&d->out, "b", kind_name(d->kinds[1]));
  cpb_json_writer_bool(&d->out, "values", !d->cli->settings.skip_values);
  cpb_json_writer_open(&d->out, "sections", '[');
  d->different = !same_kind;
  if (same_kind && compare_lists(d, cpb_diff_lists_of_model(d->kinds[0]))) compare_parts(d);
  cpb_json_writer_close(&d->out, ']');
  cpb_json_writer_bool(&d->out, "equal", !d->different);
  cpb_json_writer_close(&d->out, '}');
  if (!cpb_json_writer_ok(&d->out)) diff_fail_memory(d);
}

static bool open_models(diff *d) {
  const cpb_model_options how = {.struct_size = sizeof how, .max_value = MAX_VALUE};
  const char *const paths[2] = {d->cli->settings.input, d->cli->settings.question};
  for (int side = 0; diff_ok(d) && side < 2; side++) {
    cpb_error error;
    d->files[side] = cli_open_model(d->cli, paths[side], &how, &d->status);
    if (!d->files[side]) return false;
    d->kinds[side] = cpb_model_file_kind(d->files[side]);
    if (cpb_model_file_load(d->files[side], CPB_BESIDE_KERAS_METADATA | CPB_BESIDE_CHECKPOINT, &error) != CPB_OK)
      d->status = cli_model_fail(d->cli, d->files[side], &error);
    cpb_model_file_leave_out(d->files[side], CPB_BESIDE_FINGERPRINT);
  }
  return diff_ok(d);
}

static void print(diff *d) {
  const cpb_buffer *result = &d->out.out;
  if (!d->cli->settings.json) {
    d->status = diff_show(d->cli, (const char *)result->data, result->size);
    return;
  }
  cli_print_bytes(d->cli, result->data, result->size);
  cli_print(d->cli, "\n");
}

int cli_diff(cli *c) {
  diff d = {.cli = c, .most = c->settings.page > 0 ? c->settings.page : MOST_SHOWN};
  if (!c->settings.question) {
    cli_usage(c->command, "the second model is missing");
    return TROUBLE;
  }
  cpb_buffer_init(&d.out.out, &c->allocator);
  if (open_models(&d)) compare_models(&d);
  if (diff_ok(&d)) print(&d);
  for (int side = 0; side < 2; side++) cpb_model_file_close(d.files[side]);
  cpb_buffer_free(&d.out.out);
  return !diff_ok(&d) ? TROUBLE : d.different ? DIFFERENT : EQUAL;
}
