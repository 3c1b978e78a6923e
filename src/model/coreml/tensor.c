#include "model/coreml/model.h"

#include "base/checked.h"
#include "base/json_writer.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/tensor/values.h"

/* --- Sizes ----------------------------------------------------------------------------------- */

/* The number of elements and of bytes. */
static void measure(cpb_coreml_tensor *t) {
  t->has_elements = cpb_elements_of(t->shape, t->rank, &t->elements) && t->has_elements &&
                    cpb_elements_bytes(t->elements, cpb_tensor_type_bits(&t->type), &t->bytes);
}

static void add_size(cpb_coreml_tensor *t, uint64_t size) {
  if (t->rank == CPB_COREML_RANK_MAX) t->has_elements = false;
  else t->shape[t->rank++] = size;
}

/* Adds the values of a field: their bytes, or, for numbers that are not packed, only their count. */
static void add_values(cpb_coreml_tensor *t, const cpb_cursor *c) {
  const cpb_range where = c->type == CPB_WIRE_LEN ? cpb_part_where(t->part, c->bytes) : (cpb_range){CPB_NO_OFFSET, 1};
  if (t->parts++ == 0) t->values = where;
  t->size += where.length;
}

static void find_values(cpb_coreml_tensor *t) {
  cpb_cursor c = cpb_cursor_of(t->message);
  while (cpb_cursor_next(&c))
    if (c.number == t->number) add_values(t, &c);
}

void cpb_coreml_elements(cpb_span type, bool *is_known, uint64_t *elements) {
  cpb_cursor c = cpb_cursor_of(type);
  *is_known = type.data && (int64_t)cpb_get_number(type, TENSOR_RANK) >= 0;
  *elements = 1;
  while (cpb_cursor_find(&c, TENSOR_DIMENSION, CPB_WIRE_LEN)) {
    const cpb_span size = cpb_get_bytes(c.bytes, DIMENSION_CONSTANT);
    if (!size.data || !cpb_mul_u64(*elements, cpb_get_number(size, DIMENSION_SIZE), elements)) *is_known = false;
  }
}

uint64_t cpb_coreml_bytes(uint64_t dtype, uint64_t elements) {
  cpb_tensor_type type;
  uint64_t bytes;
  if (!cpb_coreml_describe_dtype(dtype, &type) || !type.format) return 0;
  return cpb_elements_bytes(elements, cpb_tensor_type_bits(&type), &bytes) ? bytes : UINT64_MAX;
}

/* --- Values of programs ---------------------------------------------------------------------- */

static const struct {
  const char *name;
  cpb_wire_type wire;
  uint32_t item; /* bytes of an element, if they must be as many */
} fields[] = {[VALUES_FLOATS] = {"floats", CPB_WIRE_FIXED32, 4},
              [VALUES_INTS] = {"ints", CPB_WIRE_VARINT, 0},
              [VALUES_BOOLS] = {"bools", CPB_WIRE_VARINT, 0},
              [VALUES_STRINGS] = {"strings", CPB_WIRE_LEN, 0},
              [VALUES_LONG_INTS] = {"longInts", CPB_WIRE_VARINT, 0},
              [VALUES_DOUBLES] = {"doubles", CPB_WIRE_FIXED64, 8},
              [VALUES_BYTES] = {"bytes", CPB_WIRE_LEN, 0}};
#define NUM_FIELDS (sizeof fields / sizeof *fields)

/* If the type of the values does not match their field, they are not read. */
static void take_immediate(cpb_coreml_tensor *t, cpb_span tensor) {
  uint32_t field = 0;
  cpb_cursor c = cpb_cursor_of(tensor);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || c.number >= NUM_FIELDS) continue;
    field = c.number;
    t->message = c.bytes;
  }
  if (field == 0) return;
  t->field = fields[field].name;
  t->number = 1;
  t->type.wire = fields[field].wire;
  t->is_content = field == VALUES_BYTES;
  t->type.field = t->is_content ? 0 : t->number;
  if (!t->is_content) t->type.packed = 0;
  const cpb_tensor_format *format = t->type.format;
  if (format && (format->size == 0) != (field == VALUES_STRINGS)) t->type.format = NULL;
  if (format && fields[field].item > 0 && format->size != fields[field].item) t->type.format = NULL;
  find_values(t);
}

static void take_blob(cpb_coreml_tensor *t, cpb_span blob) {
  cpb_external place = {.location = cpb_coreml_file_of(cpb_get_bytes(blob, BLOB_FILE))};
  t->is_external = true;
  t->location = cpb_get_bytes(blob, BLOB_FILE);
  t->offset = cpb_get_number(blob, BLOB_OFFSET);
  cpb_external_check(&place);
  t->wrong = place.wrong;
  t->size = t->bytes;
}

cpb_span cpb_coreml_file_of(cpb_span location) {
  const cpb_span folder = cpb_span_of(CPB_COREML_FOLDER);
  return cpb_span_begins(location, folder) ? cpb_span_from(location, folder.size) : location;
}

cpb_coreml_tensor cpb_coreml_tensor_of_value(const cpb_part *part, cpb_span value) {
  const cpb_span type = cpb_get_bytes(cpb_get_bytes(value, VALUE_TYPE), MIL_TENSOR);
  const cpb_span blob = cpb_get_bytes(value, VALUE_BLOB);
  cpb_coreml_tensor t;
  cpb_cursor c = cpb_cursor_of(type);
  memset(&t, 0, sizeof t);
  t.part = part;
  t.values.offset = CPB_NO_OFFSET;
  t.tensor = cpb_part_where(part, value);
  t.is_tensor = type.data != NULL;
  t.has_elements = t.is_tensor && (int64_t)cpb_get_number(type, TENSOR_RANK) >= 0;
  t.dtype = cpb_get_number(type, TENSOR_TYPE);
  cpb_coreml_describe_dtype(t.dtype, &t.type);
  while (cpb_cursor_find(&c, TENSOR_DIMENSION, CPB_WIRE_LEN)) {
    const cpb_span size = cpb_get_bytes(c.bytes, DIMENSION_CONSTANT);
    if (!size.data) t.has_elements = false;
    add_size(&t, cpb_get_number(size, DIMENSION_SIZE));
  }
  if (!blob.data) take_immediate(&t, cpb_get_bytes(cpb_get_bytes(value, VALUE_IMMEDIATE), IMMEDIATE_TENSOR));
  measure(&t);
  if (blob.data) take_blob(&t, blob);
  return t;
}

/* --- Weights of layers ------------------------------------------------------------------------ */

/* Weights do not say their shape. The layer's parameters do (values.c lists which fields), but files exist where
 * both disagree, or where the layer is newer than the list. The stored size decides: a shape that does not fit it is
 * dropped. */

static unsigned bits_of(cpb_span quantization) {
  const uint64_t bits = cpb_get_number(quantization, QUANTIZATION_BITS);
  return bits >= 1 && bits <= 8 ? (unsigned)bits : 8;
}

static void take_weights(cpb_coreml_tensor *t, cpb_span weights) {
  cpb_cursor c = cpb_cursor_of(weights);
  t->message = weights;
  t->quantization = cpb_get_bytes(weights, WEIGHTS_QUANTIZATION);
  while (cpb_cursor_next(&c)) {
    switch (c.number) {
      case WEIGHTS_FLOAT: t->dtype = MIL_FLOAT32, t->field = "floatValue"; break;
      case WEIGHTS_FLOAT16: t->dtype = MIL_FLOAT16, t->field = "float16Value"; break;
      case WEIGHTS_RAW: t->dtype = cpb_coreml_quantized(bits_of(t->quantization)), t->field = "rawValue"; break;
      case WEIGHTS_INT8: t->dtype = MIL_INT8, t->field = "int8RawValue"; break;
      default: continue;
    }
    t->number = c.number;
  }
  cpb_coreml_describe_dtype(t->dtype, &t->type);
  if (t->dtype == cpb_coreml_quantized(8)) t->type.packed = 0;
  t->is_content = t->number != WEIGHTS_FLOAT;
  t->type.field = t->is_content ? 0 : t->number;
  t->type.wire = CPB_WIRE_FIXED32;
  if (t->number > 0) find_values(t);
}

/* Adds the sizes in a field of the layer, a number or a list. */
static void add_sizes(cpb_coreml_tensor *t, cpb_span parameters, uint32_t field) {
  uint64_t size;
  cpb_varints sizes = cpb_varints_of(parameters, field);
  while (cpb_varints_next(&sizes, &size)) add_size(t, size);
}

/* A field of the message, or its default. */
static uint64_t number_or(cpb_span message, uint32_t field, uint64_t or_else) {
  const uint64_t number = cpb_get_number(message, field);
  return number > 0 ? number : or_else;
}

/* [outputs, inputs of a group, kernel]; of a deconvolution [inputs, outputs of a group, kernel]. */
static void add_convolution(cpb_coreml_tensor *t, cpb_span layer, bool is_3d) {
  enum { OUTPUTS = 1, INPUTS = 2, GROUPS = 10, KERNEL = 20, DEPTH = 20, WIDTH = 22 };
  const bool reversed = cpb_get_number(layer, is_3d ? 86 : 60) != 0;
  const uint64_t groups = number_or(layer, GROUPS, 1), outputs = cpb_get_number(layer, OUTPUTS);
  uint64_t inputs = cpb_get_number(layer, INPUTS);
  if (is_3d && !reversed) inputs /= groups; /* without is_3d it is the number per group */
  add_size(t, reversed ? inputs : outputs);
  add_size(t, reversed ? outputs / groups : inputs);
  const uint32_t before = t->rank;
  if (!is_3d) add_sizes(t, layer, KERNEL);
  for (uint32_t i = DEPTH; is_3d && i <= WIDTH; i++) add_size(t, number_or(layer, i, 3));
  for (int i = 0; i < 2 && !is_3d && t->rank < before + 2; i++) add_size(t, 3);
}

/* As many elements as there are values; an upper bound if the last byte has unused bits. */
static uint64_t stored_elements(const cpb_coreml_tensor *t) {
  uint64_t bits;
  if (t->parts != 1 || t->values.offset == CPB_NO_OFFSET) return t->parts; /* not packed */
  if (t->type.packed == 0) return t->type.format ? t->size / t->type.format->size : 0;
  return cpb_mul_u64(t->size, 8, &bits) ? bits / t->type.packed : 0;
}

/* The shape that the layer gives, if it matches the stored size; else a list. */
static void shape_weights(cpb_coreml_tensor *t, const cpb_view_tensor *c) {
  const cpb_coreml_weights *w = c->rule;
  const uint64_t stored = stored_elements(t);
  t->has_elements = true;
  if (w->how != CPB_COREML_SIZES) add_convolution(t, c->parameters, w->how == CPB_COREML_CONVOLUTION_3D);
  for (size_t i = 0; w->how == CPB_COREML_SIZES && i < 3 && w->shape[i] > 0; i++)
    add_sizes(t, c->parameters, w->shape[i]);
  measure(t);
  const bool fits = t->type.packed > 0 ? t->bytes == t->size : t->elements == stored;
  if (t->has_elements && t->rank > 0 && fits) return;
  t->rank = 0;
  t->has_elements = true;
  add_size(t, stored);
  measure(t);
}

cpb_coreml_tensor cpb_coreml_tensor_of(const cpb_part *part, const cpb_view_tensor *c) {
  cpb_coreml_tensor t;
  if (!c->rule) return cpb_coreml_tensor_of_value(part, c->message);
  memset(&t, 0, sizeof t);
  t.part = part;
  t.values.offset = CPB_NO_OFFSET;
  t.tensor = cpb_part_where(part, c->message);
  t.is_tensor = t.is_weights = true;
  take_weights(&t, c->message);
  shape_weights(&t, c);
  return t;
}

/* --- In JSON ----------------------------------------------------------------------------------- */

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

/* The number of floats in a field, packed or not. */
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

bool cpb_coreml_write_single(cpb_json_writer *a, const char *kind, const char *key, const cpb_coreml_tensor *t) {
  cpb_cursor c = cpb_cursor_of(t->message);
  uint8_t bytes[8];
  if (t->rank > 0 || t->is_external || t->number == 0 || t->parts != 1 || !t->type.format) return false;
  if (!cpb_cursor_find(&c, t->number, CPB_WIRE_LEN) || cpb_part_omits(t->part, c.bytes)) return false;
  uint64_t number = 0;
  const bool is_text = t->type.format->size == 0, is_varint = t->type.wire == CPB_WIRE_VARINT;
  const size_t size = t->type.format->size;
  if (is_varint && !cpb_varint_read(c.bytes.data, c.bytes.data + c.bytes.size, &number)) return false;
  if (!is_text && !is_varint && (c.bytes.size != size || size > sizeof bytes)) return false;
  if (kind) cpb_coreml_write_dtype(a, kind, t->dtype);
  cpb_store64(bytes, number);
  if (!is_text && !is_varint) memcpy(bytes, c.bytes.data, size);
  if (is_text) cpb_json_writer_span(a, key, c.bytes);
  else cpb_coreml_write_element(a, key, t->dtype, bytes);
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
  } else if (!cpb_coreml_write_single(a, "kind", "value", &t)) {
    cpb_json_writer_text(a, "kind", "tensor");
    cpb_json_writer_open(a, "value", '{');
    cpb_coreml_write_tensor(a, &t);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, '}');
}
