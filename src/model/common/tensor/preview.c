#include "base/checked.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/tensor/tensor.h"
#include "model/common/tensor/values.h"

/* --- layout ----------------------------------------------------------------------------------- */

static bool describe(uint64_t dtype, cpb_tensor_type *type) {
  const cpb_tensor_format *format = cpb_tensor_format_of(dtype);
  *type = (cpb_tensor_type){.format = format};
  cpb_dtype_name(dtype, type->name, sizeof type->name);
  if (!format) return false;
  type->field = format->field;
  type->wire = cpb_tensor_field_type(format->field);
  return true;
}

const cpb_tensor_layout cpb_tensorflow_layout = {.dtype = TENSOR_DTYPE,
                                                 .shape = TENSOR_SHAPE,
                                                 .content = TENSOR_CONTENT,
                                                 .strings = TENSOR_STRINGS,
                                                 .shape_name = "tensor_shape",
                                                 .content_name = "tensor_content",
                                                 .strings_name = "string_val",
                                                 .repeats_last = true,
                                                 .describe = describe};

/* --- preview ---------------------------------------------------------------------------------- */

/* A preview shows only values that the outline kept. Values that were omitted are never fetched for it: an answer
 * about a large model must not read the model. */

#define SHOWN 8
#define LARGEST 16 /* bytes of an element */

typedef struct preview {
  const cpb_tensor_preview *of;
  uint8_t bytes[SHOWN * LARGEST]; /* the shown elements, as stored */
  size_t size, wanted;
} preview;

/* --- Numbers -------------------------------------------------------------------------------- */

/* Bits of an element if elements share bytes; else 0. */
static unsigned packed_of(const cpb_tensor_preview *t) {
  return t->field == t->content ? t->type->packed : t->type->packed_typed;
}

static size_t item_of(const preview *p) { return packed_of(p->of) > 0 ? 1 : p->of->type->format->size; }

static void put(preview *p, uint64_t number) {
  size_t item = item_of(p);
  if (p->of->repeats && p->of->type->format->bits > 0) number = cpb_tensor_small(p->of->type->format, number);
  for (size_t i = 0; i < item && p->size < p->wanted; i++) p->bytes[p->size++] = (uint8_t)(number >> 8 * i);
}

static void put_bytes(preview *p, cpb_span bytes) {
  size_t size = cpb_min_size(bytes.size, p->wanted - p->size);
  if (size > 0) memcpy(p->bytes + p->size, bytes.data, size);
  p->size += size;
}

static bool put_varints(preview *p, cpb_span packed) {
  const uint8_t *at = packed.data, *end = packed.data + packed.size;
  while (at < end && p->size < p->wanted) {
    uint64_t value;
    at = cpb_varint_read(at, end, &value);
    if (!at) return false;
    put(p, value);
  }
  return true;
}

/* Takes a field with values, packed or a single one. */
static bool put_field(preview *p, const cpb_cursor *c) {
  uint8_t number[8];
  const cpb_wire_type wire = c->number == p->of->content ? CPB_WIRE_LEN : p->of->type->wire;
  if (c->type == CPB_WIRE_LEN) {
    if (cpb_part_omits(p->of->part, c->bytes)) return false;
    if (wire == CPB_WIRE_VARINT) return put_varints(p, c->bytes);
    put_bytes(p, c->bytes);
  } else if (c->type == wire && wire == CPB_WIRE_VARINT) {
    put(p, c->value);
  } else if (c->type == wire) {
    cpb_store64(number, c->value);
    put_bytes(p, (cpb_span){number, wire == CPB_WIRE_FIXED32 ? 4 : 8});
  }
  return true;
}

/* The last value stands for the missing ones; without any, all are 0. */
static bool repeat(preview *p) {
  const size_t item = item_of(p);
  if (p->size % item != 0) return false;
  for (; p->size < p->wanted; p->size++) p->bytes[p->size] = p->size < item ? 0 : p->bytes[p->size - item];
  return true;
}

/* If the content occurs several times, the last counts, as in parsers. */
static bool find_numbers(preview *p) {
  const bool is_content = p->of->field == p->of->content;
  cpb_cursor c = cpb_cursor_of(p->of->message);
  while ((is_content || p->size < p->wanted) && cpb_cursor_next(&c)) {
    if (c.number != p->of->field) continue;
    if (is_content) p->size = 0;
    if (!put_field(p, &c)) return false;
  }
  return (is_content || !c.damaged) && (p->of->repeats ? repeat(p) : p->size == p->wanted);
}

/* Element `i` of elements that share bytes. */
static uint8_t part_of(const preview *p, unsigned packed, size_t i) {
  size_t bit = packed * i, next = bit / 8 + 1;
  unsigned mask = (1u << packed) - 1, byte = p->bytes[bit / 8], after = next < p->size ? p->bytes[next] : 0;
  if (p->of->type->high_first) return (uint8_t)((byte << 8 | after) >> (16 - packed - bit % 8) & mask);
  return (uint8_t)((byte | after << 8) >> bit % 8 & mask);
}

static void write_numbers(cpb_json_writer *a, const preview *p, size_t count) {
  const cpb_tensor_format *format = p->of->type->format;
  const unsigned packed = packed_of(p->of);
  for (size_t i = 0; i < count; i++) {
    const uint8_t *bytes = p->bytes + i * format->size;
    uint8_t part = packed > 0 ? part_of(p, packed, i) : bytes[0];
    if (format->bits > 0) part = cpb_tensor_small(format, part);
    p->of->write(a, NULL, p->of->dtype, packed > 0 || format->bits > 0 ? &part : bytes);
  }
}

/* --- Texts ------------------------------------------------------------------------------------ */

static void write_texts(cpb_json_writer *a, const cpb_tensor_preview *t, size_t count) {
  cpb_cursor c = cpb_cursor_of(t->message);
  cpb_span last = {NULL, 0};
  for (size_t i = 0; i < count; i++) {
    if (cpb_cursor_find(&c, t->field, CPB_WIRE_LEN)) last = c.bytes;
    else if (c.damaged || !t->repeats) return;
    cpb_write_short_text(a, t->part, last);
  }
}

/* --- Together ----------------------------------------------------------------------------------- */

void cpb_tensor_write_preview(cpb_json_writer *a, const cpb_tensor_preview *t) {
  preview p = {.of = t};
  if (!t->type->format || cpb_part_omits(t->part, t->message)) return;
  const size_t shown = (size_t)cpb_min_u64(t->elements, SHOWN);
  const unsigned packed = packed_of(t);
  const bool is_texts = t->type->format->size == 0;
  if (!is_texts) p.wanted = packed > 0 ? (shown * packed + 7) / 8 : shown * item_of(&p);
  if (is_texts ? t->texts < t->elements : !find_numbers(&p)) return;
  cpb_json_writer_open(a, "preview", '[');
  if (is_texts) write_texts(a, t, shown);
  else write_numbers(a, &p, shown);
  cpb_json_writer_close(a, ']');
  if (t->elements > shown) cpb_json_writer_bool(a, "preview_more", true);
}
