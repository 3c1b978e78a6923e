#include "model/onnx/tail.h"

#include "base/utf8.h"
#include "model/common/cursor.h"
#include "model/onnx/fields.h"

/* A description is shorter: if the row begins later than so many bytes, there is nothing of it before them. */
#define LONGEST ((size_t)16 << 10)

/* What a row begins with: a field's number, or nothing but the end. */
enum { NO_ROW = 0, END_OF_GRAPH = UINT8_MAX };

typedef struct search {
  cpb_span bytes;
  uint8_t *rows; /* of each offset the number of the field that a row begins with there */
  size_t budget; /* how many bytes may still be looked into */
} search;

/* --- What may be a description ----------------------------------------------------------- */

static bool is_text(cpb_span text) { return text.size > 0 && cpb_utf8_valid(text); }

/* A name, and perhaps a type, a text and metadata. */
static bool is_value_info(cpb_span message) {
  bool named = false;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || c.number > 4) return false;
    if (c.number == VALUE_INFO_NAME) named = is_text(c.bytes);
  }
  return named && !c.damaged;
}

/* Of a key and a value, or of a tensor's name and parameters. */
static bool is_pair(cpb_span message) {
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || c.number > 2) return false;
  }
  return message.size > 0 && !c.damaged;
}

static bool is_description(uint32_t number, cpb_span value) {
  switch (number) {
    case GRAPH_DOC: return is_text(value);
    case GRAPH_INPUT:
    case GRAPH_OUTPUT:
    case GRAPH_VALUE_INFO: return is_value_info(value);
    case GRAPH_QUANTIZATION:
    case GRAPH_METADATA: return is_pair(value);
    default: return false;
  }
}

/* --- Rows ----------------------------------------------------------------------------------- */

/* Whether a row begins with the field at `at`: one that another row follows, of which the numbers are not less. */
static uint8_t row_at(search *s, size_t at) {
  cpb_cursor c = cpb_cursor_of(cpb_span_from(s->bytes, at));
  if ((*c.at & 7) != CPB_WIRE_LEN) return NO_ROW; /* a group would be passed over, field by field */
  if (!cpb_cursor_next(&c) || c.number < GRAPH_DOC || c.number > GRAPH_METADATA) return NO_ROW;
  const uint8_t next = s->rows[c.at - s->bytes.data];
  if (next == NO_ROW || c.number > next || c.bytes.size > s->budget) return NO_ROW;
  s->budget -= c.bytes.size;
  return is_description(c.number, c.bytes) ? (uint8_t)c.number : NO_ROW;
}

static bool has_value(const search *s, size_t begin) {
  cpb_cursor c = cpb_cursor_of(cpb_span_from(s->bytes, begin));
  while (cpb_cursor_next(&c)) {
    if (c.number == GRAPH_INPUT || c.number == GRAPH_OUTPUT) return true;
  }
  return false;
}

bool cpb_onnx_tail_find(const cpb_allocator *a, cpb_span bytes, size_t *begin) {
  search s = {bytes, cpb_alloc_zeroed(a, bytes.size + 1), 0};
  *begin = CPB_NO_TAIL;
  if (!s.rows) return false;
  s.budget = bytes.size > SIZE_MAX / 8 ? SIZE_MAX : 8 * bytes.size;
  s.rows[bytes.size] = END_OF_GRAPH;
  for (size_t at = bytes.size; at-- > 0;) {
    s.rows[at] = row_at(&s, at);
    if (s.rows[at] != NO_ROW) *begin = at;
  }
  cpb_release(a, s.rows);
  if (*begin != CPB_NO_TAIL && (*begin < LONGEST || !has_value(&s, *begin))) *begin = CPB_NO_TAIL;
  return true;
}
