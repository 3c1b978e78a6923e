#include "model/tensorflow/outputs.h"

#include "model/common/tensor/tensor.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/graph.h"

#define MOST 65536    /* outputs of a node */
#define OUTPUT 16     /* its share of the node's message in bytes, about */
#define REFERENCE 100 /* is added to a DataType */

/* An output in the operation's description; the node may have several for it. */
typedef struct argument {
  cpb_span type_attr, number_attr; /* names of attributes, or empty */
  uint64_t type;                   /* if `type_attr` is empty, or the node lacks it; 0: unknown */
  bool is_list, is_reference;
} argument;

/* `cursor` has the arguments of an OpDef, `told.text` the rest of TensorFlow's own description, `bindings` the shapes
 * of _output_shapes, and `told.shape` the first output's shape if _output_shapes is absent. */
typedef cpb_view_values outputs;

static cpb_span attribute(const outputs *o, cpb_span name) {
  return cpb_get_bytes(cpb_get_entry(o->told.node, NODE_ATTR, name), MAP_VALUE);
}

/* --- Descriptions -------------------------------------------------------------------- */

/* A NodeDef does not tell its outputs. A function of the library has an OpDef. An operation of TensorFlow is
 * described by a text of the built-in table, whose form next_of_text() reads. Both give the names of attributes,
 * which the node itself has. The number of outputs may come from such an attribute, thus from the file: MOST bounds
 * it. */

static bool take(cpb_span *text, char sign) {
  const bool is = text->size > 0 && text->data[0] == sign;
  if (is) *text = cpb_span_from(*text, 1);
  return is;
}

/* Takes the text up to one of the signs, or all of it. */
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

/* As cpb_tensorflow_op_outputs() returns them. */
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
  if (!(o->told.of_function ? next_of_function(&o->cursor, &a) : next_of_text(&o->told.text, &a))) return false;
  const cpb_span type = attribute(o, a.type_attr);
  if (a.is_list) {
    o->told.types = cpb_varints_of(cpb_get_bytes(type, ATTR_LIST), ATTR_TYPE);
    return true;
  }
  const uint64_t of_node = a.type_attr.size > 0 ? cpb_get_number(type, ATTR_TYPE) : 0;
  o->told.type = of_node > 0 ? of_node : a.type;
  if (a.is_reference && o->told.type > 0 && o->told.type < REFERENCE) o->told.type += REFERENCE;
  o->told.count = a.number_attr.size > 0 ? cpb_get_number(attribute(o, a.number_attr), ATTR_INT) : 1;
  return true;
}

static bool next_type(outputs *o, uint64_t *type) {
  for (;;) {
    if (cpb_varints_next(&o->told.types, type)) return true;
    *type = o->told.type;
    if (o->told.count > 0) {
      o->told.count--;
      return true;
    }
    if (!next_argument(o)) return false;
  }
}

/* --- Shapes ------------------------------------------------------------------------------- */

/* _output_shapes lists all outputs in one list, although several arguments may share it, so shapes are counted along
 * with the types instead of belonging to an argument. */

static bool next_shape(outputs *o, cpb_span *shape) {
  const bool is_next = cpb_cursor_find(&o->bindings, ATTR_SHAPE, CPB_WIRE_LEN);
  *shape = is_next ? o->bindings.bytes : o->told.shape;
  o->told.shape = (cpb_span){NULL, 0}; /* it belongs to the first one */
  return shape->data != NULL;
}

/* The shape of a constant's value, or the attribute `shape` of an operation whose output has it. */
static cpb_span shape_of(const outputs *o, cpb_span op) {
  const cpb_span tensor = cpb_get_bytes(attribute(o, cpb_span_of("value")), ATTR_TENSOR);
  if (cpb_span_is(op, "Const") && tensor.data) return cpb_get_shape(tensor, TENSOR_SHAPE);
  const bool is_told = cpb_span_begins(op, cpb_span_of("Placeholder")) || cpb_span_is(op, "Variable") ||
                       cpb_span_is(op, "VariableV2") || cpb_span_is(op, "TemporaryVariable");
  return is_told ? cpb_get_bytes(attribute(o, cpb_span_of("shape")), ATTR_SHAPE) : (cpb_span){NULL, 0};
}

/* --- All ------------------------------------------------------------------------------------- */

static bool next_output(cpb_view_values *o, cpb_view_value *value) {
  *value = (cpb_view_value){.dtype = 0};
  if (o->told.number++ == MOST) return false;
  const bool has_type = next_type(o, &value->dtype), has_shape = next_shape(o, &value->shape);
  if (!has_type) value->dtype = 0;
  if (has_shape && cpb_part_omits(o->told.part, value->shape)) value->shape = (cpb_span){NULL, 0};
  return has_type || has_shape;
}

/* A small node, or a single input, may have us read through a list that is far larger. */
static bool charge(const cpb_view *v, uint64_t bytes) {
  return !v->answer || cpb_json_writer_charge(v->answer, CPB_WORK_WALKED, bytes);
}

cpb_view_values cpb_tensorflow_outputs(const cpb_view *v, const cpb_graph *graph, cpb_span node) {
  const cpb_span op = cpb_get_bytes(node, NODE_OP), nothing = {NULL, 0};
  const uint32_t function = cpb_graph_find(graph, op);
  outputs o = {.next = next_output, .told = {.part = v->part, .node = node, .of_function = function != CPB_NO_NAME}};
  o.told.types = cpb_varints_of(nothing, ATTR_TYPE);
  const cpb_span signature = o.told.of_function ? graph->graphs->items[function].signature : nothing;
  if (o.told.of_function) o.cursor = cpb_cursor_of(charge(v, signature.size) ? signature : nothing);
  else if (!cpb_tensorflow_op_outputs(op, &o.told.text)) o.told.text = nothing;
  o.bindings = cpb_cursor_of(cpb_get_bytes(attribute(&o, cpb_span_of("_output_shapes")), ATTR_LIST));
  o.told.shape = shape_of(&o, op);
  return o;
}

/* Whether its description has several outputs. */
static bool has_several(const outputs *o) {
  argument a;
  cpb_span text = o->told.text;
  cpb_cursor arguments = o->cursor;
  size_t count = 0;
  while (count < 2 && (o->told.of_function ? next_of_function(&arguments, &a) : next_of_text(&text, &a))) count++;
  return count > 1;
}

bool cpb_tensorflow_output(const cpb_view *v, const cpb_graph *graph, cpb_span node, const cpb_view_source *source,
                           cpb_tensorflow_walk *w, cpb_view_value *value) {
  cpb_view_value next;
  if (w->node.data != node.data || source->index + 1 < w->count) {
    *w = (cpb_tensorflow_walk){.node = node, .rest = cpb_tensorflow_outputs(v, graph, node)};
    w->has_several = has_several(&w->rest);
  }
  if (source->output.size > 0 && w->has_several) return false;
  for (; w->count <= source->index && charge(v, OUTPUT) && next_output(&w->rest, &next); w->count++) w->last = next;
  *value = w->last;
  return source->index < w->count;
}
