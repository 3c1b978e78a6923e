#include "model/tensorflow/preview.h"

#include "base/checked.h"
#include "model/common/cursor.h"
#include "model/common/tensor/element.h"
#include "model/common/tensor/shapes.h"
#include "model/common/text.h"
#include "model/tensorflow/fields.h"

#define SHOWN 8
#define LARGEST 16 /* bytes of an element */

typedef struct preview {
  const cpb_part *part;
  cpb_span tensor;
  uint64_t dtype, elements;
  const cpb_tensor_format *format;
  uint8_t bytes[SHOWN * LARGEST]; /* of the elements that are shown */
  size_t size, wanted;
} preview;

/* --- Numbers -------------------------------------------------------------------------------- */

static void put(preview *p, uint64_t number) {
  if (p->format->bits > 0) number = cpb_tensor_small(p->format, number);
  for (size_t i = 0; i < p->format->size; i++) p->bytes[p->size++] = (uint8_t)(number >> 8 * i);
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

/* A field with values: packed ones, or one that lies alone. */
static bool put_field(preview *p, const cpb_cursor *c) {
  uint8_t number[8];
  cpb_wire_type type = cpb_tensor_field_type(p->format->field);
  if (c->type == CPB_WIRE_LEN) {
    if (cpb_part_omits(p->part, c->bytes)) return false;
    if (type == CPB_WIRE_VARINT) return put_varints(p, c->bytes);
    put_bytes(p, c->bytes);
  } else if (c->type == type && type == CPB_WIRE_VARINT) {
    put(p, c->value);
  } else if (c->type == type) {
    cpb_store64(number, c->value);
    put_bytes(p, (cpb_span){number, type == CPB_WIRE_FIXED32 ? 4 : 8});
  }
  return true;
}

/* The last value stands for those that were left out, zero for all of them. */
static void repeat(preview *p) {
  size_t item = p->format->size;
  for (size_t i = p->size; i < p->wanted; i++) p->bytes[i] = i < item ? 0 : p->bytes[i - item];
  p->size = p->wanted;
}

static bool find_typed(preview *p) {
  cpb_cursor c = cpb_cursor_of(p->tensor);
  while (p->size < p->wanted && cpb_cursor_next(&c)) {
    if (c.number == p->format->field && !put_field(p, &c)) return false;
  }
  if (c.damaged || p->size % p->format->size != 0) return false;
  repeat(p);
  return true;
}

static bool find_content(preview *p, cpb_span content) {
  uint64_t size;
  bool fits = cpb_mul_u64(p->elements, p->format->size, &size) && size == content.size;
  if (!fits || cpb_part_omits(p->part, content)) return false;
  put_bytes(p, content);
  for (size_t i = 0; i < p->size && p->format->bits > 0; i++) p->bytes[i] = cpb_tensor_small(p->format, p->bytes[i]);
  return true;
}

static bool find_numbers(preview *p) {
  cpb_span content = cpb_get_bytes(p->tensor, TENSOR_CONTENT);
  return cpb_part_omits(p->part, content) || content.size > 0 ? find_content(p, content) : find_typed(p);
}

static void write_numbers(cpb_json_writer *a, const preview *p) {
  for (size_t i = 0; i < p->size; i += p->format->size) cpb_write_element(a, NULL, p->dtype, p->bytes + i);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* The last string stands for those that were left out. */
static void write_texts(cpb_json_writer *a, const preview *p) {
  cpb_cursor c = cpb_cursor_of(p->tensor);
  cpb_span last = {NULL, 0};
  for (size_t i = 0; i < p->wanted; i++) {
    if (cpb_cursor_find(&c, TENSOR_STRINGS, CPB_WIRE_LEN)) last = c.bytes;
    else if (c.damaged) return;
    cpb_write_short_text(a, p->part, last);
  }
}

/* --- Together ----------------------------------------------------------------------------------- */

static bool is_texts(const preview *p) { return p->format->size == 0; }

static void write_counts(cpb_json_writer *a, const preview *p) {
  uint64_t bytes;
  cpb_json_writer_unsigned(a, "elements", p->elements);
  if (p->format && !is_texts(p) && cpb_mul_u64(p->elements, p->format->size, &bytes))
    cpb_json_writer_unsigned(a, "bytes", bytes);
}

void cpb_write_preview(cpb_json_writer *a, const cpb_part *part, cpb_span tensor) {
  preview p = {.part = part, .tensor = tensor, .dtype = cpb_get_number(tensor, TENSOR_DTYPE)};
  p.format = cpb_tensor_format_of(p.dtype);
  if (!tensor.data || !cpb_shape_elements(cpb_get_shape(tensor, TENSOR_SHAPE), &p.elements)) return;
  if (cpb_part_omits(part, tensor)) return;
  write_counts(a, &p);
  if (!p.format) return;
  size_t shown = (size_t)cpb_min_u64(p.elements, SHOWN);
  p.wanted = is_texts(&p) ? shown : shown * p.format->size;
  if (!is_texts(&p) && !find_numbers(&p)) return;
  cpb_json_writer_open(a, "preview", '[');
  if (is_texts(&p)) write_texts(a, &p);
  else write_numbers(a, &p);
  cpb_json_writer_close(a, ']');
  if (p.elements > shown) cpb_json_writer_bool(a, "preview_more", true);
}
