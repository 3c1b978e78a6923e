/* Constants and parameters of two models, and whether their values are the same. */
#include "cpb/values.h"
#include "base/checked.h"
#include "base/status.h"
#include "cli/diff/diff.h"

/* --- Two arrays ------------------------------------------------------------------------------ */

/* The values of one side as they come. */
typedef struct stream {
  diff *diff;
  cpb_model_file *file;
  cpb_values *values;
  cpb_span data;
  bool ended, bad;
} stream;

/* What is wrong with the values, not with reading them. */
static bool is_of_values(cpb_code code) {
  return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED || code == CPB_E_UNSUPPORTED || code == CPB_E_LIMIT ||
         code == CPB_E_NOT_FOUND;
}

static cpb_step step_values(stream *s, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_values_step(s->values)) == CPB_STEP_NEED) {
    if (cpb_message_file_supply(cpb_model_file_message(s->file), cpb_values_input(s->values), error) != CPB_OK)
      return CPB_STEP_ERROR;
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_values_error(s->values);
  return step;
}

/* More data, unless there is still some; none at the end, or where values cannot be made out. */
static bool fill(stream *s) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  if (s->data.size > 0 || s->ended) return true;
  cpb_step step = step_values(s, &error);
  s->bad = step == CPB_STEP_ERROR;
  s->ended = step != CPB_STEP_DATA;
  if (step == CPB_STEP_DATA) s->data.data = cpb_values_data(s->values, &s->data.size);
  if (error.code == CPB_OK || is_of_values(error.code)) return true;
  s->diff->status = cli_model_fail(s->diff->cli, s->file, &error);
  return false;
}

typedef struct counts {
  uint64_t elements, different; /* bytes, where elements have no fixed size */
  uint64_t at;                  /* bytes of the element that is compared */
  bool differs;                 /* that element, so far */
  bool same;                    /* all of it */
  bool bad[2];                  /* which side's cannot be read to their end */
} counts;

/* Goes on with `size` bytes of elements of `item` bytes. */
static void count(counts *n, const uint8_t *a, const uint8_t *b, size_t size, uint32_t item) {
  if (n->at == 0 && size % item == 0 && memcmp(a, b, size) == 0) {
    n->elements += size / item;
    return;
  }
  for (size_t i = 0; i < size; i++) {
    n->differs = n->differs || a[i] != b[i];
    if (++n->at < item) continue;
    n->elements++;
    n->different += n->differs;
    n->at = 0;
    n->differs = false;
  }
}

static bool compare_streams(stream s[2], counts *n) {
  while (fill(&s[0]) && fill(&s[1])) {
    size_t size = cpb_min_size(s[0].data.size, s[1].data.size);
    const cpb_values_info *info = cpb_values_get_info(s[0].values);
    n->bad[0] = s[0].bad;
    n->bad[1] = s[1].bad;
    n->same = n->different == 0 && s[0].bad == s[1].bad && s[0].data.size == s[1].data.size;
    if (size == 0) return true;
    count(n, s[0].data.data, s[1].data.data, size, info->item_size > 0 ? info->item_size : 1);
    for (int side = 0; side < 2; side++) s[side].data = cpb_span_from(s[side].data, size);
  }
  return false;
}

/* Takes both. */
static bool compare_values(diff *d, cpb_values *a, cpb_values *b, counts *n) {
  stream s[2] = {{.diff = d, .file = d->files[0], .values = a}, {.diff = d, .file = d->files[1], .values = b}};
  bool done = a && b ? compare_streams(s, n) : diff_fail_memory(d);
  cpb_values_free(a);
  cpb_values_free(b);
  return done;
}

/* --- Constants of TensorFlow --------------------------------------------------------------------- */

#define PIECE ((size_t)1 << 20)

static bool read_range(diff *d, int side, cpb_range range, const uint8_t **data, size_t *length) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  *length = (size_t)cpb_min_u64(range.length, PIECE);
  *data = cpb_message_file_read(cpb_model_file_message(d->files[side]), range.offset, length, &error);
  if (!*data) d->status = cli_model_fail(d->cli, d->files[side], &error);
  return *data != NULL;
}

/* Whether the same bytes lie there. */
static bool same_bytes(diff *d, const cpb_range given[2]) {
  cpb_range ranges[2] = {given[0], given[1]};
  if (ranges[0].length != ranges[1].length) return false;
  while (ranges[0].length > 0) {
    const uint8_t *data[2];
    size_t lengths[2];
    if (!read_range(d, 0, ranges[0], &data[0], &lengths[0]) || !read_range(d, 1, ranges[1], &data[1], &lengths[1]))
      return false;
    size_t size = cpb_min_size(lengths[0], lengths[1]);
    if (size == 0 || memcmp(data[0], data[1], size) != 0) return false;
    for (int side = 0; side < 2; side++)
      ranges[side] = (cpb_range){ranges[side].offset + size, ranges[side].length - size};
  }
  return true;
}

static bool range_of(yyjson_val *item, cpb_range *range) {
  yyjson_val *tensor = cpb_json_member(item, "tensor");
  return cpb_json_unsigned(cpb_json_member(tensor, "offset"), &range->offset) &&
         cpb_json_unsigned(cpb_json_member(tensor, "size"), &range->length);
}

static cpb_values *open_tensor(diff *d, int side, cpb_range tensor) {
  const cpb_values_options how = {
      .struct_size = sizeof how, .exact_texts = 1, .tensor_offset = tensor.offset, .tensor_size = tensor.length};
  return cpb_values_new(&d->cli->allocator, d->kinds[side], "", 0, &how);
}

static bool compare_constants(diff *d, yyjson_val *const items[2], counts *n) {
  cpb_range ranges[2];
  n->same = !range_of(items[0], &ranges[0]) || !range_of(items[1], &ranges[1]) || same_bytes(d, ranges);
  if (n->same || !diff_ok(d)) return diff_ok(d);
  bool done = compare_values(d, open_tensor(d, 0, ranges[0]), open_tensor(d, 1, ranges[1]), n);
  n->same = n->same && !n->bad[0]; /* what cannot be read has other bytes */
  return done;
}

/* --- Parameters of SameDiff ------------------------------------------------------------------------ */

static cpb_values *open_parameter(diff *d, int side, cpb_span name, uint32_t state) {
  const cpb_values_options how = {
      .struct_size = sizeof how, .scope = (const char *)d->tag.data, .scope_size = d->tag.size, .state = state};
  return cpb_values_new(&d->cli->allocator, d->kinds[side], (const char *)name.data, name.size, &how);
}

static bool compare_parameters(diff *d, cpb_span name, uint32_t state, counts *n) {
  return compare_values(d, open_parameter(d, 0, name, state), open_parameter(d, 1, name, state), n);
}

/* Those that the updater has: as many as both have. */
static bool compare_states(diff *d, cpb_span name, yyjson_val *const items[2], counts *n) {
  size_t count[2] = {yyjson_arr_size(cpb_json_member(items[0], "states")),
                     yyjson_arr_size(cpb_json_member(items[1], "states"))};
  counts sum = {.same = true};
  for (uint32_t i = 0; i < cpb_min_size(count[0], count[1]); i++) {
    *n = (counts){.same = true};
    if (!compare_parameters(d, name, i + 1, n)) return false;
    sum.elements += n->elements;
    sum.different += n->different;
    sum.same = sum.same && n->same;
    for (int side = 0; side < 2; side++) sum.bad[side] = sum.bad[side] || n->bad[side];
  }
  *n = sum;
  return true;
}

/* --- Items ------------------------------------------------------------------------------------------- */

static void report(diff *d, diff_section *s, cpb_span name, const counts *n) {
  if (!diff_open_one(d, s, "changed", name, &s->changed)) return;
  cpb_json_writer_open(&d->out, "members", '[');
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "member", "values");
  cpb_json_writer_unsigned(&d->out, "different", n->different);
  cpb_json_writer_unsigned(&d->out, "of", n->elements);
  if (n->bad[0] || n->bad[1])
    cpb_json_writer_text(&d->out, "unreadable", n->bad[0] && n->bad[1] ? "both" : n->bad[0] ? "a" : "b");
  cpb_json_writer_close(&d->out, '}');
  cpb_json_writer_close(&d->out, ']');
  diff_close_one(d);
}

static bool compare_one(diff *d, const cpb_diff_list *list, cpb_span name, yyjson_val *const items[2], counts *n) {
  if (list == &cpb_diff_constants) return compare_constants(d, items, n);
  return list == &cpb_diff_states ? compare_states(d, name, items, n) : compare_parameters(d, name, 0, n);
}

/* The values of an item that is otherwise the same in both. */
static bool compare_contents(diff *d, diff_section *s, const cpb_diff_list *list, const diff_items *items,
                             const cpb_diff_join *join) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_span name = cpb_diff_key(&items->plain[0], join->items[0]);
  counts n = {.same = true};
  yyjson_doc *docs[2] = {NULL, NULL};
  for (int side = 0; side < 2 && error.code == CPB_OK; side++) {
    const cpb_diff_table *whole = &items->whole[side];
    docs[side] = cpb_json_read(&d->cli->allocator,
                               cpb_diff_text(whole, &whole->items[join->items[side] - items->plain[side].items]),
                               CPB_DIFF_DEPTH * 2, &error);
  }
  yyjson_val *const roots[2] = {yyjson_doc_get_root(docs[0]), yyjson_doc_get_root(docs[1])};
  if (error.code != CPB_OK) d->status = cli_fail(d->cli, "the answers", &error);
  else if (compare_one(d, list, name, roots, &n) && !n.same) report(d, s, name, &n);
  else s->same++;
  yyjson_doc_free(docs[0]);
  yyjson_doc_free(docs[1]);
  return diff_ok(d);
}

static bool compare_list(diff *d, const cpb_diff_list *list) {
  static const cpb_span nothing = {NULL, 0};
  diff_items items;
  diff_items_init(d, &items);
  diff_section s = diff_begin(d, list->section, nothing);
  if (diff_read(d, list, 0, nothing, nothing, &items) && diff_read(d, list, 1, nothing, nothing, &items))
    diff_sort(d, &items);
  cpb_diff_join join = diff_join(&items);
  while (diff_ok(d) && cpb_diff_join_next(&join)) {
    uint64_t same = s.same;
    diff_item(d, &s, &items, &join);
    if (s.same == same || d->cli->settings.skip_values || !diff_ok(d)) continue;
    s.same = same;
    compare_contents(d, &s, list, &items, &join);
  }
  diff_end(d, &s, true);
  diff_items_free(&items);
  return diff_ok(d);
}

bool diff_constants(diff *d) { return compare_list(d, &cpb_diff_constants); }
bool diff_parameters(diff *d) { return compare_list(d, &cpb_diff_parameters) && compare_list(d, &cpb_diff_states); }
