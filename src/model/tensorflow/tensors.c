#include "model/tensorflow/describe.h"

#include "base/checked.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/tensor/tensor.h"
#include "model/common/tensor/values.h"
#include "model/tensorflow/fields.h"

/* --- The first values -------------------------------------------------------------------------- */

/* Values that repeat (a field shorter than the shape says) are one of TensorFlow's own short forms, and previews
 * show them as they will be read. tensor_content must have exactly the size that the shape needs. */

static void write_counts(cpb_json_writer *a, const cpb_tensor_preview *p) {
  const cpb_tensor_format *format = p->type->format;
  uint64_t bytes;
  cpb_json_writer_unsigned(a, "elements", p->elements);
  if (format && format->size > 0 && cpb_mul_u64(p->elements, format->size, &bytes))
    cpb_json_writer_unsigned(a, "bytes", bytes);
}

/* Members of an object: "elements" and "bytes", if its shape is known; and "preview", if its values are in memory. */
static void write_preview(cpb_json_writer *a, const cpb_tensor *t) {
  cpb_tensor_type type;
  uint64_t size;
  cpb_tensor_preview p = {.part = t->part,
                          .message = t->message,
                          .content = TENSOR_CONTENT,
                          .type = &type,
                          .texts = UINT64_MAX,
                          .dtype = t->dtype,
                          .repeats = true,
                          .write = cpb_write_element};
  if (!t->message.data || cpb_part_omits(t->part, t->message) || !cpb_shape_elements(t->shape, &p.elements)) return;
  cpb_tensorflow_layout.describe(t->dtype, &type);
  const cpb_span content = cpb_get_bytes(t->message, TENSOR_CONTENT);
  const bool has_content = content.size > 0 || cpb_part_omits(t->part, content);
  write_counts(a, &p);
  if (!type.format) return;
  const bool fits = cpb_mul_u64(p.elements, type.format->size, &size) && size == content.size;
  p.field = type.format->size == 0 ? TENSOR_STRINGS : has_content ? TENSOR_CONTENT : type.field;
  if (p.field == TENSOR_CONTENT && !fits) return;
  cpb_tensor_write_preview(a, &p);
}

static const char *const value_fields[] = {[TENSOR_CONTENT] = "tensor_content",
                                           [TENSOR_FLOATS] = "float_val",
                                           [TENSOR_DOUBLES] = "double_val",
                                           [TENSOR_INTS] = "int_val",
                                           [TENSOR_STRINGS] = "string_val",
                                           [TENSOR_COMPLEX64] = "scomplex_val",
                                           [TENSOR_INT64] = "int64_val",
                                           [TENSOR_BOOLS] = "bool_val",
                                           [TENSOR_COMPLEX128] = "dcomplex_val",
                                           [TENSOR_HALVES] = "half_val",
                                           [TENSOR_RESOURCES] = "resource_handle_val",
                                           [TENSOR_VARIANTS] = "variant_val",
                                           [TENSOR_UINT32] = "uint32_val",
                                           [TENSOR_UINT64] = "uint64_val",
                                           [TENSOR_FLOAT8] = "float8_val"};

/* The name of the field, such as "tensor_content"; NULL for 0. */
static const char *field_name(uint32_t field) {
  return field < sizeof value_fields / sizeof *value_fields ? value_fields[field] : NULL;
}

/* Unpacked numbers are not contiguous; they are short, and only counted. */
static void add_values(cpb_tensor *t, const cpb_part *part, const cpb_cursor *c) {
  cpb_range where = c->type == CPB_WIRE_LEN ? cpb_part_where(part, c->bytes) : (cpb_range){CPB_NO_OFFSET, 1};
  if (where.length == 0) return;
  if (t->parts++ == 0) {
    t->field = c->number;
    t->values = where;
  }
  t->size += where.length;
}

cpb_tensor cpb_tensor_of(const cpb_part *part, cpb_span message) {
  cpb_tensor t = {
      .part = part, .message = message, .tensor = cpb_part_where(part, message), .values.offset = CPB_NO_OFFSET};
  if (cpb_part_omits(part, message)) t.size = t.tensor.length;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c))
    if (c.number == TENSOR_DTYPE) t.dtype = c.value;
    else if (c.number == TENSOR_SHAPE) t.shape = c.bytes;
    else if (field_name(c.number)) add_values(&t, part, &c);
  if (!t.shape.data) t.shape = (cpb_span){message.data, 0};
  return t;
}

void cpb_write_tensor(cpb_json_writer *a, const cpb_tensor *t) {
  cpb_write_dtype(a, "dtype", t->dtype);
  cpb_write_shape(a, "shape", t->shape);
  if (cpb_tensor_lacks_values(t)) return;
  cpb_json_writer_unsigned(a, "size", t->size);
  if (t->field) cpb_json_writer_text(a, "field", field_name(t->field));
  if (t->parts == 1 && t->values.offset != CPB_NO_OFFSET) cpb_write_range(a, "values", t->values);
  if (t->tensor.offset != CPB_NO_OFFSET) cpb_write_range(a, "tensor", t->tensor);
  write_preview(a, t);
}
