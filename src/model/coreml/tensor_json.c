#include "model/coreml/tensor_json.h"

#include "model/common/cursor.h"
#include "model/common/tensor/preview.h"
#include "model/common/write.h"
#include "model/coreml/dtypes.h"

/* --- Tensors --------------------------------------------------------------------------- */

static void write_shape(cpb_json_writer *a, const cpb_coreml_tensor *t) {
  cpb_json_writer_open(a, "shape", '[');
  for (uint32_t i = 0; i < t->rank; i++) cpb_json_writer_exact_unsigned(a, NULL, t->shape[i]);
  cpb_json_writer_close(a, ']');
}

static void write_external(cpb_json_writer *a, const cpb_coreml_tensor *t) {
  cpb_json_writer_open(a, "external", '{');
  cpb_json_writer_span(a, "location", cpb_coreml_file_of(t->location));
  cpb_json_writer_exact_unsigned(a, "offset", t->offset);
  if (t->has_elements) cpb_json_writer_exact_unsigned(a, "length", t->bytes);
  else cpb_json_writer_null(a, "length");
  if (t->wrong) cpb_json_writer_text(a, "problem", t->wrong);
  cpb_json_writer_close(a, '}');
}

/* How many floats a field has, packed or not. */
static uint64_t count_floats(const cpb_part *part, cpb_span message, uint32_t number) {
  uint64_t count = 0;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    if (c.number != number) continue;
    count += c.type == CPB_WIRE_LEN ? cpb_part_where(part, c.bytes).length / 4 : 1;
  }
  return count;
}

static void write_quantization(cpb_json_writer *a, const cpb_coreml_tensor *t) {
  const cpb_span linear = cpb_get_bytes(t->quantization, QUANTIZATION_LINEAR);
  const cpb_span table = cpb_get_bytes(t->quantization, QUANTIZATION_TABLE);
  cpb_json_writer_open(a, "quantization", '{');
  cpb_json_writer_exact_unsigned(a, "bits", cpb_get_number(t->quantization, QUANTIZATION_BITS));
  if (table.data) {
    cpb_json_writer_unsigned(a, "table", count_floats(t->part, table, 1));
  } else if (linear.data) {
    cpb_json_writer_unsigned(a, "scales", count_floats(t->part, linear, LINEAR_SCALE));
    cpb_json_writer_unsigned(a, "biases", count_floats(t->part, linear, LINEAR_BIAS));
  }
  cpb_json_writer_close(a, '}');
}

static void write_preview(cpb_json_writer *a, const cpb_coreml_tensor *t) {
  const cpb_tensor_preview preview = {.part = t->part,
                                      .message = t->message,
                                      .field = t->number,
                                      .content = t->is_content ? t->number : 0,
                                      .type = &t->type,
                                      .dtype = t->dtype,
                                      .elements = t->elements,
                                      .texts = t->parts,
                                      .write = cpb_coreml_write_element};
  if (t->has_elements && t->number > 0) cpb_tensor_write_preview(a, &preview);
}

void cpb_coreml_write_tensor(cpb_json_writer *a, const cpb_coreml_tensor *t) {
  cpb_coreml_write_dtype(a, "dtype", t->dtype);
  write_shape(a, t);
  if (t->has_elements) {
    cpb_json_writer_exact_unsigned(a, "elements", t->elements);
    if (t->type.format && t->type.format->size > 0) cpb_json_writer_exact_unsigned(a, "bytes", t->bytes);
  }
  cpb_json_writer_unsigned(a, "size", t->size);
  if (t->is_external) write_external(a, t);
  if (t->field) cpb_json_writer_text(a, "field", t->field);
  if (t->parts == 1 && t->values.offset != CPB_NO_OFFSET) cpb_write_range(a, "values", t->values);
  if (t->tensor.offset != CPB_NO_OFFSET) cpb_write_range(a, t->is_weights ? "weights" : "tensor", t->tensor);
  if (t->quantization.data) write_quantization(a, t);
  write_preview(a, t);
}

/* --- Attributes ---------------------------------------------------------------------------- */

/* A number or a text by itself: its first value, and what it is as the kind. */
static bool write_single(cpb_json_writer *a, const cpb_coreml_tensor *t) {
  cpb_cursor c = cpb_cursor_of(t->message);
  uint8_t bytes[8];
  if (t->rank > 0 || t->is_external || t->number == 0 || t->parts != 1 || !t->type.format) return false;
  if (!cpb_cursor_find(&c, t->number, CPB_WIRE_LEN) || cpb_part_omits(t->part, c.bytes)) return false;
  uint64_t number = 0;
  const bool is_text = t->type.format->size == 0, is_varint = t->type.wire == CPB_WIRE_VARINT;
  const size_t size = t->type.format->size;
  if (is_varint && !cpb_varint_read(c.bytes.data, c.bytes.data + c.bytes.size, &number)) return false;
  if (!is_text && !is_varint && (c.bytes.size != size || size > sizeof bytes)) return false;
  cpb_coreml_write_dtype(a, "kind", t->dtype);
  cpb_store64(bytes, number);
  if (!is_text && !is_varint) memcpy(bytes, c.bytes.data, size);
  if (is_text) cpb_json_writer_span(a, "value", c.bytes);
  else cpb_coreml_write_element(a, "value", t->dtype, bytes);
  return true;
}

static void write_count(cpb_json_writer *a, cpb_span value) {
  static const char *const kinds[] = {NULL, NULL, "tuple", "list", "dictionary"};
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(value, VALUE_IMMEDIATE));
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || c.number < IMMEDIATE_TUPLE || c.number > IMMEDIATE_DICTIONARY) continue;
    cpb_json_writer_text(a, "kind", kinds[c.number]);
    cpb_json_writer_unsigned(a, "value", cpb_count_bytes(c.bytes, 1));
    return;
  }
  cpb_json_writer_null(a, "kind");
  cpb_json_writer_null(a, "value");
}

void cpb_coreml_write_attribute(cpb_json_writer *a, const cpb_part *part, cpb_span name, cpb_span value) {
  const cpb_coreml_tensor t = cpb_coreml_tensor_of_value(part, value);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", name);
  if (!t.is_tensor) {
    write_count(a, value);
  } else if (!write_single(a, &t)) {
    cpb_json_writer_text(a, "kind", "tensor");
    cpb_json_writer_open(a, "value", '{');
    cpb_coreml_write_tensor(a, &t);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, '}');
}
