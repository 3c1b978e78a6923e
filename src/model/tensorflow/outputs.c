#include "model/tensorflow/outputs.h"

#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/shapes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/ops.h"

#define MOST 65536    /* outputs of a node */
#define REFERENCE 100 /* is added to the number of a type */

/* One of the operation's description, which may be several of the node's. */
typedef struct argument {
  cpb_span type_attr, number_attr; /* names of attributes, or empty */
  uint64_t type;                   /* without `type_attr`, or if the node lacks that; 0: not known */
  bool is_list, is_reference;
} argument;

typedef struct outputs {
  cpb_span node;
  bool of_function;     /* its description is an OpDef: */
  cpb_cursor arguments; /* of it, */
  cpb_span text;        /* or what is left of TensorFlow's own */
  cpb_varints types;    /* of the argument, if it is a list */
  uint64_t type, left;  /* else its type, and how many more have it */
  cpb_cursor shapes;    /* of _output_shapes */
  cpb_span shape;       /* of the first output where there are none, or NULL data */
} outputs;

static cpb_span attribute(const outputs *o, cpb_span name) {
  return cpb_get_bytes(cpb_get_entry(o->node, NODE_ATTR, name), MAP_VALUE);
}

/* --- Descriptions -------------------------------------------------------------------- */

static bool take(cpb_span *text, char sign) {
  const bool is = text->size > 0 && text->data[0] == sign;
  if (is) *text = cpb_span_from(*text, 1);
  return is;
}

/* Up to one of the signs, or all. */
static cpb_span take_word(cpb_span *text, const char *signs) {
  size_t size = 0;
  while (size < text->size && !strchr(signs, text->data[size])) size++;
  const cpb_span word = {text->data, size};
  *text = cpb_span_from(*text, size);
  return word;
}

static uint64_t take_number(cpb_span *text) {
  uint64_t number = 0;
  for (; text->size > 0 && text->data[0] >= '0' && text->data[0] <= '9'; *text = cpb_span_from(*text, 1))
    number = number * 10 + text->data[0] - '0';
  return number;
}

/* As tools/tensorflow_ops.py writes it. */
static bool next_of_text(cpb_span *text, argument *a) {
  *a = (argument){.is_reference = false};
  if (text->size == 0) return false;
  a->is_reference = take(text, '&');
  a->is_list = take(text, '*');
  a->type = take_number(text);
  a->type_attr = take_word(text, "*=,");
  if (take(text, '*')) {
    a->number_attr = a->type_attr;
    a->type = take_number(text);
    a->type_attr = take_word(text, "=,");
  }
  if (take(text, '=')) a->type = take_number(text);
  take(text, ',');
  return true;
}

static bool next_of_function(cpb_cursor *arguments, argument *a) {
  if (!cpb_cursor_find(arguments, OP_OUTPUT, CPB_WIRE_LEN)) return false;
  const cpb_span arg = arguments->bytes, list = cpb_get_bytes(arg, ARG_TYPE_LIST_ATTR);
  *a = (argument){.type_attr = list.size > 0 ? list : cpb_get_bytes(arg, ARG_TYPE_ATTR),
                  .number_attr = cpb_get_bytes(arg, ARG_NUMBER_ATTR),
                  .type = cpb_get_number(arg, ARG_TYPE),
                  .is_list = list.size > 0,
                  .is_reference = cpb_get_number(arg, ARG_IS_REF) != 0};
  return true;
}

static bool next_argument(outputs *o) {
  argument a;
  if (!(o->of_function ? next_of_function(&o->arguments, &a) : next_of_text(&o->text, &a))) return false;
  const cpb_span type = attribute(o, a.type_attr);
  if (a.is_list) {
    o->types = cpb_varints_of(cpb_get_bytes(type, ATTR_LIST), ATTR_TYPE);
    return true;
  }
  const uint64_t of_node = a.type_attr.size > 0 ? cpb_get_number(type, ATTR_TYPE) : 0;
  o->type = of_node > 0 ? of_node : a.type;
  if (a.is_reference && o->type > 0 && o->type < REFERENCE) o->type += REFERENCE;
  o->left = a.number_attr.size > 0 ? cpb_get_number(attribute(o, a.number_attr), ATTR_INT) : 1;
  return true;
}

static bool next_type(outputs *o, uint64_t *type) {
  for (;;) {
    if (cpb_varints_next(&o->types, type)) return true;
    *type = o->type;
    if (o->left > 0) {
      o->left--;
      return true;
    }
    if (!next_argument(o)) return false;
  }
}

/* --- Shapes ------------------------------------------------------------------------------- */

static bool next_shape(outputs *o, cpb_span *shape) {
  if (cpb_cursor_find(&o->shapes, ATTR_SHAPE, CPB_WIRE_LEN)) {
    *shape = o->shapes.bytes;
    return true;
  }
  *shape = o->shape;
  o->shape = (cpb_span){NULL, 0};
  return shape->data != NULL;
}

/* What a constant's value says, or the attribute `shape` of what it is the output's. */
static cpb_span shape_of(const outputs *o, cpb_span op) {
  const cpb_span tensor = cpb_get_bytes(attribute(o, cpb_span_of("value")), ATTR_TENSOR);
  if (cpb_span_is(op, "Const") && tensor.data) return cpb_get_shape(tensor, TENSOR_SHAPE);
  const bool is_told = cpb_span_begins(op, cpb_span_of("Placeholder")) || cpb_span_is(op, "Variable") ||
                       cpb_span_is(op, "VariableV2") || cpb_span_is(op, "TemporaryVariable");
  return is_told ? cpb_get_bytes(attribute(o, cpb_span_of("shape")), ATTR_SHAPE) : (cpb_span){NULL, 0};
}

/* --- All ------------------------------------------------------------------------------------- */

static outputs outputs_of(const cpb_graph *graph, cpb_span node) {
  const cpb_span op = cpb_get_bytes(node, NODE_OP);
  const uint32_t function = cpb_graph_find(graph, op);
  outputs o = {.node = node, .of_function = function != CPB_NO_NAME};
  o.types = cpb_varints_of((cpb_span){NULL, 0}, ATTR_TYPE);
  if (o.of_function) o.arguments = cpb_cursor_of(graph->functions[function].signature);
  else if (!cpb_tensorflow_op_outputs(op, &o.text)) o.text = (cpb_span){NULL, 0};
  o.shapes = cpb_cursor_of(cpb_get_bytes(attribute(&o, cpb_span_of("_output_shapes")), ATTR_LIST));
  o.shape = shape_of(&o, op);
  return o;
}

/* Whether its description has several. */
static bool has_several(const outputs *o) {
  argument a;
  cpb_span text = o->text;
  cpb_cursor arguments = o->arguments;
  size_t count = 0;
  while (count < 2 && (o->of_function ? next_of_function(&arguments, &a) : next_of_text(&text, &a))) count++;
  return count > 1;
}

typedef struct output {
  uint64_t type;  /* 0: not known */
  cpb_span shape; /* NULL data: not known */
} output;

static bool next_output(outputs *o, output *out) {
  *out = (output){.type = 0};
  const bool has_type = next_type(o, &out->type), has_shape = next_shape(o, &out->shape);
  if (!has_type) out->type = 0;
  o->shape = (cpb_span){NULL, 0}; /* which is of the first */
  return has_type || has_shape;
}

static void write_members(cpb_json_writer *a, const cpb_part *part, const output *out) {
  if (out->type > 0) cpb_write_dtype(a, "dtype", out->type);
  if (out->shape.data && !cpb_part_omits(part, out->shape)) cpb_write_shape(a, "shape", out->shape);
}

void cpb_write_outputs(cpb_json_writer *a, const cpb_part *part, const cpb_graph *graph, cpb_span node) {
  output out;
  outputs o = outputs_of(graph, node);
  cpb_json_writer_open(a, "outputs", '[');
  for (size_t i = 0; i < MOST && next_output(&o, &out); i++) {
    cpb_json_writer_open(a, NULL, '{');
    write_members(a, part, &out);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

void cpb_write_output(cpb_json_writer *a, const cpb_part *part, const cpb_graph *graph, cpb_span node, uint64_t number,
                      bool is_named) {
  output out;
  outputs o = outputs_of(graph, node);
  if (is_named && has_several(&o)) return;
  for (uint64_t i = 0; i < MOST && i <= number; i++) {
    if (!next_output(&o, &out)) return;
    if (i == number) write_members(a, part, &out);
  }
}
