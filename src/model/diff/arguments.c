/* Pairs the arguments of a function with those of the same function in the other model, if they have other names:
 * TensorFlow numbers unnamed ones ("a_1244", "unknown_12") differently each time that it traces.
 *
 * An argument is identified by its place. The n-th of the one is the n-th of the other, if there are equally many, with
 * the same dtypes, and their names are the same without the number, or are the user's own. Names of arguments have no
 * meaning outside of the function, so no difference is lost, as long as everything that refers to them is normalized in
 * the same way. */
#include "model/diff/diff.h"

/* --- Pairing ------------------------------------------------------------------------------ */

static cpb_span text_of(yyjson_val *object, const char *key) {
  cpb_span text = {NULL, 0};
  cpb_json_text(cpb_json_member(object, key), &text);
  return text;
}

static bool same_member(yyjson_val *a, yyjson_val *b, const char *key) {
  cpb_span x = text_of(a, key), y = text_of(b, key);
  return x.data && y.data && cpb_span_equal(x, y);
}

/* All but the digits at the end, which follow a line. */
static cpb_span stem_of(cpb_span name) {
  size_t size = cpb_span_size_without_digits(name);
  bool numbered = size < name.size && size > 0 && name.data[size - 1] == '_';
  return (cpb_span){name.data, numbered ? size - 1 : name.size};
}

static bool are_alike(yyjson_val *a, yyjson_val *b) {
  cpb_span x = text_of(a, "name"), y = text_of(b, "name");
  if (!x.data || !y.data || !same_member(a, b, "dtype")) return false;
  return cpb_span_equal(stem_of(x), stem_of(y)) || same_member(a, b, "user_name");
}

/* Adds the equal ones; true: some have other names. */
static bool add_alike(cpb_diff *d, cpb_diff_pairs *to, yyjson_val *a, yyjson_val *b) {
  bool differ = false;
  size_t i, count;
  yyjson_val *x, *y = yyjson_arr_get_first(b);
  yyjson_arr_foreach(a, i, count, x) {
    if (are_alike(x, y)) {
      cpb_span names[2] = {text_of(x, "name"), text_of(y, "name")};
      differ = differ || !cpb_span_equal(names[0], names[1]);
      for (int side = 0; side < 2; side++)
        if (!cpb_diff_pairs_add(to, side, names[side])) return cpb_diff_fail_memory(d);
    }
    y = unsafe_yyjson_get_next(y);
  }
  return differ;
}

/* Kept only where names differ. */
static void pair_inputs(cpb_diff *d, cpb_diff_pair *functions, yyjson_val *a, yyjson_val *b) {
  cpb_diff_pairs pairs;
  if (yyjson_arr_size(a) != yyjson_arr_size(b)) return;
  cpb_diff_pairs_init(&pairs, &d->allocator);
  bool needed = add_alike(d, &pairs, a, b) && cpb_diff_ok(d);
  if (needed) functions->arguments = cpb_alloc(&d->allocator, sizeof pairs);
  if (needed && (!functions->arguments || !cpb_diff_pairs_make_in_order(&pairs))) cpb_diff_fail_memory(d);
  if (functions->arguments) *functions->arguments = pairs;
  else cpb_diff_pairs_free(&pairs);
}

static yyjson_doc *read_last(cpb_diff *d, int side) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  const cpb_diff_table *table = &d->items.plain[side];
  cpb_span text = cpb_diff_text(table, &table->items[table->count - 1]);
  if (!cpb_diff_charge(d, CPB_WORK_WALKED, text.size)) return NULL;
  yyjson_doc *doc = cpb_json_read(&d->allocator, text, CPB_DIFF_DEPTH * 2, &error);
  if (!doc) cpb_diff_fail(d, -1, &error);
  return doc;
}

void cpb_diff_arguments_pair(cpb_diff *d, cpb_diff_pair *functions) {
  if (!functions->names[0].data || !functions->names[1].data || functions->arguments || !cpb_diff_ok(d)) return;
  yyjson_doc *a = read_last(d, 0), *b = a ? read_last(d, 1) : NULL;
  yyjson_val *inputs[2] = {cpb_json_member(yyjson_doc_get_root(a), "inputs"),
                           cpb_json_member(yyjson_doc_get_root(b), "inputs")};
  if (b) pair_inputs(d, functions, inputs[0], inputs[1]);
  yyjson_doc_free(a);
  yyjson_doc_free(b);
}

/* --- Texts -------------------------------------------------------------------------------- */

/* Of "a_1244:0" the name. A reference to a node's output begins with the node's name in the same way, and no node of
 * a function has an argument's name. */
static cpb_span name_in(cpb_span text) { return cpb_span_take(&text, ':'); }

bool cpb_diff_are_arguments(const cpb_diff_pairs *arguments, cpb_span a, cpb_span b, bool *same) {
  cpb_span x = name_in(a), y = name_in(b);
  const cpb_diff_pair *first = cpb_diff_pairs_find(arguments, 0, x), *second = cpb_diff_pairs_find(arguments, 1, y);
  if (!first && !second) return false;
  *same = first && second && cpb_span_equal(first->names[1], y) && cpb_span_equal(second->names[0], x) &&
          cpb_span_equal((cpb_span){a.data + x.size, a.size - x.size}, (cpb_span){b.data + y.size, b.size - y.size});
  return true;
}
