#include "model/onnx/model.h"

#include "model/common/cursor.h"
#include "model/onnx/fields.h"

/* Types are written while they are walked. A type that holds another one is a member of the outer object, so the
 * objects are closed at the very end. */

void cpb_onnx_write_dims(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  uint64_t size;
  cpb_varints dims = cpb_varints_of(message, number);
  cpb_json_writer_open(a, key, '[');
  while (cpb_varints_next(&dims, &size)) cpb_json_writer_exact(a, NULL, (int64_t)size);
  cpb_json_writer_close(a, ']');
}

/* Whether the field is present, which distinguishes 0 from absent. */
static bool has_number(cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  return cpb_cursor_find(&c, number, CPB_WIRE_VARINT);
}

static void write_dimension(cpb_json_writer *a, cpb_span dimension) {
  cpb_span name = cpb_get_bytes(dimension, DIMENSION_PARAMETER);
  int64_t size = (int64_t)cpb_get_number(dimension, DIMENSION_VALUE);
  if (name.size > 0) cpb_json_writer_span(a, NULL, name);
  else if (size < 0 || !has_number(dimension, DIMENSION_VALUE)) cpb_json_writer_null(a, NULL);
  else cpb_json_writer_exact(a, NULL, size);
}

/* Writes the type of a tensor, sparse or dense. */
static void write_tensor(cpb_json_writer *a, cpb_span type) {
  cpb_span shape = cpb_get_bytes(type, TENSOR_TYPE_SHAPE);
  cpb_cursor c = cpb_cursor_of(shape);
  cpb_onnx_write_dtype(a, "dtype", cpb_get_number(type, TENSOR_TYPE_ELEMENT));
  if (!shape.data) {
    cpb_json_writer_null(a, "shape");
    return;
  }
  cpb_json_writer_open(a, "shape", '[');
  while (cpb_cursor_find(&c, SHAPE_DIMENSION, CPB_WIRE_LEN)) write_dimension(a, c.bytes);
  cpb_json_writer_close(a, ']');
}

static void write_opaque(cpb_json_writer *a, cpb_span opaque) {
  cpb_span domain = cpb_get_bytes(opaque, OPAQUE_DOMAIN);
  cpb_json_writer_open(a, "type", '{');
  cpb_json_writer_open(a, "opaque", '{');
  cpb_json_writer_span(a, "domain", domain);
  cpb_json_writer_span(a, "name", cpb_get_bytes(opaque, OPAQUE_NAME));
  cpb_json_writer_close(a, '}');
  cpb_json_writer_close(a, '}');
}

/* Replaces a type that holds another one by the inner type. Opens the objects around it, and returns how many. */
static unsigned enter(cpb_json_writer *a, cpb_span *type) {
  cpb_cursor c = cpb_cursor_of(*type);
  while (cpb_cursor_next(&c)) {
    const bool is_map = c.number == TYPE_MAP;
    if (c.type != CPB_WIRE_LEN || (c.number != TYPE_SEQUENCE && c.number != TYPE_OPTIONAL && !is_map)) continue;
    const char *name = is_map ? "map" : c.number == TYPE_SEQUENCE ? "sequence" : "optional";
    cpb_json_writer_open(a, "type", '{');
    cpb_json_writer_open(a, name, '{');
    *type = cpb_get_bytes(c.bytes, is_map ? MAP_TYPE_VALUE : SEQUENCE_ELEMENT);
    if (!is_map) return 2;
    cpb_onnx_write_dtype(a, "key", cpb_get_number(c.bytes, MAP_TYPE_KEY));
    cpb_json_writer_open(a, "value", '{');
    return 3;
  }
  return 0;
}

/* Types may be nested to any depth, so this is a loop and not recursion. */
void cpb_onnx_write_type(cpb_json_writer *a, cpb_span type) {
  unsigned opened, open = 0;
  while ((opened = enter(a, &type)) > 0) open += opened;
  cpb_span tensor = cpb_get_bytes(type, TYPE_TENSOR), sparse = cpb_get_bytes(type, TYPE_SPARSE_TENSOR);
  cpb_span opaque = cpb_get_bytes(type, TYPE_OPAQUE);
  if (opaque.data) write_opaque(a, opaque);
  else write_tensor(a, sparse.data ? sparse : tensor);
  if (sparse.data) cpb_json_writer_bool(a, "sparse", true);
  while (open-- > 0) cpb_json_writer_close(a, '}');
}

void cpb_onnx_write_value_info(cpb_json_writer *a, cpb_span value_info) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", cpb_get_bytes(value_info, VALUE_INFO_NAME));
  cpb_onnx_write_type(a, cpb_get_bytes(value_info, VALUE_INFO_TYPE));
  cpb_json_writer_close(a, '}');
}
