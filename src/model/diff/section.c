#include "model/diff/diff.h"

#include "base/json_read.h"

/* --- What is left of an item of a damaged model ------------------------------------------------ */

/* A damaged model shows less than the whole one, which does not make the two differ. An item counts as unread,
 * neither the same nor different, if it could be the rest of the other model's item. The rule is on the safe side: a
 * member or a number that the whole lacks is a difference, whatever was lost besides. */

#define DEPTH 64

/* Numbers are raw: in the form in which they are written. */
static bool is_empty(yyjson_val *value) {
  if (yyjson_is_raw(value)) return yyjson_get_len(value) == 1 && yyjson_get_raw(value)[0] == '0';
  return !value || yyjson_is_null(value) || yyjson_is_false(value) ||
         ((yyjson_is_str(value) || yyjson_is_ctn(value)) && yyjson_get_len(value) == 0);
}

/* The name of 0 in an enumeration: of kinds of objects, of whether to compile, of dtypes. */
static bool is_zero(yyjson_val *value) {
  return yyjson_equals_str(value, "none") || yyjson_equals_str(value, "default") || yyjson_equals_str(value, "invalid");
}

/* Whether `part` may be a remainder of `whole` in a damaged model: members and elements are missing, numbers are zero
 * and texts are empty, and nothing else differs. */
static bool is_part(yyjson_val *part, yyjson_val *whole, int depth);

/* A type whose name is lost is identified by its number. */
static bool is_class_of_lost_name(yyjson_val *part, yyjson_val *name) {
  yyjson_val *type_spec = cpb_json_member(part, "type_spec");
  return yyjson_equals_str(name, "class") && yyjson_is_str(type_spec) && yyjson_get_len(type_spec) == 0;
}

/* Only a member without a name may be new, because its name is lost, or the member that replaces a lost name. */
static bool are_members(yyjson_val *part, yyjson_val *whole, int depth) {
  size_t i, count;
  yyjson_val *name, *value;
  yyjson_obj_foreach(part, i, count, name, value) {
    size_t size = yyjson_get_len(name);
    if (size == 0 || is_class_of_lost_name(part, name)) continue;
    if (!is_part(value, yyjson_obj_getn(whole, yyjson_get_str(name), size), depth)) return false;
  }
  return true;
}

/* The element of a list that has the same name, or without names the element at the same index. */
static yyjson_val *same_element(yyjson_val *element, size_t i, yyjson_val *whole) {
  size_t k, count;
  yyjson_val *other, *name = cpb_json_member(element, "name");
  if (!yyjson_is_str(name)) return yyjson_arr_get(whole, i);
  yyjson_arr_foreach(whole, k, count, other) {
    if (yyjson_equals_strn(cpb_json_member(other, "name"), yyjson_get_str(name), yyjson_get_len(name))) return other;
  }
  return NULL;
}

static bool are_elements(yyjson_val *part, yyjson_val *whole, int depth) {
  size_t i, count;
  yyjson_val *element;
  yyjson_arr_foreach(part, i, count, element) {
    yyjson_val *name = cpb_json_member(element, "name");
    bool is_lost = yyjson_is_str(name) && yyjson_get_len(name) == 0;
    if (!is_lost && !is_part(element, same_element(element, i, whole), depth)) return false;
  }
  return true;
}

static bool is_part(yyjson_val *part, yyjson_val *whole, int depth) {
  if (is_empty(part)) return true;
  if (depth == DEPTH) return false;
  if (yyjson_is_obj(part) && yyjson_is_obj(whole)) return are_members(part, whole, depth + 1);
  if (yyjson_is_arr(part) && yyjson_is_arr(whole)) return are_elements(part, whole, depth + 1);
  if (is_zero(part)) return true;
  if (yyjson_is_str(part)) return yyjson_equals_strn(whole, yyjson_get_str(part), yyjson_get_len(part));
  if (yyjson_is_raw(part))
    return yyjson_is_raw(whole) && yyjson_get_len(part) == yyjson_get_len(whole) &&
           memcmp(yyjson_get_raw(part), yyjson_get_raw(whole), yyjson_get_len(part)) == 0;
  return yyjson_is_true(part) && yyjson_is_true(whole);
}

/* Sums, and other members that follow from other items. */
static bool is_derived(const char *name) {
  static const char *const names[] = {"meta_graphs", "overview",  "collections", "ops",     "tag",
                                      "tags",        "functions", "layers",      "problems"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* A node without a name is named by its number. */
static bool is_name_lost(cpb_span name) { return name.size == 0 || name.data[0] == '#'; }

/* Items that a damaged model lacks, statements about the model as a whole, and items whose name is lost are not
 * differences. */
static bool is_unread(const cpb_diff *d, const cpb_diff_join *join) {
  if (d->section.derived) return d->lacks[0] || d->lacks[1];
  for (int side = 0; side < 2; side++) {
    const cpb_diff_item *item = join->items[side];
    if (d->lacks[side] && (!item || is_name_lost(cpb_diff_key(&d->items.plain[side], item)))) return true;
  }
  return false;
}

/* An item that is partly lost is not a difference either. */
static bool is_left(cpb_diff *d, const cpb_span texts[2]) {
  yyjson_doc *docs[2] = {NULL, NULL};
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  for (int side = 0; side < 2; side++) {
    docs[side] = cpb_json_read(&d->allocator, texts[side], CPB_DIFF_DEPTH * 2, &error);
    if (!docs[side]) cpb_diff_fail(d, -1, &error);
  }
  yyjson_val *a = yyjson_doc_get_root(docs[0]), *b = yyjson_doc_get_root(docs[1]);
  bool left = (d->lacks[0] && is_part(a, b, 0)) || (d->lacks[1] && is_part(b, a, 0));
  for (int side = 0; side < 2; side++) yyjson_doc_free(docs[side]);
  return left;
}

/* A section is written before it is known whether anything differs, and cut off again if nothing does. `begin` and
 * `comma` are the state of the output at its beginning. The numbers of a section that is cut off are kept in
 * `left_out`. */
void cpb_diff_section_begin(cpb_diff *d, const char *name, cpb_span function) {
  d->section = (cpb_diff_section){.begin = d->out.out.size,
                                  .comma = d->out.comma,
                                  .function = function,
                                  .of_functions = strcmp(name, "functions") == 0,
                                  .of_layers = strcmp(name, "layers") == 0,
                                  .derived = is_derived(name)};
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "section", name);
  if (d->kinds[0] == CPB_MODEL_SAVED_MODEL) cpb_json_writer_unsigned(&d->out, "meta_graph", d->meta_graph);
  if (d->tag.data) cpb_json_writer_span(&d->out, "tag", d->tag);
  if (function.data) cpb_json_writer_span(&d->out, "function", function);
  cpb_json_writer_open(&d->out, "differences", '[');
}

void cpb_diff_section_end(cpb_diff *d, bool even_if_same) {
  const cpb_diff_section *s = &d->section;
  bool differs = s->added + s->removed + s->changed > 0;
  d->different = d->different || differs;
  cpb_json_writer_close(&d->out, ']');
  cpb_json_writer_unsigned(&d->out, "added", s->added);
  cpb_json_writer_unsigned(&d->out, "removed", s->removed);
  cpb_json_writer_unsigned(&d->out, "changed", s->changed);
  cpb_json_writer_unsigned(&d->out, "same", s->same);
  if (s->unread > 0) cpb_json_writer_unsigned(&d->out, "unread", s->unread);
  if (s->elsewhere > 0) cpb_json_writer_unsigned(&d->out, "elsewhere", s->elsewhere);
  cpb_json_writer_close(&d->out, '}');
  d->lacks[0] = d->lacks[1] = false;
  if (!cpb_json_writer_ok(&d->out)) cpb_diff_fail_memory(d);
  if (differs || s->unread > 0 || (even_if_same && s->same > 0)) return;
  d->out.out.size = s->begin;
  d->out.comma = s->comma;
  d->left_out.sections += s->same > 0;
  d->left_out.same += s->same;
}

/* --- Differences ------------------------------------------------------------------------- */

bool cpb_diff_has_room(const cpb_diff *d) {
  const cpb_diff_section *s = &d->section;
  return s->added + s->removed + s->changed < d->options.max_differences;
}

static void open_difference(cpb_diff *d, const char *change, cpb_span name) {
  if (d->place != CPB_DIFF_NO_PLACE) name = cpb_diff_places_path(&d->places, d->place, name);
  if (!name.data && d->place != CPB_DIFF_NO_PLACE) cpb_diff_fail_memory(d);
  cpb_diff_charge(d, CPB_WORK_ANSWER, name.size);
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "change", change);
  cpb_json_writer_span(&d->out, "name", name);
}

bool cpb_diff_difference_begin(cpb_diff *d, const char *change, cpb_span name, uint64_t *counter) {
  bool room = cpb_diff_has_room(d);
  ++*counter;
  if (room) open_difference(d, change, name);
  return room;
}

void cpb_diff_difference_end(cpb_diff *d) { cpb_json_writer_close(&d->out, '}'); }

/* Whether it belongs to a function that the other model lacks. */
static bool is_of_lonely_function(cpb_diff *d, cpb_span text, int side) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_span function;
  yyjson_doc *doc = cpb_json_read(&d->allocator, text, CPB_DIFF_DEPTH * 2, &error);
  if (!doc) cpb_diff_fail(d, -1, &error);
  const cpb_diff_pair *pair = NULL;
  if (doc && cpb_json_text(cpb_json_member(yyjson_doc_get_root(doc), "function"), &function))
    pair = cpb_diff_pairs_find(&d->pairs, side, function);
  yyjson_doc_free(doc);
  return pair && !pair->names[!side].data;
}

/* The name of an item in the result. A node without one, which is matched by its output, has its number there. */
static cpb_span name_of(const cpb_diff *d, const cpb_diff_item *item, int side) {
  const cpb_diff_table *plain = &d->items.plain[side], *whole = &d->items.whole[side];
  const cpb_span key = cpb_diff_key(plain, item), before = cpb_span_of("{\"name\":\"");
  cpb_span text = cpb_diff_text(whole, &whole->items[item - plain->items]);
  if (key.size == 0 || !is_name_lost(key) || !cpb_span_begins(text, before)) return key;
  text = cpb_span_from(text, before.size);
  return cpb_span_take(&text, '"');
}

/* Reports an item that only one model has. */
static void lonely(cpb_diff *d, const cpb_diff_table *table, const cpb_diff_item *item, int side) {
  uint64_t *counter = side == 0 ? &d->section.removed : &d->section.added;
  if (!cpb_diff_difference_begin(d, side == 0 ? "removed" : "added", name_of(d, item, side), counter)) return;
  cpb_diff_charge(d, CPB_WORK_ANSWER, item->text_size);
  cpb_json_writer_raw(&d->out, side == 0 ? "a" : "b", cpb_diff_text(table, item));
  if (is_of_lonely_function(d, cpb_diff_text(table, item), side)) cpb_json_writer_bool(&d->out, "with_function", true);
  cpb_diff_difference_end(d);
}

static cpb_diff_known known_of(const cpb_diff *d, cpb_span item) {
  cpb_span function = d->section.of_functions ? item : d->section.function;
  const cpb_diff_pair *pair = function.data ? cpb_diff_pairs_find(&d->pairs, 0, function) : NULL;
  return (cpb_diff_known){.functions = &d->pairs,
                          .arguments = pair ? pair->arguments : NULL,
                          .layers = d->section.of_layers ? &d->layers : NULL};
}

/* The texts differ, but perhaps mean the same. In that case, what was written is removed. */
static void changed(cpb_diff *d, cpb_span name, const cpb_span texts[2]) {
  bool differs = false, room = cpb_diff_has_room(d);
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  size_t begin = d->out.out.size;
  bool comma = d->out.comma;
  open_difference(d, "changed", room ? name : (cpb_span){NULL, 0});
  cpb_json_writer_open(&d->out, "members", '[');
  const cpb_diff_known known = known_of(d, name);
  if (!cpb_diff_members(&d->allocator, &known, &d->meter, texts, &d->out, &differs, &error))
    cpb_diff_fail(d, -1, &error);
  if (differs && d->comparing) cpb_diff_values_write(d);
  cpb_json_writer_close(&d->out, ']');
  cpb_diff_difference_end(d);
  if (!differs || !room) {
    d->out.out.size = begin;
    d->out.comma = comma;
  }
  *(differs ? &d->section.changed : &d->section.same) += 1;
}

/* An attribute that was not read, as too long, only has the same size. That is enough for texts. */
static bool has_unread_value(cpb_span text) {
  return cpb_span_contains(text, cpb_span_of("\"kind\":\"message\",\"value\":{\"omitted\":{")) ||
         cpb_span_contains(text, cpb_span_of("\"kind\":\"list\",\"value\":{\"omitted\":{")) ||
         cpb_span_contains(text, cpb_span_of("\"kind\":\"bytes\",\"value\":{\"omitted\":{"));
}

static void take_same(cpb_diff *d, cpb_span text) {
  const bool is_unread_value = !d->options.same_file && has_unread_value(text);
  d->has_unread = d->has_unread || is_unread_value;
  *(is_unread_value ? &d->section.unread : &d->section.same) += 1;
}

/* A checkpoint may have shapes that a model leaves open. If only one model has one, the other cannot say how many
 * parameters it has. */
static bool is_uncounted(const cpb_diff *d, const cpb_diff_join *join, const cpb_span texts[2]) {
  const cpb_span partial = cpb_span_of("\"partial\":true");
  return d->has_one_checkpoint && cpb_span_is(cpb_diff_key(&d->items.plain[0], join->items[0]), "parameters") &&
         (cpb_span_contains(texts[0], partial) || cpb_span_contains(texts[1], partial));
}

void cpb_diff_compare_item(cpb_diff *d, const cpb_diff_join *join) {
  cpb_span texts[2];
  bool unread = is_unread(d, join);
  for (int side = 0; side < 2; side++) {
    if (!join->items[!side] && unread) {
      d->section.unread++;
      return;
    }
    if (!join->items[!side]) {
      lonely(d, &d->items.plain[side], join->items[side], side);
      return;
    }
    texts[side] = join->items[side] ? cpb_diff_text(&d->items.plain[side], join->items[side]) : (cpb_span){NULL, 0};
  }
  if (d->section.derived && is_uncounted(d, join, texts)) return;
  if (cpb_span_equal(texts[0], texts[1])) take_same(d, texts[0]);
  else if (unread || ((d->lacks[0] || d->lacks[1]) && is_left(d, texts))) d->section.unread++;
  else changed(d, name_of(d, join->items[0], 0), texts);
}

void cpb_diff_compare_items(cpb_diff *d, const char *name, cpb_span function) {
  cpb_diff_section_begin(d, name, function);
  if (!cpb_diff_items_sort(&d->items)) cpb_diff_fail_memory(d);
  cpb_diff_join join = cpb_diff_items_join(&d->items);
  while (cpb_diff_ok(d) && cpb_diff_join_next(&join)) cpb_diff_compare_item(d, &join);
  cpb_diff_section_end(d, !function.data);
  cpb_diff_items_free(&d->items);
}
