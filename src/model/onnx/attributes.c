#include "model/onnx/model.h"

#include "base/floats.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/onnx/fields.h"

/* A value is written from the outline in memory. A large one was left out of the outline; the answer then has its
 * range in the input, and readers fetch it if they want it. A graph's nodes are not written here: it is a graph of
 * its own in the view. */

/* By AttributeProto.AttributeType: its name, and the field with the value. */
static const struct {
  const char *name;
  uint32_t field;
  bool is_list;
} kinds[] = {{NULL, 0, false},
             {"float", ATTRIBUTE_FLOAT, false},
             {"int", ATTRIBUTE_INT, false},
             {"string", ATTRIBUTE_STRING, false},
             {"tensor", ATTRIBUTE_TENSOR, false},
             {"graph", ATTRIBUTE_GRAPH, false},
             {"floats", ATTRIBUTE_FLOATS, true},
             {"ints", ATTRIBUTE_INTS, true},
             {"strings", ATTRIBUTE_STRINGS, true},
             {"tensors", ATTRIBUTE_TENSORS, true},
             {"graphs", ATTRIBUTE_GRAPHS, true},
             {"sparse_tensor", ATTRIBUTE_SPARSE_TENSOR, false},
             {"sparse_tensors", ATTRIBUTE_SPARSE_TENSORS, true},
             {"type_proto", ATTRIBUTE_TYPE_PROTO, false},
             {"type_protos", ATTRIBUTE_TYPE_PROTOS, true}};
#define NUM_KINDS (sizeof kinds / sizeof *kinds)

/* Before IR version 2 the type is missing: the field that is present gives it. */
static size_t kind_of(cpb_span attribute) {
  uint64_t type = cpb_get_number(attribute, ATTRIBUTE_TYPE);
  cpb_cursor c = cpb_cursor_of(attribute);
  if (type > 0) return type < NUM_KINDS ? (size_t)type : 0;
  while (cpb_cursor_next(&c)) {
    for (size_t i = 1; i < NUM_KINDS; i++)
      if (kinds[i].field == c.number) return i;
  }
  return 0;
}

/* --- Values -------------------------------------------------------------------------------- */

static void write_graph(cpb_json_writer *a, const char *key, cpb_span graph) {
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_span(a, "graph", cpb_get_bytes(graph, GRAPH_NAME));
  cpb_json_writer_unsigned(a, "nodes", cpb_count_bytes(graph, GRAPH_NODE));
  cpb_json_writer_close(a, '}');
}

static void write_tensor(cpb_json_writer *a, const cpb_part *part, cpb_span message) {
  const cpb_onnx_tensor tensor = cpb_onnx_tensor_of(part, message);
  cpb_onnx_write_tensor(a, &tensor);
}

static void write_object(cpb_json_writer *a, const char *key, const cpb_part *part, uint32_t field, cpb_span message) {
  cpb_json_writer_open(a, key, '{');
  switch (field) {
    case ATTRIBUTE_TENSOR:
    case ATTRIBUTE_TENSORS: write_tensor(a, part, message); break;
    case ATTRIBUTE_SPARSE_TENSOR:
    case ATTRIBUTE_SPARSE_TENSORS: cpb_onnx_write_sparse(a, part, message); break;
    default: cpb_onnx_write_type(a, message); break;
  }
  cpb_json_writer_close(a, '}');
}

static void write_message(cpb_json_writer *a, const char *key, const cpb_part *part, uint32_t field, cpb_span bytes) {
  const bool is_string = field == ATTRIBUTE_STRING || field == ATTRIBUTE_STRINGS;
  if (cpb_part_omits(part, bytes)) cpb_write_omitted(a, key, part, bytes);
  else if (is_string) cpb_json_writer_span(a, key, bytes);
  else if (field == ATTRIBUTE_GRAPH || field == ATTRIBUTE_GRAPHS) write_graph(a, key, bytes);
  else write_object(a, key, part, field, bytes);
}

static void write_number(cpb_json_writer *a, const char *key, uint32_t field, uint64_t value) {
  const bool is_float = field == ATTRIBUTE_FLOAT || field == ATTRIBUTE_FLOATS;
  if (is_float) cpb_json_writer_float(a, key, cpb_float_of((uint32_t)value));
  else cpb_json_writer_exact(a, key, (int64_t)value);
}

/* Floats are packed as four bytes each, integers as varints. */
static void write_packed(cpb_json_writer *a, uint32_t field, cpb_span packed) {
  uint64_t value;
  while (cpb_packed_next(&packed, field == ATTRIBUTE_FLOATS, &value)) write_number(a, NULL, field, value);
}

static void write_element(cpb_json_writer *a, const cpb_part *part, uint32_t field, const cpb_cursor *c) {
  const bool is_number = field == ATTRIBUTE_FLOATS || field == ATTRIBUTE_INTS;
  if (c->type != CPB_WIRE_LEN) write_number(a, NULL, field, c->value);
  else if (is_number && !cpb_part_omits(part, c->bytes)) write_packed(a, field, c->bytes);
  else write_message(a, NULL, part, field, c->bytes);
}

static void write_list(cpb_json_writer *a, const cpb_part *part, uint32_t field, cpb_span attribute) {
  cpb_cursor c = cpb_cursor_of(attribute);
  cpb_json_writer_open(a, "value", '[');
  while (cpb_cursor_next(&c))
    if (c.number == field) write_element(a, part, field, &c);
  cpb_json_writer_close(a, ']');
}

/* The last value counts, as in parsers; an absent number is 0. */
static void write_single(cpb_json_writer *a, const cpb_part *part, uint32_t field, cpb_span attribute) {
  cpb_cursor c = cpb_cursor_of(attribute), last = {.number = 0};
  while (cpb_cursor_next(&c))
    if (c.number == field) last = c;
  if (last.number > 0 && last.type == CPB_WIRE_LEN) write_message(a, "value", part, field, last.bytes);
  else if (last.number > 0 || field == ATTRIBUTE_FLOAT || field == ATTRIBUTE_INT)
    write_number(a, "value", field, last.value);
  else if (field == ATTRIBUTE_STRING) cpb_json_writer_text(a, "value", "");
  else cpb_json_writer_null(a, "value");
}

/* --- Attributes ------------------------------------------------------------------------------- */

/* Writes members of an object for an AttributeProto: "name", "kind", and "value"; or "reference", the attribute of the
 * enclosing function that provides the value. The value of a graph is {"graph", "nodes"} with its own name. */
static void write_attribute(cpb_json_writer *a, const cpb_part *part, cpb_span attribute) {
  const size_t kind = kind_of(attribute);
  cpb_span reference = cpb_get_bytes(attribute, ATTRIBUTE_REFERENCE);
  cpb_json_writer_span(a, "name", cpb_get_bytes(attribute, ATTRIBUTE_NAME));
  if (kind > 0) cpb_json_writer_text(a, "kind", kinds[kind].name);
  else cpb_json_writer_null(a, "kind");
  if (reference.size > 0) cpb_json_writer_span(a, "reference", reference);
  else if (kind == 0) cpb_json_writer_null(a, "value");
  else if (kinds[kind].is_list) write_list(a, part, kinds[kind].field, attribute);
  else write_single(a, part, kinds[kind].field, attribute);
}

void cpb_onnx_write_attributes(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span message,
                               uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    cpb_json_writer_open(a, NULL, '{');
    write_attribute(a, part, c.bytes);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}
