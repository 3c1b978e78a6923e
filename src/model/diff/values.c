#include "model/diff/diff.h"

#include "base/checked.h"
#include "base/status.h"

#define PIECE ((size_t)64 << 10)

static cpb_step need(cpb_diff *d, int side, cpb_input *input) {
  d->side = side;
  d->input = input;
  if (d->values.stored[side]) d->shard = cpb_values_shard(d->values.values[side]);
  return CPB_STEP_NEED;
}

/* --- The stored bytes ---------------------------------------------------------------------- */

/* Constants are compared in two stages. Equal bytes are equal values, so most arrays are settled by comparing 64 KiB
 * at a time with no decoding. Only if the bytes differ, or are not in one range, both arrays are decoded: the same
 * values may be stored in other fields. */

/* The bytes available at the beginning of a range, up to `size`; none at the end of the message. */
static cpb_step find_bytes(cpb_diff *d, int side, cpb_span *bytes) {
  cpb_input *input = &d->values.inputs[side];
  cpb_range range = d->values.ranges[side];
  size_t size = (size_t)cpb_min_u64(range.length, PIECE);
  *bytes = (cpb_span){NULL, 0};
  switch (cpb_input_span(input, range.offset, size, range.length, bytes)) {
    case CPB_WAIT: return need(d, side, input);
    case CPB_FAILED: cpb_diff_fail(d, side, &input->failure); return CPB_STEP_ERROR;
    default: return CPB_STEP_DATA;
  }
}

/* CPB_STEP_DONE: all are equal unless d->values.counts says otherwise. */
static cpb_step compare_bytes(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  v->counts.same = v->ranges[0].length == v->ranges[1].length;
  while (v->counts.same && v->ranges[0].length > 0) {
    cpb_span bytes[2];
    for (int side = 0; side < 2; side++) {
      cpb_step step = find_bytes(d, side, &bytes[side]);
      if (step != CPB_STEP_DATA) return step;
    }
    size_t size = cpb_min_size(bytes[0].size, bytes[1].size);
    v->counts.same = size > 0 && memcmp(bytes[0].data, bytes[1].data, size) == 0;
    for (int side = 0; side < 2; side++)
      v->ranges[side] = (cpb_range){v->ranges[side].offset + size, v->ranges[side].length - size};
  }
  return CPB_STEP_DONE;
}

/* --- Element by element -------------------------------------------------------------------- */

/* Both sides are read in the same rhythm, and each gives as much as it has: a piece may end inside an element.
 * `element` assembles such an element for both sides at once, because both have always advanced by the same number
 * of bytes. Nothing larger than a piece is in memory, whatever the size of the arrays. */

/* An error in the values, and not in reading them. A checkpoint may lack some of its shards. */
static bool is_of_values(const cpb_diff_values *v, const cpb_error *error) {
  const cpb_code code = error->code;
  if (cpb_is_of_reading(error)) return v->stored[0] != NULL;
  return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED || code == CPB_E_UNSUPPORTED || code == CPB_E_LIMIT ||
         code == CPB_E_NOT_FOUND;
}

/* CPB_STEP_DATA: that side has more values, or has ended. */
static cpb_step find_values(cpb_diff *d, int side) {
  cpb_diff_values *v = &d->values;
  while (v->data[side].size == 0 && !v->ended[side]) {
    cpb_step step = cpb_values_step(v->values[side]);
    if (step == CPB_STEP_NEED) return need(d, side, cpb_values_input(v->values[side]));
    v->ended[side] = step != CPB_STEP_DATA;
    v->counts.bad[side] = step == CPB_STEP_ERROR;
    const cpb_error *error = cpb_values_error(v->values[side]);
    if (step == CPB_STEP_ERROR && !is_of_values(v, error)) {
      cpb_diff_fail(d, side, error);
      return CPB_STEP_ERROR;
    }
    if (step == CPB_STEP_DATA) v->data[side].data = cpb_values_data(v->values[side], &v->data[side].size);
  }
  return CPB_STEP_DATA;
}

/* Adds an element that differs. */
static void measure(cpb_diff_counts *n, const char *numpy, uint32_t item, const uint8_t *a, const uint8_t *b) {
  cpb_diff_largest *largest = &n->largest;
  cpb_diff_distance distance;
  n->different++;
  if (!cpb_diff_measure(numpy, a, b, &distance)) return;
  if (largest->numpy && !cpb_diff_is_farther(numpy, &distance, &largest->distance)) return;
  largest->numpy = numpy;
  largest->distance = distance;
  largest->at = n->elements;
  memcpy(largest->elements[0], a, item);
  memcpy(largest->elements[1], b, item);
}

static void count_element(cpb_diff_counts *n, const char *numpy, uint32_t item, const uint8_t *a, const uint8_t *b) {
  if (memcmp(a, b, item) != 0) measure(n, numpy, item, a, b);
  n->elements++;
}

/* Assembles an element that comes in pieces; returns the number of bytes taken. */
static size_t gather(cpb_diff_values *v, size_t size, uint32_t item, const char *numpy) {
  size_t more = cpb_min_size(size, item - v->at);
  for (int side = 0; side < 2; side++) memcpy(v->element[side] + v->at, v->data[side].data, more);
  v->at += (uint32_t)more;
  if (v->at == item) count_element(&v->counts, numpy, item, v->element[0], v->element[1]);
  v->at %= item;
  return more;
}

/* Counts the next `size` bytes of elements. */
static void count(cpb_diff_values *v, size_t size) {
  const cpb_values_info *info = cpb_values_get_info(v->values[0]);
  bool sized = info->item_size > 0 && info->item_size <= CPB_DIFF_ELEMENT;
  uint32_t item = sized ? info->item_size : 1;
  const char *numpy = sized ? info->numpy : NULL;
  v->counts.bytes = !sized;
  bool same = v->at == 0 && size % item == 0 && memcmp(v->data[0].data, v->data[1].data, size) == 0;
  if (same) v->counts.elements += size / item;
  for (size_t at = same ? size : 0, more; at < size; at += more) {
    if (v->at > 0 || size - at < item) {
      more = gather(v, size - at, item, numpy);
    } else {
      more = item;
      count_element(&v->counts, numpy, item, v->data[0].data, v->data[1].data);
    }
    for (int side = 0; side < 2; side++) v->data[side] = cpb_span_from(v->data[side], more);
  }
  if (!same) return;
  for (int side = 0; side < 2; side++) v->data[side] = cpb_span_from(v->data[side], size);
}

static bool open_values(cpb_diff *d);

/* For equal values in the same place of a file: checks that they exist by their first bytes and the last one. If they
 * do not, reads all, up to where they end. */
static cpb_step begin_to_read(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  cpb_span last = {NULL, 0};
  cpb_step step = find_values(d, 0);
  if (step != CPB_STEP_DATA) return step;
  v->counts.bad[1] = v->counts.bad[0];
  if (v->ended[0] || v->reach == 0) return CPB_STEP_DONE;
  cpb_input *input = cpb_values_input(v->values[0]);
  cpb_have have = cpb_input_span(input, v->reach - 1, 1, 1, &last);
  if (have == CPB_WAIT) return need(d, 0, input);
  v->reads_all = have != CPB_HAVE;
  return have == CPB_HAVE || open_values(d) ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

static cpb_step compare_values(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  cpb_diff_counts *n = &v->counts;
  if (d->options.same_file && !v->reads_all) {
    cpb_step step = begin_to_read(d);
    if (!v->reads_all) return step;
  }
  for (;;) {
    for (int side = 0; side < 2; side++) {
      cpb_step step = find_values(d, side);
      if (step != CPB_STEP_DATA) return step;
    }
    size_t size = cpb_min_size(v->data[0].size, v->data[1].size);
    n->same = n->different == 0 && n->bad[0] == n->bad[1] && v->data[0].size == v->data[1].size;
    if (size == 0) return CPB_STEP_DONE;
    count(v, size);
  }
}

/* --- What is compared ------------------------------------------------------------------------ */

static void close_values(cpb_diff_values *v) {
  for (int side = 0; side < 2; side++) {
    cpb_values_free(v->values[side]);
    v->values[side] = NULL;
    v->data[side] = (cpb_span){NULL, 0};
    v->ended[side] = false;
  }
  v->at = 0;
  v->counts = (cpb_diff_counts){.same = true};
}

/* The item of d->join, which the caller frees; NULL with the error set. */
static yyjson_doc *read_item(cpb_diff *d, int side) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  yyjson_doc *item =
      cpb_json_read(&d->allocator, cpb_diff_items_whole(&d->items, &d->join, side), CPB_DIFF_DEPTH * 2, &error);
  if (!item) cpb_diff_fail(d, -1, &error);
  return item;
}

/* The name that finds the values of an item. */
static cpb_span name_of(const cpb_diff_values *v, int side) {
  const cpb_stored *stored = v->stored[side];
  return stored ? (cpb_span){(const uint8_t *)stored->key, stored->key_size} : v->name;
}

static bool open_side(cpb_diff *d, int side, cpb_span name, cpb_span scope) {
  cpb_diff_values *v = &d->values;
  const cpb_values_options how = {.struct_size = sizeof how,
                                  .exact_texts = v->list == &cpb_diff_constants || v->stored[side],
                                  .tensor_offset = v->tensors[side].offset,
                                  .tensor_size = v->tensors[side].length,
                                  .scope = (const char *)scope.data,
                                  .scope_size = scope.size,
                                  .state = v->state,
                                  .checkpoint = v->stored[side] ? d->options.checkpoints[side] : NULL};
  v->values[side] = cpb_values_new(&d->allocator, d->kinds[side], (const char *)name.data, name.size, &how);
  return v->values[side] || cpb_diff_fail_memory(d);
}

/* For a constant without a single range that has everything. */
static bool open_named(cpb_diff *d, int side) {
  cpb_span node = {NULL, 0}, function = {NULL, 0};
  yyjson_doc *item = read_item(d, side);
  if (!item) return false;
  cpb_json_text(cpb_json_member(yyjson_doc_get_root(item), "node"), &node);
  cpb_json_text(cpb_json_member(yyjson_doc_get_root(item), "function"), &function);
  bool opened = open_side(d, side, node, function);
  yyjson_doc_free(item);
  return opened;
}

/* Opens the values of a constant, a variable, a parameter, or a state of a parameter. */
static bool open_values(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  close_values(v);
  for (int side = 0; side < 2; side++) {
    const bool is_named = v->list == &cpb_diff_constants && v->tensors[side].length == 0;
    if (!(is_named ? open_named(d, side) : open_side(d, side, name_of(v, side), d->tag))) return false;
  }
  v->doing = CPB_DIFF_ELEMENTS;
  return true;
}

static bool range_of(yyjson_val *item, const char *key, cpb_range *range) {
  yyjson_val *found = cpb_json_member(item, key);
  return cpb_json_unsigned(cpb_json_member(found, "offset"), &range->offset) &&
         cpb_json_unsigned(cpb_json_member(found, "size"), &range->length);
}

static bool ranges_of(yyjson_val *const items[2], const char *key, cpb_range ranges[2]) {
  cpb_range found[2];
  if (!range_of(items[0], key, &found[0]) || !range_of(items[1], key, &found[1])) return false;
  memcpy(ranges, found, sizeof found);
  return true;
}

static yyjson_val *external(yyjson_val *item) { return cpb_json_member(item, "external"); }

static bool are_elsewhere(yyjson_val *a, yyjson_val *b) {
  cpb_span x, y;
  if (!a || !b) return a || b;
  bool files = cpb_json_text(cpb_json_member(a, "location"), &x) && cpb_json_text(cpb_json_member(b, "location"), &y);
  return !files || !cpb_span_equal(x, y) || cpb_diff_number(a, "offset") != cpb_diff_number(b, "offset");
}

static void begin_bytes(cpb_diff_values *v, const cpb_range ranges[2]) {
  v->doing = CPB_DIFF_BYTES;
  memcpy(v->ranges, ranges, sizeof v->ranges);
  for (int side = 0; side < 2; side++) cpb_input_init(&v->inputs[side]);
}

/* A sparse tensor consists of two tensors. */
static void begin_sparse(cpb_diff *d, yyjson_val *const items[2]) {
  cpb_diff_values *v = &d->values;
  yyjson_val *inner[2], *indices[2];
  for (int side = 0; side < 2; side++) {
    inner[side] = cpb_json_member(items[side], "values_tensor");
    indices[side] = cpb_json_member(items[side], "indices_tensor");
  }
  ranges_of(indices, "tensor", v->also);
  if (ranges_of(inner, "tensor", v->tensors)) open_values(d);
}

/* Equal bytes are equal values. If values are in other files, the message has none; if both are in the same file, none
 * need be read. */
static void begin_constant(cpb_diff *d, yyjson_val *const items[2]) {
  cpb_diff_values *v = &d->values;
  cpb_range weights[2];
  yyjson_val *const files[2] = {external(items[0]), external(items[1])};
  const bool is_sparse = yyjson_is_true(cpb_json_member(items[0], "sparse"));
  v->elsewhere = are_elsewhere(files[0], files[1]);
  if (!cpb_add_u64(cpb_diff_number(files[0], "offset"), cpb_diff_number(items[0], "bytes"), &v->reach))
    v->reach = UINT64_MAX;
  v->scaled = cpb_json_member(items[0], "quantization") != NULL;
  if (d->options.same_file && !files[0] && !is_sparse) return;
  if (is_sparse) begin_sparse(d, items);
  else if (ranges_of(items, "tensor", v->tensors) && !files[0] && !files[1]) begin_bytes(v, v->tensors);
  else if (v->tensors[0].length == 0 && ranges_of(items, "weights", weights)) begin_bytes(v, weights);
  else if (files[0] || files[1] || cpb_json_member(items[0], "field")) open_values(d); /* else nothing is stored */
}

/* Compares as many of the updater's states as both models have. */
static void begin_states(cpb_diff *d, yyjson_val *const items[2]) {
  cpb_diff_values *v = &d->values;
  size_t a = yyjson_arr_size(cpb_json_member(items[0], "states"));
  size_t b = yyjson_arr_size(cpb_json_member(items[1], "states"));
  v->num_states = (uint32_t)cpb_min_size(a, b);
  v->state = 1;
  if (v->num_states > 0) open_values(d);
}

void cpb_diff_values_begin(cpb_diff *d, const cpb_diff_list *list) {
  yyjson_doc *docs[2] = {NULL, NULL};
  d->values = (cpb_diff_values){.list = list, .name = cpb_diff_key(&d->items.plain[0], d->join.items[0])};
  d->values.counts.same = d->values.sum.same = true;
  for (int side = 0; side < 2 && cpb_diff_ok(d); side++) docs[side] = read_item(d, side);
  yyjson_val *const roots[2] = {yyjson_doc_get_root(docs[0]), yyjson_doc_get_root(docs[1])};
  if (cpb_diff_ok(d) && list == &cpb_diff_constants) begin_constant(d, roots);
  else if (cpb_diff_ok(d) && list == &cpb_diff_states) begin_states(d, roots);
  else if (cpb_diff_ok(d)) open_values(d);
  yyjson_doc_free(docs[0]);
  yyjson_doc_free(docs[1]);
}

bool cpb_diff_has_checksums(const cpb_diff *d) {
  for (int side = 0; side < 2; side++) {
    const cpb_checkpoint *checkpoint = d->options.checkpoints[side];
    if (checkpoint && cpb_checkpoint_version(checkpoint) == 1) return false;
  }
  return true;
}

/* The entry of a variable or of a single slice; with several slices, each has its own checksum. */
static const cpb_stored *find_stored(cpb_diff *d, int side) {
  const cpb_stored *stored = NULL;
  cpb_span key;
  yyjson_doc *doc = read_item(d, side);
  if (doc && cpb_json_text(cpb_json_member(yyjson_doc_get_root(doc), "key"), &key))
    stored = cpb_checkpoint_find(d->options.checkpoints[side], (const char *)key.data, key.size);
  yyjson_doc_free(doc);
  return stored && (stored->slices == 0 || !cpb_diff_has_checksums(d)) ? stored : NULL;
}

static bool is_comparable(const cpb_diff *d, const cpb_stored *a, const cpb_stored *b) {
  const bool tells = a && b && cpb_diff_has_checksums(d) && a->crc32c == b->crc32c;
  return a && b && !tells && a->dtype == b->dtype && a->rank == b->rank &&
         (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

bool cpb_diff_values_begin_stored(cpb_diff *d) {
  const cpb_stored *stored[2] = {NULL, NULL};
  for (int side = 0; side < 2; side++) {
    if (!d->options.checkpoints[side] || !d->join.items[side]) return false;
    stored[side] = find_stored(d, side);
  }
  if (!is_comparable(d, stored[0], stored[1])) return false;
  d->values = (cpb_diff_values){.list = &cpb_diff_variables,
                                .name = cpb_diff_key(&d->items.plain[0], d->join.items[0]),
                                .stored = {stored[0], stored[1]}};
  d->values.counts.same = d->values.sum.same = true;
  return open_values(d);
}

/* --- Results ---------------------------------------------------------------------------------- */

/* Turns the number of an element into its index in the array. */
static void find_index(cpb_diff_largest *largest, const cpb_values_info *info) {
  uint64_t at = largest->at;
  largest->rank = info->rank;
  for (uint32_t i = 0; i < info->rank && info->rank <= CPB_DIFF_RANK; i++) {
    uint32_t axis = info->fortran_order ? i : info->rank - 1 - i;
    if (info->shape[axis] == 0) return;
    largest->index[axis] = at % info->shape[axis];
    at /= info->shape[axis];
  }
}

static void keep_largest(cpb_diff_values *v) {
  cpb_diff_largest *one = &v->counts.largest, *all = &v->sum.largest;
  if (!one->numpy || (all->numpy && (strcmp(one->numpy, all->numpy) != 0 ||
                                     !cpb_diff_is_farther(one->numpy, &one->distance, &all->distance))))
    return;
  find_index(one, cpb_values_get_info(v->values[0]));
  one->state = v->state;
  *all = *one;
}

static void write_largest(cpb_json_writer *out, const cpb_diff_largest *largest) {
  cpb_json_writer_open(out, "largest", '{');
  cpb_diff_write_distance(out, "difference", largest->numpy, &largest->distance);
  if (largest->state > 0) cpb_json_writer_unsigned(out, "state", largest->state);
  if (largest->rank <= CPB_DIFF_RANK) {
    cpb_json_writer_open(out, "index", '[');
    for (uint32_t i = 0; i < largest->rank; i++) cpb_json_writer_unsigned(out, NULL, largest->index[i]);
    cpb_json_writer_close(out, ']');
  }
  cpb_diff_write_element(out, "a", largest->numpy, largest->elements[0]);
  cpb_diff_write_element(out, "b", largest->numpy, largest->elements[1]);
  cpb_json_writer_close(out, '}');
}

void cpb_diff_values_write(cpb_diff *d) {
  const cpb_diff_counts *n = &d->values.sum;
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "member", "values");
  cpb_json_writer_unsigned(&d->out, "different", n->different);
  cpb_json_writer_unsigned(&d->out, "of", n->elements);
  if (n->bytes) cpb_json_writer_bool(&d->out, "bytes", true);
  if (n->largest.numpy) write_largest(&d->out, &n->largest);
  if (n->bad[0] || n->bad[1])
    cpb_json_writer_text(&d->out, "unreadable", n->bad[0] && n->bad[1] ? "both" : n->bad[0] ? "a" : "b");
  cpb_json_writer_close(&d->out, '}');
}

/* --- Steps ------------------------------------------------------------------------------------ */

static const cpb_error *error_of(const cpb_diff *d, int side) {
  return cpb_values_error(d->values.values[d->options.same_file ? 0 : side]);
}

static bool is_damaged(const cpb_diff *d, int side) {
  if (!d->values.counts.bad[side]) return false;
  const cpb_code code = error_of(d, side)->code;
  return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED;
}

static void note_unread(cpb_diff *d, int side) {
  const cpb_diff_values *v = &d->values;
  const cpb_error *error = error_of(d, side);
  cpb_diff_damage *damage = &d->damage[side];
  char name[64];
  if (damage->met) return;
  damage->met = true;
  damage->offset = error->offset;
  cpb_quote(name, sizeof name, (const char *)v->name.data, v->name.size);
  cpb_format(damage->text, sizeof damage->text, "the values of \"%s\" cannot be read: %s", name, error->message);
}

/* Whether an array stays unknown: one is damaged, or neither can be read, and no difference was found before. But
 * variables have checksums, and a parameter may have no values. */
static bool is_unread(const cpb_diff *d) {
  const cpb_diff_values *v = &d->values;
  const cpb_diff_counts *n = &v->counts;
  if (n->different > 0 || v->stored[0]) return false;
  if (n->bad[0] != n->bad[1]) return is_damaged(d, n->bad[1]);
  if (!n->bad[0] || v->bytes_differ) return false;
  return v->list == &cpb_diff_constants || error_of(d, 0)->code != CPB_E_NOT_FOUND;
}

/* Finishes one array. If a constant's values cannot be read, at least its bytes differ. */
static void finish_array(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  const cpb_diff_counts *n = &v->counts;
  v->sum.elements += n->elements;
  v->sum.different += n->different;
  v->sum.bytes = v->sum.bytes || n->bytes;
  keep_largest(v);
  v->sum.same = v->sum.same && n->same && !(n->bad[0] && v->list == &cpb_diff_constants);
  if (v->scaled && v->bytes_differ && v->sum.same) {
    v->sum.different = v->sum.elements; /* the stored numbers are equal, but their scales or table differ */
    v->sum.same = false;
  }
  for (int side = 0; side < 2; side++) v->sum.bad[side] = v->sum.bad[side] || n->bad[side];
  v->unread = v->unread || is_unread(d);
  for (int side = 0; side < 2; side++)
    if (is_damaged(d, side) || (n->bad[side] && is_unread(d))) note_unread(d, side);
  v->doing = CPB_DIFF_NOTHING;
  if (v->also[0].length > 0) {
    memcpy(v->tensors, v->also, sizeof v->tensors);
    v->also[0].length = 0;
    open_values(d);
  }
  if (v->state < v->num_states) {
    v->state++;
    open_values(d);
  }
}

cpb_step cpb_diff_values_step(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  while (cpb_diff_ok(d) && v->doing != CPB_DIFF_NOTHING) {
    bool bytes = v->doing == CPB_DIFF_BYTES;
    cpb_step step = bytes ? compare_bytes(d) : compare_values(d);
    if (step != CPB_STEP_DONE) return step;
    if (bytes && !v->counts.same) {
      v->bytes_differ = true;
      open_values(d);
      continue;
    }
    finish_array(d);
  }
  return cpb_diff_ok(d) ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

bool cpb_diff_values_unread(const cpb_diff *d) { return d->values.unread && d->values.sum.different == 0; }

void cpb_diff_values_end(cpb_diff *d) { close_values(&d->values); }
