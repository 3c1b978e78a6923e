#include "model/diff/members.h"

#include "base/status.h"

typedef struct comparison {
  const cpb_diff_pairs *pairs;
  cpb_json_writer *out;
  cpb_buffer path;
  bool differs, failed;
} comparison;

/* --- Equal ------------------------------------------------------------------------------- */

static bool same(const comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth);

static bool same_lists(const comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  yyjson_val *x, *y = yyjson_arr_get_first(b);
  size_t i, count;
  if (yyjson_arr_size(a) != yyjson_arr_size(b)) return false;
  yyjson_arr_foreach(a, i, count, x) {
    if (!same(c, x, y, depth + 1)) return false;
    y = unsafe_yyjson_get_next(y);
  }
  return true;
}

static bool same_objects(const comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  yyjson_val *name, *value;
  size_t i, count;
  if (yyjson_obj_size(a) != yyjson_obj_size(b)) return false;
  yyjson_obj_foreach(a, i, count, name, value) {
    if (!same(c, value, yyjson_obj_getn(b, yyjson_get_str(name), yyjson_get_len(name)), depth + 1)) return false;
  }
  return true;
}

static bool same(const comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  cpb_span x, y;
  if (!a || !b || depth > CPB_DIFF_DEPTH) return (!a || yyjson_is_null(a)) && (!b || yyjson_is_null(b));
  if (cpb_json_text(a, &x) && cpb_json_text(b, &y)) return cpb_diff_same_text(c->pairs, x, y);
  if (cpb_json_number(a, &x) && cpb_json_number(b, &y)) return cpb_span_equal(x, y);
  if (yyjson_is_arr(a) && yyjson_is_arr(b)) return same_lists(c, a, b, depth);
  if (yyjson_is_obj(a) && yyjson_is_obj(b)) return same_objects(c, a, b, depth);
  return yyjson_get_tag(a) == yyjson_get_tag(b) && (yyjson_is_null(a) || yyjson_is_bool(a));
}

/* --- The path ---------------------------------------------------------------------------- */

/* Goes a step down; returns the length to go back to. */
static size_t step_down(comparison *c, cpb_span name) {
  size_t before = c->path.size;
  bool done = (before == 0 || cpb_buffer_append(&c->path, ".", 1)) && cpb_buffer_append(&c->path, name.data, name.size);
  c->failed = c->failed || !done;
  return before;
}

static void report(comparison *c, yyjson_val *a, yyjson_val *b) {
  cpb_json_writer_open(c->out, NULL, '{');
  cpb_json_writer_span(c->out, "member", (cpb_span){c->path.data, c->path.size});
  cpb_diff_copy(c->out, "a", a);
  cpb_diff_copy(c->out, "b", b);
  cpb_json_writer_close(c->out, '}');
  c->differs = true;
}

/* --- Different --------------------------------------------------------------------------- */

static void compare(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth);

static void compare_at(comparison *c, cpb_span name, yyjson_val *a, yyjson_val *b, unsigned depth) {
  size_t before = step_down(c, name);
  compare(c, a, b, depth + 1);
  c->path.size = before;
}

static cpb_span key_of(yyjson_val *name) {
  return (cpb_span){(const uint8_t *)yyjson_get_str(name), yyjson_get_len(name)};
}

static void compare_objects(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  size_t i, count;
  yyjson_val *name, *value;
  yyjson_obj_foreach(a, i, count, name, value) {
    compare_at(c, key_of(name), value, yyjson_obj_getn(b, yyjson_get_str(name), yyjson_get_len(name)), depth);
  }
  yyjson_obj_foreach(b, i, count, name, value) {
    bool both = yyjson_obj_getn(a, yyjson_get_str(name), yyjson_get_len(name)) != NULL;
    if (!both) compare_at(c, key_of(name), NULL, value, depth);
  }
}

/* What an element of a list is known by; false when it has no name. */
static bool name_of(yyjson_val *element, cpb_span *name) {
  static const char *const keys[] = {"name", "argument", "key", "child", "function", NULL};
  for (size_t i = 0; keys[i]; i++) {
    if (cpb_json_text(cpb_json_member(element, keys[i]), name)) return true;
  }
  return false;
}

static yyjson_val *find_named(const comparison *c, yyjson_val *list, cpb_span name, bool of_b) {
  size_t i, count;
  yyjson_val *element;
  cpb_span other;
  yyjson_arr_foreach(list, i, count, element) {
    if (!name_of(element, &other)) continue;
    if (of_b ? cpb_diff_same_text(c->pairs, name, other) : cpb_diff_same_text(c->pairs, other, name)) return element;
  }
  return NULL;
}

#define MOST_NAMED 1000 /* elements: looking for each name takes its time */

static bool are_named(yyjson_val *list) {
  size_t i, count;
  yyjson_val *element;
  cpb_span name;
  if (yyjson_arr_size(list) > MOST_NAMED) return false;
  yyjson_arr_foreach(list, i, count, element) {
    if (!name_of(element, &name)) return false;
  }
  return true;
}

static void compare_named(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  size_t i, count;
  yyjson_val *element;
  cpb_span name;
  c->differs = false;
  yyjson_arr_foreach(a, i, count, element) {
    if (name_of(element, &name)) compare_at(c, name, element, find_named(c, b, name, true), depth);
  }
  yyjson_arr_foreach(b, i, count, element) {
    if (name_of(element, &name) && !find_named(c, a, name, false)) compare_at(c, name, NULL, element, depth);
  }
  if (!c->differs) report(c, a, b); /* another order, or a name twice; this sets it again */
}

static bool has_objects(yyjson_val *list) { return yyjson_is_obj(yyjson_arr_get_first(list)); }

/* Lists of numbers and texts are compared as a whole. */
static void compare_lists(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  bool named = (has_objects(a) || has_objects(b)) && are_named(a) && are_named(b);
  if (named) compare_named(c, a, b, depth);
  else report(c, a, b);
}

static void compare(comparison *c, yyjson_val *a, yyjson_val *b, unsigned depth) {
  if (same(c, a, b, depth)) return;
  bool deep = depth < CPB_DIFF_DEPTH;
  if (deep && yyjson_is_obj(a) && yyjson_is_obj(b)) compare_objects(c, a, b, depth);
  else if (deep && yyjson_is_arr(a) && yyjson_is_arr(b)) compare_lists(c, a, b, depth);
  else report(c, a, b);
}

bool cpb_diff_members(const cpb_allocator *a, const cpb_diff_pairs *pairs, const cpb_span texts[2],
                      cpb_json_writer *out, bool *differs, cpb_error *error) {
  comparison c = {.pairs = pairs, .out = out};
  *differs = false;
  if (cpb_span_equal(texts[0], texts[1])) return true;
  cpb_buffer_init(&c.path, a);
  yyjson_doc *x = cpb_json_read(a, texts[0], 2 * CPB_DIFF_DEPTH, error);
  yyjson_doc *y = x ? cpb_json_read(a, texts[1], 2 * CPB_DIFF_DEPTH, error) : NULL;
  if (y) compare(&c, yyjson_doc_get_root(x), yyjson_doc_get_root(y), 0);
  yyjson_doc_free(x);
  yyjson_doc_free(y);
  cpb_buffer_free(&c.path);
  if (c.failed || !cpb_json_writer_ok(out)) cpb_fail_memory(error);
  *differs = c.differs;
  return error->code == CPB_OK;
}
