/* The values of a variable, a parameter or a state of the updater, streamed.
 *
 * In a zip an array is a file of its own, and its values are streamed from its zip entry; in a graph file it is a
 * table, and they are streamed from the input. Either way values are returned in the order in which they are stored, in
 * little-endian, and at most one block of them is held. Only an array whose dimensions are permuted is held completely
 * (at most max_memory bytes), because neither of NumPy's two orders describes it. */
#include "model/samediff/samediff.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/samediff/array.h"
#include "model/samediff/model.h"

#define SHOWN 80

typedef struct reader {
  const cpb_values_options *options;
  cpb_span name;
  cpb_sd_model model;
  cpb_sd_lines lines; /* of params.txt or updater.txt */
  const cpb_zip_entry *entry;
  cpb_buffer head; /* the entry's first bytes */
  cpb_sd_array array;
  uint64_t shape[CPB_SD_RANK_MAX];
  unsigned stage;
  uint64_t at;    /* offset in the buffer of `piece`; earlier bytes were returned or skipped */
  cpb_span piece; /* bytes of the buffer that come next; the zip stream's or the host's */
  cpb_sd_swap swap;
  cpb_sd_rows rows; /* the whole array, if its dimensions are permuted */
  cpb_span data;
} reader;

/* --- Creation ------------------------------------------------------------------ */

static void destroy(void *state) {
  reader *v = state;
  cpb_allocator a = v->model.allocator;
  cpb_sd_model_free(&v->model);
  cpb_sd_lines_free(&v->lines);
  cpb_buffer_free(&v->head);
  cpb_buffer_free(&v->rows.values);
  cpb_release(&a, v->swap.out);
  cpb_release(&a, v);
}

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *v = cpb_alloc_zeroed(a, sizeof *v);
  if (!v) return NULL;
  cpb_model_options how = {.struct_size = sizeof how, .max_memory = options->max_memory, .limits = options->limits};
  v->options = options;
  v->name = name;
  cpb_sd_model_init(&v->model, a, meter, kind == CPB_MODEL_SAMEDIFF_ZIP, &how);
  cpb_sd_model_keep_damaged(&v->model);
  cpb_sd_lines_init(&v->lines, a);
  cpb_buffer_init(&v->head, a);
  cpb_buffer_init(&v->rows.values, a);
  v->swap.out = cpb_alloc(a, CPB_SD_SWAP_OUT);
  if (v->swap.out) return v;
  destroy(v);
  return NULL;
}

static cpb_input *input(void *state) { return &((reader *)state)->model.input; }
static cpb_error *error(void *state) { return &((reader *)state)->model.error; }

/* --- Which array ------------------------------------------------------------------ */

static bool is_wanted(const void *values, cpb_span name) {
  return cpb_span_equal(((const reader *)values)->name, name);
}

static cpb_have fails(reader *v, cpb_code code, const char *what) {
  char shown[SHOWN];
  cpb_fail(&v->model.error, code, CPB_NO_OFFSET, "%s: %s", cpb_quote(shown, sizeof shown, v->name.data, v->name.size),
           what);
  return CPB_FAILED;
}

static cpb_have choose_entry(reader *v) {
  uint32_t state = v->options->state > 0 ? v->options->state - 1 : 0;
  for (size_t i = 0; i < v->lines.count; i++) {
    const cpb_sd_line *line = &v->lines.list[i];
    if (!is_wanted(v, line->name)) continue;
    if (line->kind.size > 0) return fails(v, CPB_E_UNSUPPORTED, "not an array but of another kind");
    if (state >= line->count) break;
    v->entry = v->lines.references[line->first + state].entry;
    return v->entry ? CPB_HAVE : fails(v, CPB_E_TRUNCATED, "the zip archive ends before its file");
  }
  return fails(v, CPB_E_NOT_FOUND,
               v->options->state > 0 ? "the updater has no such state" : "no parameter has this name");
}

static cpb_have find_entry(reader *v) {
  cpb_sd_model *m = &v->model;
  bool of_updater = v->options->state > 0;
  const char *file = of_updater ? "updater.txt" : "params.txt";
  const cpb_sd_lines_in in = {.zip = &m->parts.zip,
                              .tags = &m->parts.tags,
                              .tag = m->tag,
                              .file = file,
                              .folder = of_updater ? "updater" : "params",
                              .several = of_updater,
                              .is_known = is_wanted,
                              .user = v,
                              .error = &m->error};
  const cpb_zip_entry *entry = cpb_sd_parts_find(&m->parts, m->tag, file);
  if (m->parts.zip.partial && (!entry || entry->cut != CPB_ZIP_WHOLE))
    return fails(v, CPB_E_TRUNCATED, "the zip archive ends before it is said where the values are");
  if (!entry) return fails(v, CPB_E_NOT_FOUND, of_updater ? "the tag has no updater.txt" : "the tag has no params.txt");
  cpb_have have = cpb_sd_parts_load(&m->parts, entry, &v->lines.text);
  if (have != CPB_HAVE) return have;
  return cpb_sd_lines_read(&v->lines, &in) ? choose_entry(v) : CPB_FAILED;
}

static cpb_have read_head(reader *v) { return cpb_sd_parts_head(&v->model.parts, v->entry, &v->head, &v->array); }

/* --- In a graph file ----------------------------------------------------------------- */

static cpb_have load_graph(reader *v) { return cpb_sd_model_load(&v->model, CPB_SD_GRAPH); }

static bool find_state(reader *v, const cpb_flat_vector *list, cpb_flat_table *table) {
  cpb_sd_graph *g = &v->model.graph;
  for (uint32_t i = 0; i < list->count; i++) {
    cpb_flat_table state;
    cpb_flat_vector values;
    v->head.size = 0;
    if (!cpb_flat_element_table(&g->flat, list, i, &state) ||
        !cpb_flat_text_at(&g->flat, &state, UPDATER_PARAMETER, &v->head) ||
        !cpb_flat_vector_at(&g->flat, &state, UPDATER_VALUES, 4, &values))
      return false;
    if (!is_wanted(v, (cpb_span){v->head.data, v->head.size}) || v->options->state > values.count) continue;
    return cpb_flat_element_table(&g->flat, &values, v->options->state - 1, table);
  }
  fails(v, CPB_E_NOT_FOUND, "the updater has no such state");
  return false;
}

static bool find_table(reader *v, cpb_flat_table *table) {
  cpb_sd_graph *g = &v->model.graph;
  cpb_flat_vector list;
  if (v->options->state > 0)
    return cpb_flat_vector_at(&g->flat, &g->root, GRAPH_UPDATER_STATE, 4, &list) && find_state(v, &list, table);
  const cpb_sd_variable *variable = cpb_sd_find_variable(g, v->name);
  if (variable && variable->array != 0) return cpb_flat_open(&g->flat, variable->array, table);
  fails(v, CPB_E_NOT_FOUND, variable ? "the variable has no array" : "no variable has this name");
  return false;
}

static cpb_have find_own(reader *v) {
  cpb_flat *flat = &v->model.graph.flat;
  cpb_flat_table table;
  flat->wait = false;
  if (find_table(v, &table) && cpb_sd_array_read(flat, &table, &v->array)) {
    v->at = v->array.values;
    v->head.size = 0; /* it held a name */
    return CPB_HAVE;
  }
  return flat->wait && v->model.error.code == CPB_OK ? CPB_WAIT : CPB_FAILED;
}

/* --- Values ---------------------------------------------------------------------------- */

static cpb_have open_model(reader *v) {
  return cpb_sd_model_open(&v->model, v->options->scope, v->options->scope_size);
}

static cpb_have begin_values(reader *v) {
  const cpb_sd_array *a = &v->array;
  for (uint32_t i = 0; i < a->rank; i++) v->shape[i] = (uint64_t)a->shape[i];
  v->swap.size = a->big_endian && a->dtype->size > 0 ? a->dtype->size : 1;
  v->piece = (cpb_span){v->head.data, v->head.size};
  return CPB_HAVE;
}

static cpb_values_info info_of(const reader *v) {
  const cpb_sd_array *a = &v->array;
  return (cpb_values_info){.dtype = a->dtype->name,
                           .numpy = a->dtype->numpy,
                           .item_size = a->dtype->size,
                           .rank = a->rank,
                           .shape = v->shape,
                           .fortran_order = a->layout == 'f',
                           .count = a->count,
                           .size = a->values_size};
}

/* The next bytes of the buffer with the array; none at its end. */
static cpb_have next_piece(reader *v) {
  uint64_t end = v->array.values + v->array.values_size;
  if (v->model.is_zip) return cpb_zip_stream_next(&v->model.parts.stream, &v->piece);
  v->piece = (cpb_span){NULL, 0};
  if (v->at == end) return CPB_HAVE;
  cpb_have have =
      cpb_input_span(&v->model.input, v->at, (size_t)cpb_min_u64(end - v->at, CPB_SD_SWAP_OUT), end - v->at, &v->piece);
  return cpb_zip_settle(have, &v->model.input, &v->model.error);
}

static void drop_front(reader *v, uint64_t size) {
  size_t n = (size_t)cpb_min_u64(size, v->piece.size);
  v->piece = cpb_span_from(v->piece, n);
  v->at += n;
}

/* Sets `data` to the values in the piece. */
static void take_values(reader *v) {
  uint64_t begin = v->array.values, end = begin + v->array.values_size;
  if (v->at < begin) drop_front(v, begin - v->at);
  cpb_span in = {v->piece.data, (size_t)cpb_min_u64(v->piece.size, v->at < end ? end - v->at : 0)};
  size_t before = in.size;
  if (before == 0) {
    drop_front(v, v->piece.size);
    return;
  }
  v->data = cpb_sd_swap_next(&v->swap, &in);
  drop_front(v, before - in.size);
}

/* CPB_HAVE: some data, or none at the end. */
static cpb_have stream(reader *v) {
  v->data = (cpb_span){NULL, 0};
  for (;;) {
    while (v->piece.size > 0 && v->data.size == 0) take_values(v);
    if (v->data.size > 0) return CPB_HAVE;
    cpb_have have = next_piece(v);
    if (have != CPB_HAVE || v->piece.size == 0) return have;
  }
}

/* Values of permuted dimensions come out in an order other than the stored one, so all are read
 * first. */
static cpb_have hold_permuted(reader *v) {
  const cpb_sd_array *a = &v->array;
  if (a->layout != CPB_SD_PERMUTED) return CPB_HAVE;
  if (a->dtype->size == 0) return fails(v, CPB_E_UNSUPPORTED, "strings with permuted dimensions are not supported");
  if (a->values_size > v->options->max_memory) {
    char text[160];
    cpb_format(text, sizeof text,
               "an array with permuted dimensions is held in memory, and this one exceeds max_memory, %llu bytes: it "
               "has %llu",
               (unsigned long long)v->options->max_memory, (unsigned long long)a->values_size);
    return fails(v, CPB_E_LIMIT, text);
  }
  for (;;) {
    cpb_have have = stream(v);
    if (have != CPB_HAVE || v->data.size == 0) return have;
    if (!cpb_buffer_append(&v->rows.values, v->data.data, v->data.size))
      return fails(v, CPB_E_MEMORY, "out of memory for the array");
  }
}

static cpb_have give(reader *v) {
  if (v->array.layout != CPB_SD_PERMUTED) return stream(v);
  v->data = (cpb_span){v->swap.out, cpb_sd_rows_next(&v->rows, &v->array, v->swap.out, CPB_SD_SWAP_OUT)};
  return CPB_HAVE;
}

/* --- Steps -------------------------------------------------------------------------------- */

static cpb_have prepare(reader *v) {
  static cpb_have (*const of_zip[])(reader *) = {open_model, find_entry, read_head, begin_values, hold_permuted, NULL};
  static cpb_have (*const of_graph[])(reader *) = {open_model, load_graph, find_own, begin_values, hold_permuted, NULL};
  cpb_have (*const *stages)(reader *) = v->model.is_zip ? of_zip : of_graph;
  cpb_have have = CPB_HAVE;
  for (; have == CPB_HAVE && stages[v->stage]; v->stage += have == CPB_HAVE) have = stages[v->stage](v);
  return have;
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *v = state;
  cpb_have have = prepare(v);
  if (have != CPB_HAVE) return have;
  *info = info_of(v);
  have = give(v);
  *data = v->data;
  return have;
}

const cpb_values_reader cpb_samediff_values = {create, destroy, next, input, error};
