#include "model/onnx/model.h"

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"
#include "model/common/cursor.h"
#include "model/onnx/fields.h"

/* The order of a GraphProto's fields is nodes, name, initializers, and then inputs and outputs. Brief answers need
 * all of it but the initializers, which are nearly the whole file, and ONNX has no index. So the fields after the
 * initializers are sought from the graph's end.
 *
 * A row of fields can be read only forwards, but a position is the beginning of a row if a description is there and
 * a row begins where it ends. All positions are therefore tried from the end backwards, each with the result of the
 * later ones at hand. Random weights could look like such a row: the row must have an input or output, its fields
 * must be in order, and it must not begin so early in the window that a description could lie before it. */

/* --- What follows a graph's tensors, found from its end ---------------------------------------- */

/* Finds where the row begins in `bytes`, which end where the graph does. CPB_NO_TAIL: no row has an input or output, or
 * it may begin before `bytes`. Takes O(bytes) time. False if memory is short. */
#define CPB_NO_TAIL SIZE_MAX

/* The largest size of a description: if the row begins later than this, the bytes before it have none. */
#define LONGEST ((size_t)16 << 10)

/* The number of the field that a row begins with, or just the end. */
enum { NO_ROW = 0, END_OF_GRAPH = UINT8_MAX };

typedef struct search {
  cpb_span bytes;
  uint8_t *rows; /* by offset: the number of the field with which a row begins there */
  size_t budget; /* number of bytes that may still be examined */
} search;

/* --- What may be a description ----------------------------------------------------------- */

static bool is_text(cpb_span text) { return text.size > 0 && cpb_utf8_valid(text); }

/* Whether this is a ValueInfoProto: a name, and perhaps a type, a text and metadata. */
static bool is_value_info(cpb_span message) {
  bool named = false;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || c.number > 4) return false;
    if (c.number == VALUE_INFO_NAME) named = is_text(c.bytes);
  }
  return named && !c.damaged;
}

/* Whether this is a pair of a key and a value, or of a tensor's name and its parameters. */
static bool is_pair(cpb_span message) {
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c))
    if (c.type != CPB_WIRE_LEN || c.number > 2) return false;
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

/* Whether a row begins with the field at `at`: another row follows it, with the same or higher numbers. */
static uint8_t row_at(search *s, size_t at) {
  cpb_cursor c = cpb_cursor_of(cpb_span_from(s->bytes, at));
  if ((*c.at & 7) != CPB_WIRE_LEN) return NO_ROW; /* a group would be skipped field by field */
  if (!cpb_cursor_next(&c) || c.number < GRAPH_DOC || c.number > GRAPH_METADATA) return NO_ROW;
  const uint8_t next = s->rows[c.at - s->bytes.data];
  if (next == NO_ROW || c.number > next || c.bytes.size > s->budget) return NO_ROW;
  s->budget -= c.bytes.size;
  return is_description(c.number, c.bytes) ? (uint8_t)c.number : NO_ROW;
}

static bool has_value(const search *s, size_t begin) {
  cpb_cursor c = cpb_cursor_of(cpb_span_from(s->bytes, begin));
  while (cpb_cursor_next(&c))
    if (c.number == GRAPH_INPUT || c.number == GRAPH_OUTPUT) return true;
  return false;
}

static bool onnx_tail_find(const cpb_allocator *a, cpb_span bytes, size_t *begin) {
  search s = {bytes, cpb_alloc_zeroed(a, bytes.size + 1), 0};
  *begin = CPB_NO_TAIL;
  if (!s.rows) return false;
  /* overlapping candidates may examine a byte several times, but not more than eight times on average */
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

/* Reading less than this is as fast as skipping it. */
#define WORTH ((uint64_t)1 << 20)

/* Sizes of the end that are tried, until the row begins within one. */
#define FIRST ((size_t)64 << 10)
#define LAST ((size_t)4 << 20)

/* The fields after the graph are usually short, and arrive together with its end. */
#define BEHIND 4096

static bool is_worth(const cpb_outline_place *place) {
  bool is_of_graph = place->depth == 1 && place->outermost == MODEL_GRAPH && place->message_end != UINT64_MAX;
  return is_of_graph && place->number == GRAPH_INITIALIZER && place->message_end - place->begin >= WORTH;
}

/* Nothing is guessed if the model is damaged, or may be. */
static bool is_sound(const cpb_outline_place *place) {
  const uint64_t size = place->input->size;
  return !place->is_damaged && size != CPB_NO_OFFSET && size >= place->message_end;
}

/* Fills the window to its intended size. */
static cpb_have gather(cpb_onnx_brief *b, const cpb_outline_place *place) {
  const uint64_t end = place->message_end;
  const size_t size = b->size + (size_t)cpb_min_u64(BEHIND, place->input->size - end);
  if (!cpb_buffer_reserve(&b->window, size)) return cpb_fail_memory(place->error), CPB_FAILED;
  cpb_have have = cpb_input_gather(place->input, end - b->size, size, b->window.data, &b->have);
  return have == CPB_FAILED ? CPB_AT_END : have; /* the problem will be met again */
}

static cpb_have look(cpb_onnx_brief *b, const cpb_outline_place *place, size_t *begin) {
  cpb_have have = gather(b, place);
  if (have != CPB_HAVE) return have;
  if (!cpb_meter_charge(b->meter, CPB_WORK_WALKED, b->size, place->begin, place->error)) return CPB_FAILED;
  if (!onnx_tail_find(&b->allocator, (cpb_span){b->window.data, b->size}, begin))
    return cpb_fail_memory(place->error), CPB_FAILED;
  b->have = 0;
  return CPB_HAVE;
}

/* Examines more and more of the end. */
static cpb_have find_tail(cpb_onnx_brief *b, const cpb_outline_place *place, uint64_t *next) {
  for (; b->size <= LAST && b->size <= place->message_end - place->begin; b->size *= 4) {
    size_t begin;
    cpb_have have = look(b, place, &begin);
    if (have != CPB_HAVE) return have;
    if (begin == CPB_NO_TAIL) continue;
    *next = place->message_end - b->size + begin;
    return CPB_HAVE;
  }
  return CPB_AT_END;
}

static cpb_have find(void *context, const cpb_outline_place *place, uint64_t *next) {
  cpb_onnx_brief *b = context;
  if (b->tried || !is_worth(place)) return CPB_AT_END;
  cpb_have have = is_sound(place) ? find_tail(b, place, next) : CPB_AT_END;
  if (have == CPB_WAIT || have == CPB_FAILED) return have;
  if (have == CPB_HAVE) b->unread = (cpb_range){place->begin, *next - place->begin};
  b->tried = true;
  cpb_buffer_free(&b->window);
  return have;
}

void cpb_onnx_brief_init(cpb_onnx_brief *b, const cpb_allocator *a, cpb_meter *meter) {
  *b = (cpb_onnx_brief){.allocator = *a, .meter = meter, .size = FIRST};
  cpb_buffer_init(&b->window, &b->allocator);
}

void cpb_onnx_brief_free(cpb_onnx_brief *b) {
  const cpb_allocator a = b->allocator;
  cpb_buffer_free(&b->window);
  cpb_onnx_brief_init(b, &a, b->meter);
}

const cpb_outline_jumps cpb_onnx_brief_jumps = {find};
