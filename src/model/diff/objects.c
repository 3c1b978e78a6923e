#include "model/diff/diff.h"

/* The object graphs are compared breadth first, one place in each round, so only the children of two objects are in
 * memory at once. Each object of either model has at most one place: a pair of graphs with shared or circular
 * references takes no more rounds than it has objects. */

static const cpb_span nothing = {NULL, 0};

static void add_place(cpb_diff *d, const uint64_t nodes[2], cpb_span name) {
  if (!cpb_diff_places_add(&d->places, nodes, d->place, name)) cpb_diff_fail_memory(d);
}

/* Whether the object's children are to be compared here; `node` is its id. */
static bool has_children(cpb_diff *d, cpb_span object, uint64_t *node) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  yyjson_doc *doc = cpb_json_read(&d->allocator, object, CPB_DIFF_DEPTH * 2, &error);
  yyjson_val *root = yyjson_doc_get_root(doc);
  bool has = doc && cpb_diff_number(root, "children") > 0 && !yyjson_is_true(cpb_json_member(root, "elsewhere"));
  *node = cpb_diff_number(root, "node");
  if (!doc) cpb_diff_fail(d, -1, &error);
  yyjson_doc_free(doc);
  return has;
}

/* A child in both models is a place whose own children are compared later. */
static void note_children(cpb_diff *d, const cpb_diff_join *join) {
  uint64_t nodes[2];
  bool has = d->place != CPB_DIFF_NO_PLACE && join->items[0] && join->items[1];
  for (int side = 0; side < 2 && has; side++)
    has = has_children(d, cpb_diff_items_whole(&d->items, join, side), &nodes[side]);
  if (has) add_place(d, nodes, cpb_diff_key(&d->items.plain[0], join->items[0]));
}

static void begin(cpb_diff *d) {
  static const uint64_t roots[2] = {0, 0};
  cpb_diff_places_free(&d->places);
  cpb_diff_section_begin(d, "objects", nothing);
  add_place(d, roots, cpb_span_of("root"));
}

/* Reads the root itself in its own round: it is not a child of any object. */
static void read_root(cpb_diff *d) {
  for (int side = 0; side < 2; side++) {
    cpb_diff_read root = {.list = &cpb_diff_object, .side = side, .whole = true, .key = cpb_span_of("root")};
    cpb_diff_will_read(d, root);
  }
}

static void read_children(cpb_diff *d, const cpb_diff_place *place) {
  for (int side = 0; side < 2; side++) {
    cpb_diff_read children = {.list = &cpb_diff_objects, .side = side};
    if (d->place > 0) cpb_format(children.node, sizeof children.node, "#%llu", (unsigned long long)place->nodes[side]);
    cpb_diff_will_read(d, children);
  }
}

bool cpb_diff_objects_begin(cpb_diff *d) {
  if (d->round == 0) begin(d);
  if (!cpb_diff_ok(d)) return false;
  if (d->round > d->places.count) {
    d->place = CPB_DIFF_NO_PLACE;
    cpb_diff_section_end(d, true);
    return false;
  }
  d->place = d->round > 0 ? d->round - 1 : CPB_DIFF_NO_PLACE;
  if (d->round == 0) read_root(d);
  else read_children(d, &d->places.list[d->place]);
  return true;
}

cpb_step cpb_diff_objects_compare(cpb_diff *d) {
  if (!cpb_diff_items_sort(&d->items)) cpb_diff_fail_memory(d);
  cpb_diff_join join = cpb_diff_items_join(&d->items);
  while (cpb_diff_ok(d) && cpb_diff_join_next(&join)) {
    cpb_diff_compare_item(d, &join);
    note_children(d, &join);
  }
  cpb_diff_items_free(&d->items);
  return cpb_diff_ok(d) ? CPB_STEP_DONE : CPB_STEP_ERROR;
}
