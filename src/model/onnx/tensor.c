#include "base/checked.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/tensor/values.h"
#include "model/onnx/fields.h"
#include "model/onnx/model.h"
#include "model/questions/values.h"

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

static void write_preview(cpb_json_writer *a, const cpb_onnx_tensor *t) {
  const cpb_tensor_preview preview = {.part = t->part,
                                      .message = t->message,
                                      .field = t->field,
                                      .content = TENSOR_RAW_DATA,
                                      .type = &t->type,
                                      .dtype = t->dtype,
                                      .elements = t->elements,
                                      .texts = t->field == TENSOR_STRING_DATA ? t->parts : 0,
                                      .write = cpb_onnx_write_element};
  if (t->has_elements && !t->is_external) cpb_tensor_write_preview(a, &preview);
}

void cpb_onnx_write_tensor(cpb_json_writer *a, const cpb_onnx_tensor *t) {
  cpb_onnx_write_dtype(a, "dtype", t->dtype);
  cpb_write_varints(a, "shape", t->message, TENSOR_DIMS);
  if (t->has_elements) {
    cpb_json_writer_exact_unsigned(a, "elements", t->elements);
    if (t->type.format && t->type.format->size > 0) cpb_json_writer_exact_unsigned(a, "bytes", t->bytes);
  }
  cpb_json_writer_unsigned(a, "size", t->size);
  if (t->is_external) write_external(a, t);
  if (t->field) cpb_json_writer_text(a, "field", field_name(t->field));
  if (t->parts == 1 && !t->is_external && t->values.offset != CPB_NO_OFFSET) cpb_write_range(a, "values", t->values);
  if (t->tensor.offset != CPB_NO_OFFSET) cpb_write_range(a, "tensor", t->tensor);
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

/* --- values ----------------------------------------------------------------------------------- */

/* An initializer by its name, or a tensor among a node's attributes: of a Constant by the name of its output, of any
 * node by NODE:ATTRIBUTE. */

typedef struct reader {
  cpb_viewed_values common;
  cpb_onnx_functions functions;
  cpb_range where; /* the tensor */
} reader;

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (!r) return NULL;
  cpb_viewed_values_init(&r->common, &cpb_onnx_view, a, meter, name, options);
  r->functions.allocator = *a;
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  const cpb_allocator a = r->common.allocator;
  cpb_onnx_functions_free(&r->functions);
  cpb_viewed_values_free(&r->common);
  cpb_release(&a, r);
}

/* Takes the tensor; if it is sparse, its values. */
static void take(cpb_viewed_values *common, const cpb_view_tensor *t) {
  const bool is_sparse = cpb_onnx_is_sparse(t);
  const cpb_span tensor = is_sparse ? cpb_get_bytes(t->message, SPARSE_VALUES) : t->message;
  ((reader *)common)->where = cpb_part_where(&common->part, tensor);
}

static cpb_have begin(reader *r) {
  cpb_viewed_values *c = &r->common;
  c->found = true;
  bool begun = cpb_tensor_values_init(&c->tensor, &c->allocator, c->meter, &cpb_onnx_layout, &c->input, &c->error,
                                      r->where, c->options->exact_texts != 0);
  return begun ? CPB_HAVE : cpb_viewed_values_fail_memory(c);
}

static cpb_have find(reader *r) {
  cpb_viewed_values *c = &r->common;
  r->where = (cpb_range){c->options->tensor_offset, c->options->tensor_size};
  if (r->where.length > INT64_MAX || r->where.offset > INT64_MAX) {
    cpb_fail(&c->error, CPB_E_USAGE, CPB_NO_OFFSET, "tensor_offset or tensor_size is 2^63 or more");
    return CPB_FAILED;
  }
  if (r->where.length > 0) return begin(r);
  cpb_have have = cpb_viewed_values_read(c, &cpb_view_onnx_tensors);
  if (have != CPB_HAVE) return have;
  if (!cpb_onnx_graphs_build(&c->view.graphs, &r->functions, &c->part, &c->problems, c->meter, &c->error))
    return CPB_FAILED;
  have = cpb_viewed_values_find(c, "initializer or constant", take);
  if (have != CPB_HAVE) return have;
  cpb_input_end(&c->input, cpb_outline_input(c->part.outline)->size);
  return begin(r);
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->common.found ? CPB_HAVE : find(r);
  return have == CPB_HAVE ? cpb_tensor_values_next(&r->common.tensor, info, data) : have;
}

const cpb_values_reader cpb_onnx_values = {create, destroy, next, cpb_viewed_values_input, cpb_viewed_values_error};
