#include "model/onnx/tensor_json.h"

#include "model/common/cursor.h"
#include "model/common/tensor/preview.h"
#include "model/common/write.h"
#include "model/onnx/dtypes.h"
#include "model/onnx/fields.h"
#include "model/onnx/types.h"

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
  cpb_onnx_write_dims(a, "shape", t->message, TENSOR_DIMS);
  if (t->has_elements) {
    cpb_json_writer_exact_unsigned(a, "elements", t->elements);
    if (t->type.format && t->type.format->size > 0) cpb_json_writer_exact_unsigned(a, "bytes", t->bytes);
  }
  cpb_json_writer_unsigned(a, "size", t->size);
  if (t->is_external) write_external(a, t);
  if (t->field) cpb_json_writer_text(a, "field", cpb_onnx_field_name(t->field));
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
  cpb_onnx_write_dims(a, "shape", message, SPARSE_DIMS);
  cpb_json_writer_unsigned(a, "size", values.size + indices.size);
  cpb_json_writer_bool(a, "sparse", true);
  write_inner(a, "values_tensor", &values);
  write_inner(a, "indices_tensor", &indices);
}
