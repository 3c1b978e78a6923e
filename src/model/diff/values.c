#include "model/diff/values.h"

#include "base/checked.h"
#include "model/diff/error.h"
#include "model/diff/read.h"

#define PIECE ((size_t)64 << 10)

static cpb_step need(cpb_diff *d, int side, cpb_input *input) {
  d->side = side;
  d->input = input;
  return CPB_STEP_NEED;
}

/* --- The stored bytes ---------------------------------------------------------------------- */

/* What there is from the beginning of a range, up to `size`; none at the end of the message. */
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

/* CPB_STEP_DONE: all are the same unless d->values.counts says otherwise. */
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

/* What is wrong with the values, not with reading them. */
static bool is_of_values(cpb_code code) {
  return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED || code == CPB_E_UNSUPPORTED || code == CPB_E_LIMIT ||
         code == CPB_E_NOT_FOUND;
}

/* CPB_STEP_DATA: there are more values of that side, or it has ended. */
static cpb_step find_values(cpb_diff *d, int side) {
  cpb_diff_values *v = &d->values;
  while (v->data[side].size == 0 && !v->ended[side]) {
    cpb_step step = cpb_values_step(v->values[side]);
    if (step == CPB_STEP_NEED) return need(d, side, cpb_values_input(v->values[side]));
    v->ended[side] = step != CPB_STEP_DATA;
    v->counts.bad[side] = step == CPB_STEP_ERROR;
    const cpb_error *error = cpb_values_error(v->values[side]);
    if (step == CPB_STEP_ERROR && !is_of_values(error->code)) {
      cpb_diff_fail(d, side, error);
      return CPB_STEP_ERROR;
    }
    if (step == CPB_STEP_DATA) v->data[side].data = cpb_values_data(v->values[side], &v->data[side].size);
  }
  return CPB_STEP_DATA;
}

/* Goes on with `size` bytes of elements of `item` bytes. */
static void count(cpb_diff_values *v, size_t size, uint32_t item) {
  const uint8_t *a = v->data[0].data, *b = v->data[1].data;
  if (v->at == 0 && size % item == 0 && memcmp(a, b, size) == 0) {
    v->counts.elements += size / item;
    return;
  }
  for (size_t i = 0; i < size; i++) {
    v->differs = v->differs || a[i] != b[i];
    if (++v->at < item) continue;
    v->counts.elements++;
    v->counts.different += v->differs;
    v->at = 0;
    v->differs = false;
  }
}

static cpb_step compare_values(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  cpb_diff_counts *n = &v->counts;
  for (;;) {
    for (int side = 0; side < 2; side++) {
      cpb_step step = find_values(d, side);
      if (step != CPB_STEP_DATA) return step;
    }
    size_t size = cpb_min_size(v->data[0].size, v->data[1].size);
    const cpb_values_info *info = cpb_values_get_info(v->values[0]);
    n->same = n->different == 0 && n->bad[0] == n->bad[1] && v->data[0].size == v->data[1].size;
    if (size == 0) return CPB_STEP_DONE;
    count(v, size, info->item_size > 0 ? info->item_size : 1);
    for (int side = 0; side < 2; side++) v->data[side] = cpb_span_from(v->data[side], size);
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
  v->differs = false;
  v->counts = (cpb_diff_counts){.same = true};
}

/* Of a constant, of a parameter, or of a state of it. */
static bool open_values(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  bool constant = v->list == &cpb_diff_constants;
  close_values(v);
  for (int side = 0; side < 2; side++) {
    const cpb_values_options how = {.struct_size = sizeof how,
                                    .exact_texts = constant,
                                    .tensor_offset = v->tensors[side].offset,
                                    .tensor_size = v->tensors[side].length,
                                    .scope = (const char *)d->tag.data,
                                    .scope_size = d->tag.size,
                                    .state = v->state};
    const char *name = constant ? "" : (const char *)v->name.data;
    v->values[side] = cpb_values_new(&d->allocator, d->kinds[side], name, constant ? 0 : v->name.size, &how);
    if (!v->values[side]) return cpb_diff_fail_memory(d);
  }
  v->doing = CPB_DIFF_ELEMENTS;
  return true;
}

static bool range_of(yyjson_val *item, cpb_range *range) {
  yyjson_val *tensor = cpb_json_member(item, "tensor");
  return cpb_json_unsigned(cpb_json_member(tensor, "offset"), &range->offset) &&
         cpb_json_unsigned(cpb_json_member(tensor, "size"), &range->length);
}

/* What is not stored in either is the same. */
static void begin_constant(cpb_diff_values *v, yyjson_val *const items[2]) {
  if (!range_of(items[0], &v->tensors[0]) || !range_of(items[1], &v->tensors[1])) return;
  v->doing = CPB_DIFF_BYTES;
  for (int side = 0; side < 2; side++) {
    v->ranges[side] = v->tensors[side];
    cpb_input_init(&v->inputs[side]);
  }
}

/* As many of the updater's states are compared as both have. */
static void begin_states(cpb_diff *d, yyjson_val *const items[2]) {
  cpb_diff_values *v = &d->values;
  size_t a = yyjson_arr_size(cpb_json_member(items[0], "states"));
  size_t b = yyjson_arr_size(cpb_json_member(items[1], "states"));
  v->num_states = (uint32_t)cpb_min_size(a, b);
  v->state = 1;
  if (v->num_states > 0) open_values(d);
}

void cpb_diff_values_begin(cpb_diff *d, const cpb_diff_list *list) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  yyjson_doc *docs[2] = {NULL, NULL};
  d->values = (cpb_diff_values){.list = list, .name = cpb_diff_key(&d->items.plain[0], d->join.items[0])};
  d->values.counts.same = d->values.sum.same = true;
  for (int side = 0; side < 2 && error.code == CPB_OK; side++)
    docs[side] =
        cpb_json_read(&d->allocator, cpb_diff_items_whole(&d->items, &d->join, side), CPB_DIFF_DEPTH * 2, &error);
  yyjson_val *const roots[2] = {yyjson_doc_get_root(docs[0]), yyjson_doc_get_root(docs[1])};
  if (error.code != CPB_OK) cpb_diff_fail(d, -1, &error);
  else if (list == &cpb_diff_constants) begin_constant(&d->values, roots);
  else if (list == &cpb_diff_states) begin_states(d, roots);
  else open_values(d);
  yyjson_doc_free(docs[0]);
  yyjson_doc_free(docs[1]);
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* One array is done. Values of constants that cannot be read have at least other bytes. */
static void finish_array(cpb_diff *d) {
  cpb_diff_values *v = &d->values;
  const cpb_diff_counts *n = &v->counts;
  v->sum.elements += n->elements;
  v->sum.different += n->different;
  v->sum.same = v->sum.same && n->same && !(n->bad[0] && v->list == &cpb_diff_constants);
  for (int side = 0; side < 2; side++) v->sum.bad[side] = v->sum.bad[side] || n->bad[side];
  v->doing = CPB_DIFF_NOTHING;
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
    if (bytes && !v->counts.same) open_values(d);
    else finish_array(d);
  }
  return cpb_diff_ok(d) ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

void cpb_diff_values_end(cpb_diff *d) { close_values(&d->values); }
