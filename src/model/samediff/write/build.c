#include "base/status.h"
#include "model/samediff/write/writer.h"

/* --- state ------------------------------------------------------------------------------------ */

#define SHOWN 80

const cpb_sd_section cpb_sd_sections[CPB_SD_SECTIONS] = {
    [CPB_SAMEDIFF_PARAMETER] = {"params.txt", "params", false, CPB_SD_PARAMS},
    [CPB_SAMEDIFF_STATE] = {"updater.txt", "updater", true, CPB_SD_UPDATER},
    [CPB_SAMEDIFF_MAP] = {"params_maps.txt", "params_maps", false, CPB_SD_MAPS},
};

/* --- Failing ---------------------------------------------------------------------- */

cpb_span cpb_sd_writer_text(const cpb_samediff_writer *w, cpb_sd_text text) {
  return (cpb_span){text.size > 0 ? w->texts.data + text.at : NULL, text.size};
}

bool cpb_sd_writer_no_memory(cpb_samediff_writer *w) { return cpb_fail_memory(&w->error), false; }

bool cpb_sd_writer_misused(cpb_samediff_writer *w, const char *what) {
  return CPB_FAILS(&w->error, CPB_E_USAGE, CPB_NO_OFFSET, "%s", what);
}

bool cpb_sd_refuse_tag(cpb_samediff_writer *w, const cpb_sd_new_tag *tag, const char *what) {
  char shown[SHOWN];
  cpb_span name = cpb_sd_writer_text(w, tag->name);
  return CPB_FAILS(&w->error, CPB_E_USAGE, CPB_NO_OFFSET, "tag %s: %s",
                   cpb_quote(shown, sizeof shown, name.data, name.size), what);
}

bool cpb_sd_refuse_part(cpb_samediff_writer *w, const cpb_sd_new_part *part, const char *what) {
  char shown[SHOWN], shown_tag[SHOWN];
  cpb_span name = cpb_sd_writer_text(w, part->name), tag = cpb_sd_writer_text(w, w->tags[part->tag].name);
  return CPB_FAILS(&w->error, CPB_E_USAGE, CPB_NO_OFFSET, "tag %s, %s: %s",
                   cpb_quote(shown_tag, sizeof shown_tag, tag.data, tag.size),
                   cpb_quote(shown, sizeof shown, name.data, name.size), what);
}

/* --- build ------------------------------------------------------------------------------------ */

#define ALIGNMENT 64
#define EMPTY 8
#define ORDER_BIG 1

static bool put(cpb_buffer *out, uint64_t value, unsigned bytes) {
  uint8_t number[8];
  cpb_store64(number, value);
  return cpb_buffer_append(out, number, bytes);
}

static bool put_all(cpb_buffer *out, const uint16_t *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!put(out, values[i], 2)) return false;
  return true;
}

/* --- Arrays ---------------------------------------------------------------------- */

/* The buffer is small and always has the same form, so it is written front to back with constant positions, without
 * a builder. */

/* Like ND4J: none for an empty array, ones for a single row, else dense. */
static void set_strides(const cpb_sd_array *a, uint64_t *strides) {
  bool row = a->rank == 2 && a->shape[0] == 1 && a->order == 'c';
  uint64_t dense = a->empty ? 0 : 1;
  for (uint32_t n = 0; n < a->rank; n++) {
    uint32_t i = a->order == 'c' ? a->rank - 1 - n : n;
    strides[i] = row && !a->empty ? 1 : dense;
    dense *= (uint64_t)a->shape[i];
  }
}

static bool put_shape_info(const cpb_sd_array *a, cpb_buffer *out) {
  uint64_t strides[CPB_SD_RANK_MAX];
  set_strides(a, strides);
  bool done = put(out, 2 * (uint64_t)a->rank + 4, 4) && put(out, a->rank, 8);
  for (uint32_t i = 0; i < a->rank && done; i++) done = put(out, (uint64_t)a->shape[i], 8);
  for (uint32_t i = 0; i < a->rank && done; i++) done = put(out, strides[i], 8);
  return done && put(out, (uint64_t)a->dtype->extras | (a->empty ? EMPTY : 0), 8) && put(out, a->empty ? 0 : 1, 8) &&
         put(out, (uint8_t)a->order, 8);
}

/* Root offset, vtable, table, the shape's vector, the begin of the buffer's vector: each
 * where its numbers are aligned. */
bool cpb_sd_build_array(const cpb_sd_array *a, cpb_buffer *out) {
  enum { VTABLE = 4, TABLE = 16, SHAPE_FIELD = 4, BUFFER_FIELD = 8, DTYPE_FIELD = 12, SHAPE = 36 };
  static const uint8_t zeros[ALIGNMENT];
  size_t shape_end = SHAPE + 4 + 8 * (2 * (size_t)a->rank + 4);
  size_t buffer = (shape_end + 4 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - 4;
  const uint16_t vtable[] = {TABLE - VTABLE, 16, SHAPE_FIELD, a->empty ? 0 : BUFFER_FIELD, DTYPE_FIELD,
                             DTYPE_FIELD + 1};
  return put(out, TABLE, 4) && put_all(out, vtable, sizeof vtable / sizeof *vtable) && put(out, TABLE - VTABLE, 4) &&
         put(out, SHAPE - (TABLE + SHAPE_FIELD), 4) && put(out, a->empty ? 0 : buffer - (TABLE + BUFFER_FIELD), 4) &&
         put(out, (uint64_t)a->dtype->number, 1) && put(out, ORDER_BIG, 1) && put(out, 0, 2 + 4) &&
         put_shape_info(a, out) &&
         (a->empty || (cpb_buffer_append(out, zeros, buffer - shape_end) && put(out, a->values_size, 4)));
}

/* --- The training configuration ------------------------------------------------------ */

bool cpb_sd_build_training(cpb_span json, cpb_buffer *out) {
  enum { VTABLE = 4, TABLE = 24, FIELD = 4, FIELDS = GRAPH_TRAINING_CONFIG + 1 };
  uint16_t vtable[2 + FIELDS] = {2 * (2 + FIELDS), 8};
  vtable[2 + GRAPH_TRAINING_CONFIG] = FIELD;
  return put(out, TABLE, 4) && put_all(out, vtable, 2 + FIELDS) && put(out, TABLE - VTABLE, 4) && put(out, 4, 4) &&
         put(out, json.size, 4) && cpb_buffer_append(out, json.data, json.size) && put(out, 0, 1);
}
