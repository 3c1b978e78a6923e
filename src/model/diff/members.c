#include "model/diff/diff.h"

#include "base/status.h"

/* Two items are compared in two ways. same() only decides, in one walk side by side, and needs no memory as long as
 * both have their members in the same order. compare() reports: it matches members by name and descends to the
 * smallest member that differs. Both recurse, to CPB_DIFF_DEPTH at most; what is deeper counts as equal only if both
 * are null. Items come from answers and thus from hostile files, so each step is charged. */

typedef struct comparison {
  cpb_allocator allocator;
  const cpb_diff_known *known;
  cpb_span in;                 /* the member of the item that is being compared */
  const cpb_diff_pairs *names; /* the pairs of arguments or layers that texts may name; else NULL */
  cpb_meter *meter;
  cpb_json_writer *out;
  cpb_buffer path;
  bool differs;
  cpb_error *error;
} comparison;

static bool ok(const comparison *c) { return c->error->code == CPB_OK; }

static bool charge(comparison *c, cpb_work_kind kind, uint64_t amount) {
  return ok(c) && (!c->meter || cpb_meter_charge(c->meter, kind, amount, CPB_NO_OFFSET, c->error));
}

static bool done_or_fail(comparison *c, bool done) {
  if (!done && ok(c)) cpb_fail_memory(c->error);
  return done;
}

/* --- Elements ---------------------------------------------------------------------------- */

/* Lists are matched by the names of their elements, and not by position: one inserted element would otherwise make
 * all later ones differ. Names that a tool chose are replaced by the name in the first model before they are
 * compared. */

static cpb_span key_of(yyjson_val *name) {
  return (cpb_span){(const uint8_t *)yyjson_get_str(name), yyjson_get_len(name)};
}

static bool make_elements(comparison *c, cpb_diff_elements *e, size_t count) {
  *e = (cpb_diff_elements){NULL, 0};
  return charge(c, CPB_WORK_ENTRIES, count) && done_or_fail(c, cpb_diff_elements_make(e, &c->allocator, count));
}

static bool list_members(comparison *c, yyjson_val *object, cpb_diff_elements *e) {
  size_t i, count;
  yyjson_val *name, *value;
  if (!make_elements(c, e, yyjson_obj_size(object))) return false;
  yyjson_obj_foreach(object, i, count, name, value) e->list[i] = (cpb_diff_element){key_of(name), value, NULL};
  return true;
}

/* The member that identifies an element of a list, and its text; NULL if the element has no name. */
static const char *name_of(yyjson_val *element, cpb_span *name) {
  static const char *const keys[] = {"name", "argument", "key", "child", "function", NULL};
  for (size_t i = 0; keys[i]; i++)
    if (cpb_json_text(cpb_json_member(element, keys[i]), name)) return keys[i];
  return NULL;
}

/* A member of the item, and a member within it. */
typedef struct place {
  const char *in, *member;
} place;

static bool is_among(const comparison *c, cpb_span member, const place *places) {
  for (; places->in; places++)
    if (cpb_span_is(c->in, places->in) && cpb_span_is(member, places->member)) return true;
  return false;
}

/* The pairs of arguments or layers, if texts at this place of the item are their names. */
static const cpb_diff_pairs *names_in(const comparison *c, cpb_span member) {
  static const place of_arguments[] = {{"inputs", "name"},
                                       {"outputs", "tensor"},
                                       {"captures", "argument"},
                                       {"arguments", "argument"},
                                       {"arguments", "arguments"},
                                       {"inputs", "inputs"}, /* of a node, like the next row */
                                       {"control_inputs", "control_inputs"},
                                       {NULL, NULL}};
  static const place of_layers[] = {{"config", "name"},  {"config", "input_layers"}, {"config", "output_layers"},
                                    {"inputs", "layer"}, {"input_layers", "layer"},  {"output_layers", "layer"},
                                    {NULL, NULL}};
  if (c->known->layers) return is_among(c, member, of_layers) ? c->known->layers : NULL;
  return is_among(c, member, of_arguments) ? c->known->arguments : NULL;
}

/* The name of an element, normalized to be equal in both models. */
static cpb_span common_name(const comparison *c, int side, yyjson_val *element) {
  cpb_span name = {NULL, 0};
  const char *key = name_of(element, &name);
  const cpb_diff_pairs *names = key && side == 1 ? names_in(c, cpb_span_of(key)) : NULL;
  const cpb_diff_pair *pair = names ? cpb_diff_pairs_find(names, side, name) : NULL;
  return pair ? pair->names[0] : cpb_diff_common_text(c->known->functions, side, name);
}

static bool list_named(comparison *c, int side, yyjson_val *list, cpb_diff_elements *e) {
  size_t i, count;
  yyjson_val *value;
  if (!make_elements(c, e, yyjson_arr_size(list))) return false;
  yyjson_arr_foreach(list, i, count, value) {
    e->list[i] = (cpb_diff_element){common_name(c, side, value), value, NULL};
  }
  return true;
}

/* Pairs the members of two objects, or the elements of two lists with names. Free `sides` in any case. */
static bool match(comparison *c, yyjson_val *a, yyjson_val *b, cpb_diff_elements sides[2]) {
  bool objects = yyjson_is_obj(a);
  sides[0] = sides[1] = (cpb_diff_elements){NULL, 0};
  return (objects ? list_members(c, a, &sides[0]) && list_members(c, b, &sides[1])
                  : list_named(c, 0, a, &sides[0]) && list_named(c, 1, b, &sides[1])) &&
         done_or_fail(c, cpb_diff_match(&c->allocator, sides));
}

static void free_elements(comparison *c, cpb_diff_elements sides[2]) {
  for (int side = 0; side < 2; side++) cpb_diff_elements_free(&sides[side], &c->allocator);
}

/* --- Equal ------------------------------------------------------------------------------- */

static bool same(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth);

static bool same_lists(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  yyjson_val *x, *y = yyjson_arr_get_first(b);
  size_t i, count;
  if (yyjson_arr_size(a) != yyjson_arr_size(b)) return false;
  yyjson_arr_foreach(a, i, count, x) {
    if (!same(c, x, y, depth + 1)) return false;
    y = unsafe_yyjson_get_next(y);
  }
  return true;
}

static bool same_at(comparison *c, cpb_span member, yyjson_val *a, yyjson_val *b, unsigned depth) {
  const cpb_diff_pairs *before = c->names;
  c->names = names_in(c, member);
  bool equal = same(c, a, b, depth + 1);
  c->names = before;
  return equal;
}

/* Compares members that are in a different order. */
static bool same_members(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  cpb_diff_elements sides[2];
  bool equal = match(c, a, b, sides);
  for (size_t i = 0; i < sides[0].count && equal; i++)
    equal = same_at(c, sides[0].list[i].key, sides[0].list[i].value, sides[0].list[i].other, depth);
  for (size_t i = 0; i < sides[1].count && equal; i++)
    equal = sides[1].list[i].other || same(c, NULL, sides[1].list[i].value, depth + 1);
  free_elements(c, sides);
  return equal;
}

static bool same_objects(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  yyjson_val *name, *value;
  yyjson_obj_iter other = yyjson_obj_iter_with(b);
  size_t i, count;
  if (yyjson_obj_size(a) != yyjson_obj_size(b)) return false;
  yyjson_obj_foreach(a, i, count, name, value) {
    yyjson_val *other_name = yyjson_obj_iter_next(&other);
    if (!cpb_span_equal(key_of(name), key_of(other_name))) return same_members(c, a, b, depth);
    if (!same_at(c, key_of(name), value, yyjson_obj_iter_get_val(other_name), depth)) return false;
  }
  return true;
}

static bool same_texts(comparison *c, cpb_span x, cpb_span y) {
  bool same;
  if (!charge(c, CPB_WORK_WALKED, (uint64_t)x.size + y.size)) return false;
  if (c->names && cpb_diff_are_arguments(c->names, x, y, &same)) return same;
  return cpb_diff_same_text(c->known->functions, x, y);
}

static bool same(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  cpb_span x, y;
  if (!charge(c, CPB_WORK_WALKED, 1)) return false;
  if (!a || !b || depth > CPB_DIFF_DEPTH) return (!a || yyjson_is_null(a)) && (!b || yyjson_is_null(b));
  if (cpb_json_text(a, &x) && cpb_json_text(b, &y)) return same_texts(c, x, y);
  if (cpb_json_number(a, &x) && cpb_json_number(b, &y)) return cpb_span_equal(x, y);
  if (yyjson_is_arr(a) && yyjson_is_arr(b)) return same_lists(c, a, b, depth);
  if (yyjson_is_obj(a) && yyjson_is_obj(b)) return same_objects(c, a, b, depth);
  return yyjson_get_tag(a) == yyjson_get_tag(b) && (yyjson_is_null(a) || yyjson_is_bool(a));
}

/* --- The path ---------------------------------------------------------------------------- */

/* Appends a step to the path; returns the length to go back to. */
static size_t step_down(comparison *c, cpb_span name) {
  size_t before = c->path.size;
  done_or_fail(
      c, (before == 0 || cpb_buffer_append(&c->path, ".", 1)) && cpb_buffer_append(&c->path, name.data, name.size));
  return before;
}

static void report_as(comparison *c, yyjson_val *a, yyjson_val *b, bool renamed) {
  size_t begin = c->out->out.size;
  c->differs = true;
  if (!charge(c, CPB_WORK_ANSWER, c->path.size)) return;
  cpb_json_writer_open(c->out, NULL, '{');
  cpb_json_writer_span(c->out, "member", (cpb_span){c->path.data, c->path.size});
  cpb_diff_copy(c->out, "a", a);
  cpb_diff_copy(c->out, "b", b);
  if (renamed) cpb_json_writer_bool(c->out, "renamed", true);
  cpb_json_writer_close(c->out, '}');
  if (done_or_fail(c, cpb_json_writer_ok(c->out))) charge(c, CPB_WORK_ANSWER, c->out->out.size - begin);
}

static void report(comparison *c, yyjson_val *a, yyjson_val *b) { report_as(c, a, b, false); }

/* --- Different --------------------------------------------------------------------------- */

static void compare(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth);

/* Whether the two are names of one renamed layer. */
static bool are_renamed(const comparison *c, yyjson_val *a, yyjson_val *b) {
  cpb_span x, y;
  bool same = false, texts = cpb_span_is(c->in, "name") && cpb_json_text(a, &x) && cpb_json_text(b, &y);
  return c->known->layers && texts && cpb_diff_are_arguments(c->known->layers, x, y, &same) && same;
}

static void compare_at(comparison *c, cpb_span name, yyjson_val *a, yyjson_val *b, unsigned depth) {
  size_t before = step_down(c, name);
  if (depth == 0) c->in = name;
  c->names = names_in(c, name);
  if (depth == 0 && ok(c) && are_renamed(c, a, b)) report_as(c, a, b, true);
  else if (ok(c)) compare(c, a, b, depth + 1);
  c->path.size = before;
}

/* The name of an element in the path. */
static cpb_span shown_name(const cpb_diff_element *e, bool in_list) {
  cpb_span name = e->key;
  if (in_list) name_of(e->value, &name);
  return name;
}

/* All elements of the first, then those that only the second has. */
static void compare_elements(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  cpb_diff_elements sides[2];
  bool matched = match(c, a, b, sides), lists = yyjson_is_arr(a);
  for (size_t i = 0; i < sides[0].count && matched && ok(c); i++) {
    const cpb_diff_element *e = &sides[0].list[i];
    compare_at(c, shown_name(e, lists), e->value, e->other, depth);
  }
  for (size_t i = 0; i < sides[1].count && matched && ok(c); i++) {
    const cpb_diff_element *e = &sides[1].list[i];
    if (!e->other) compare_at(c, shown_name(e, lists), NULL, e->value, depth);
  }
  free_elements(c, sides);
}

static bool are_named(yyjson_val *list) {
  size_t i, count;
  yyjson_val *element;
  cpb_span name;
  yyjson_arr_foreach(list, i, count, element) {
    if (!name_of(element, &name)) return false;
  }
  return true;
}

static void compare_named(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  c->differs = false;
  compare_elements(c, a, b, depth);
  if (!c->differs) report(c, a, b); /* the order differs; this sets it again */
}

static bool has_objects(yyjson_val *list) { return yyjson_is_obj(yyjson_arr_get_first(list)); }

/* Lists of numbers and texts are compared as a whole. */
static void compare_lists(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  bool named = (has_objects(a) || has_objects(b)) && are_named(a) && are_named(b);
  if (named) compare_named(c, a, b, depth);
  else report(c, a, b);
}

/* Members of an object report their own differences; lists may also differ in their order. */
static void compare(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  bool deep = depth < CPB_DIFF_DEPTH;
  if (deep && yyjson_is_obj(a) && yyjson_is_obj(b)) compare_elements(c, a, b, depth);
  else if (same(c, a, b, depth) || !ok(c)) return;
  else if (deep && yyjson_is_arr(a) && yyjson_is_arr(b)) compare_lists(c, a, b, depth);
  else report(c, a, b);
}

bool cpb_diff_members(const cpb_allocator *a, const cpb_diff_known *known, cpb_meter *meter, const cpb_span texts[2],
                      cpb_json_writer *out, bool *differs, cpb_error *error) {
  comparison c = {.allocator = *a, .known = known, .meter = meter, .out = out, .error = error};
  *differs = false;
  if (cpb_span_equal(texts[0], texts[1])) return true;
  cpb_buffer_init(&c.path, a);
  yyjson_doc *x = cpb_json_read(a, texts[0], 2 * CPB_DIFF_DEPTH, error);
  yyjson_doc *y = x ? cpb_json_read(a, texts[1], 2 * CPB_DIFF_DEPTH, error) : NULL;
  if (y) compare(&c, yyjson_doc_get_root(x), yyjson_doc_get_root(y), 0);
  yyjson_doc_free(x);
  yyjson_doc_free(y);
  cpb_buffer_free(&c.path);
  if (!cpb_json_writer_ok(out)) done_or_fail(&c, false);
  *differs = c.differs;
  return ok(&c);
}
