#include "base/checked.h"
#include "base/json_writer.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/tensor/values.h"
#include "model/onnx/fields.h"
#include "model/onnx/model.h"

/* --- tensor ----------------------------------------------------------------------------------- */

/* A tensor's description takes one walk over its fields in the outline. `parts` counts the fields with values: if
 * there is just one, the answer can name its range. */

static const char *const value_fields[] = {
    [TENSOR_FLOAT_DATA] = "float_data",   [TENSOR_INT32_DATA] = "int32_data", [TENSOR_STRING_DATA] = "string_data",
    [TENSOR_INT64_DATA] = "int64_data",   [TENSOR_RAW_DATA] = "raw_data",     [TENSOR_DOUBLE_DATA] = "double_data",
    [TENSOR_UINT64_DATA] = "uint64_data",
};

/* The name of the field of TensorProto, such as "raw_data"; NULL without values. */
static const char *field_name(uint32_t field) {
  return field < sizeof value_fields / sizeof *value_fields ? value_fields[field] : NULL;
}

/* Fields of AttributeProto, each with the type of its values. */
enum { FLOAT32 = 1, INT64 = 7, STRING = 8 };
static const struct {
  const char *name;
  uint32_t dtype, rank;
} attribute_fields[] = {
    [ATTRIBUTE_FLOAT] = {"f", FLOAT32, 0}, [ATTRIBUTE_INT] = {"i", INT64, 0},
    [ATTRIBUTE_STRING] = {"s", STRING, 0}, [ATTRIBUTE_FLOATS] = {"floats", FLOAT32, 1},
    [ATTRIBUTE_INTS] = {"ints", INT64, 1}, [ATTRIBUTE_STRINGS] = {"strings", STRING, 1},
};

/* Unpacked numbers are not contiguous; they are short, and only counted. */
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
  else if (field_name(c->number)) add_values(t, c);
}

/* The number of elements and of bytes. */
static void measure(cpb_onnx_tensor *t) {
  uint64_t size;
  cpb_varints dims = cpb_varints_of(t->message, TENSOR_DIMS);
  t->elements = 1;
  t->has_elements = true;
  while (cpb_varints_next(&dims, &size))
    if ((int64_t)size < 0 || !cpb_mul_u64(t->elements, size, &t->elements)) t->has_elements = false;
  if (!t->type.format || !t->has_elements) return;
  t->has_elements = cpb_elements_bytes(t->elements, cpb_tensor_type_bits(&t->type), &t->bytes);
}

cpb_onnx_tensor cpb_onnx_tensor_of(const cpb_part *part, cpb_span message) {
  cpb_onnx_tensor t = {
      .part = part, .message = message, .tensor = cpb_part_where(part, message), .values.offset = CPB_NO_OFFSET};
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) take_field(&t, &c);
  cpb_onnx_describe_dtype(t.dtype, &t.type);
  measure(&t);
  /* values that are also in the message do not count: parsers read the other file */
  if (!t.is_external) return t;
  cpb_external_check(&t.external);
  t.field = 0;
  t.size = t.external.has_length ? t.external.length : t.bytes;
  return t;
}

/* --- In attributes -------------------------------------------------------------------------------- */

uint32_t cpb_onnx_field_of_attribute(cpb_span op, cpb_span domain, cpb_span attribute) {
  static const struct {
    char name[16];
    uint32_t field;
  } of_constant[] = {{"value_float", ATTRIBUTE_FLOAT},   {"value_floats", ATTRIBUTE_FLOATS},
                     {"value_int", ATTRIBUTE_INT},       {"value_ints", ATTRIBUTE_INTS},
                     {"value_string", ATTRIBUTE_STRING}, {"value_strings", ATTRIBUTE_STRINGS}};
  const cpb_span name = cpb_get_bytes(attribute, ATTRIBUTE_NAME);
  if (cpb_get_bytes(attribute, ATTRIBUTE_REFERENCE).size > 0) return 0;
  if (domain.size == 0 && cpb_span_is(op, "Constant")) {
    for (size_t i = 0; i < sizeof of_constant / sizeof *of_constant; i++)
      if (cpb_span_is(name, of_constant[i].name)) return of_constant[i].field;
    return 0;
  }
  cpb_cursor c = cpb_cursor_of(attribute);
  if (!cpb_onnx_is_learned(domain, name)) return 0;
  while (cpb_cursor_next(&c))
    if (c.number == ATTRIBUTE_FLOATS) return ATTRIBUTE_FLOATS;
  return 0;
}

/* Takes a field with values, packed or not. Lists of integers are always in the part. */
static void take_of_attribute(cpb_onnx_tensor *t, const cpb_cursor *c) {
  uint64_t value;
  cpb_span packed = c->bytes;
  if (c->type == CPB_WIRE_LEN) {
    t->parts++;
    t->values = cpb_part_where(t->part, c->bytes);
    t->size += t->values.length;
    if (t->dtype == FLOAT32) t->elements += t->values.length / 4;
    else if (t->dtype == STRING) t->elements++;
    else
      while (cpb_packed_next(&packed, false, &value)) t->elements++;
  } else {
    t->elements++;
    t->size += t->dtype == FLOAT32 ? 4 : cpb_varint_size(c->value);
  }
}

/* Single values are one, even if the field is absent. */
static cpb_onnx_tensor tensor_of_attribute(const cpb_part *part, cpb_span message, uint32_t field) {
  cpb_onnx_tensor t = {.part = part,
                       .message = message,
                       .of_attribute = true,
                       .rank = attribute_fields[field].rank,
                       .dtype = attribute_fields[field].dtype,
                       .has_elements = true,
                       .field = field,
                       .values.offset = CPB_NO_OFFSET,
                       .tensor = cpb_part_where(part, message)};
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c))
    if (c.number == field) take_of_attribute(&t, &c);
  if (t.rank == 0) t.elements = 1;
  cpb_onnx_describe_dtype(t.dtype, &t.type);
  t.type.field = field;
  t.bytes = t.elements * t.type.format->size;
  return t;
}

cpb_onnx_tensor cpb_onnx_stored(const cpb_part *part, const cpb_view_tensor *t) {
  if (cpb_onnx_is_attribute(t)) return tensor_of_attribute(part, t->message, t->field);
  return cpb_onnx_tensor_of(part, cpb_onnx_is_sparse(t) ? cpb_get_bytes(t->message, SPARSE_VALUES) : t->message);
}

/* --- In JSON ----------------------------------------------------------------------------------- */

static void write_external(cpb_json_writer *a, const cpb_onnx_tensor *t) {
  const cpb_external *e = &t->external;
  cpb_json_writer_open(a, "external", '{');
  cpb_json_writer_span(a, "location", e->location);
  cpb_json_writer_unsigned(a, "offset", e->offset);
  if (e->has_length) cpb_json_writer_unsigned(a, "length", e->length);
  else cpb_json_writer_null(a, "length");
  if (e->checksum.size > 0) cpb_json_writer_span(a, "checksum", e->checksum);
  if (e->wrong) cpb_json_writer_text(a, "problem", e->wrong);
  cpb_json_writer_close(a, '}');
}

static uint64_t count_texts(const cpb_onnx_tensor *t) {
  if (!t->of_attribute) return t->field == TENSOR_STRING_DATA ? t->parts : 0;
  return t->dtype == STRING ? t->elements : 0;
}

static void write_preview(cpb_json_writer *a, const cpb_onnx_tensor *t) {
  const cpb_tensor_preview preview = {.part = t->part,
                                      .message = t->message,
                                      .field = t->field,
                                      .content = t->of_attribute ? 0 : TENSOR_RAW_DATA,
                                      .type = &t->type,
                                      .dtype = t->dtype,
                                      .elements = t->elements,
                                      .texts = count_texts(t),
                                      .repeats = t->of_attribute && t->rank == 0,
                                      .write = cpb_onnx_write_element};
  if (t->has_elements && !t->is_external) cpb_tensor_write_preview(a, &preview);
}

static void write_shape(cpb_json_writer *a, const cpb_onnx_tensor *t) {
  if (!t->of_attribute) {
    cpb_write_varints(a, "shape", t->message, TENSOR_DIMS);
    return;
  }
  cpb_json_writer_open(a, "shape", '[');
  if (t->rank > 0) cpb_json_writer_exact_unsigned(a, NULL, t->elements);
  cpb_json_writer_close(a, ']');
}

void cpb_onnx_write_tensor(cpb_json_writer *a, const cpb_onnx_tensor *t) {
  cpb_onnx_write_dtype(a, "dtype", t->dtype);
  write_shape(a, t);
  if (t->has_elements) {
    cpb_json_writer_exact_unsigned(a, "elements", t->elements);
    if (t->type.format && t->type.format->size > 0) cpb_json_writer_exact_unsigned(a, "bytes", t->bytes);
  }
  cpb_json_writer_unsigned(a, "size", t->size);
  if (t->is_external) write_external(a, t);
  if (t->field)
    cpb_json_writer_text(a, "field", t->of_attribute ? attribute_fields[t->field].name : field_name(t->field));
  if (t->parts == 1 && !t->is_external && t->values.offset != CPB_NO_OFFSET) cpb_write_range(a, "values", t->values);
  if (t->tensor.offset != CPB_NO_OFFSET && !t->of_attribute) cpb_write_range(a, "tensor", t->tensor);
  write_preview(a, t);
}

static void write_inner(cpb_json_writer *a, const char *key, const cpb_onnx_tensor *t) {
  cpb_json_writer_open(a, key, '{');
  cpb_onnx_write_tensor(a, t);
  cpb_json_writer_close(a, '}');
}

void cpb_onnx_write_sparse(cpb_json_writer *a, const cpb_part *part, cpb_span message) {
  const cpb_onnx_tensor values = cpb_onnx_tensor_of(part, cpb_get_bytes(message, SPARSE_VALUES));
  const cpb_onnx_tensor indices = cpb_onnx_tensor_of(part, cpb_get_bytes(message, SPARSE_INDICES));
  cpb_onnx_write_dtype(a, "dtype", values.dtype);
  cpb_write_varints(a, "shape", message, SPARSE_DIMS);
  cpb_json_writer_unsigned(a, "size", values.size + indices.size);
  cpb_json_writer_bool(a, "sparse", true);
  write_inner(a, "values_tensor", &values);
  write_inner(a, "indices_tensor", &indices);
}
