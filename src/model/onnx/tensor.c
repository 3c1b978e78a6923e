#include "model/onnx/tensor.h"

#include "base/checked.h"
#include "model/common/cursor.h"
#include "model/onnx/dtypes.h"
#include "model/onnx/fields.h"

static const char *const value_fields[] = {
    [TENSOR_FLOAT_DATA] = "float_data",   [TENSOR_INT32_DATA] = "int32_data", [TENSOR_STRING_DATA] = "string_data",
    [TENSOR_INT64_DATA] = "int64_data",   [TENSOR_RAW_DATA] = "raw_data",     [TENSOR_DOUBLE_DATA] = "double_data",
    [TENSOR_UINT64_DATA] = "uint64_data",
};

const char *cpb_onnx_field_name(uint32_t field) {
  return field < sizeof value_fields / sizeof *value_fields ? value_fields[field] : NULL;
}

/* Numbers that are not packed lie apart; they are short, and only counted. */
static void add_values(cpb_onnx_tensor *t, const cpb_cursor *c) {
  cpb_range where = c->type == CPB_WIRE_LEN ? cpb_part_where(t->part, c->bytes) : (cpb_range){CPB_NO_OFFSET, 1};
  if (t->parts++ == 0) {
    t->field = c->number;
    t->values = where;
  }
  t->size += where.length;
}

static void take_field(cpb_onnx_tensor *t, const cpb_cursor *c) {
  if (c->number == TENSOR_TYPE && c->type == CPB_WIRE_VARINT) t->dtype = c->value;
  else if (c->number == TENSOR_LOCATION) t->is_external = c->value == LOCATION_EXTERNAL;
  else if (c->number == TENSOR_EXTERNAL && c->type == CPB_WIRE_LEN) cpb_external_add(&t->external, c->bytes);
  else if (cpb_onnx_field_name(c->number)) add_values(t, c);
}

/* How many elements, and in how many bytes. */
static void measure(cpb_onnx_tensor *t) {
  uint64_t size, bits = 0;
  cpb_varints dims = cpb_varints_of(t->message, TENSOR_DIMS);
  t->elements = 1;
  t->has_elements = true;
  while (cpb_varints_next(&dims, &size)) {
    if ((int64_t)size < 0 || !cpb_mul_u64(t->elements, size, &t->elements)) t->has_elements = false;
  }
  if (!t->type.format || !t->has_elements) return;
  bits = t->type.packed > 0 ? t->type.packed : 8u * t->type.format->size;
  if (!cpb_mul_u64(t->elements, bits, &size)) t->has_elements = false;
  else t->bytes = size / 8 + (size % 8 > 0);
}

cpb_onnx_tensor cpb_onnx_tensor_of(const cpb_part *part, cpb_span message) {
  cpb_onnx_tensor t = {
      .part = part, .message = message, .tensor = cpb_part_where(part, message), .values.offset = CPB_NO_OFFSET};
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) take_field(&t, &c);
  cpb_onnx_describe_dtype(t.dtype, &t.type);
  measure(&t);
  if (!t.is_external) return t;
  cpb_external_check(&t.external);
  t.field = 0;
  t.size = t.external.has_length ? t.external.length : t.bytes;
  return t;
}
