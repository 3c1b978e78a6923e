#include "model/tensorflow/view.h"

#include "base/checked.h"
#include "model/common/tensor/tensor.h"
#include "model/operators/operators.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/graph.h"
#include "model/tensorflow/weights.h"
#include "model/view/view.h"

static cpb_saved_model *model_of(const cpb_view *v) { return v->own; }

static bool is_function(const cpb_view_graph *g) { return g->role == CPB_GRAPH_FUNCTION; }

/* --- Nodes and values -------------------------------------------------------------------------- */

static bool next_node(cpb_view_nodes *n, cpb_view_node *node) {
  if (!cpb_cursor_find(&n->cursor, is_function(n->graph) ? FUNCTION_NODE : GRAPH_NODE, CPB_WIRE_LEN)) return false;
  node->message = n->cursor.bytes;
  for (cpb_cursor c = cpb_cursor_of(node->message); cpb_cursor_next(&c);) {
    if (c.type == CPB_WIRE_LEN && c.number == NODE_NAME) node->own_name = c.bytes;
    if (c.type == CPB_WIRE_LEN && c.number == NODE_OP) node->op = c.bytes;
  }
  node->is_constant = cpb_span_is(node->op, "Const");
  return true;
}

static bool is_control(cpb_span input) { return input.size > 0 && input.data[0] == '^'; }

static bool next_input(cpb_view_values *v, cpb_view_value *value) {
  do {
    if (!cpb_cursor_find(&v->cursor, NODE_INPUT, CPB_WIRE_LEN)) return false;
  } while (is_control(v->cursor.bytes));
  *value = (cpb_view_value){.name = v->cursor.bytes};
  return true;
}

static bool next_control(cpb_view_values *v, cpb_view_value *value) {
  do {
    if (!cpb_cursor_find(&v->cursor, NODE_INPUT, CPB_WIRE_LEN)) return false;
  } while (!is_control(v->cursor.bytes));
  *value = (cpb_view_value){.name = cpb_span_from(v->cursor.bytes, 1)};
  return true;
}

static cpb_view_values controls(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node) {
  (void)v, (void)g;
  return (cpb_view_values){.next = next_control, .cursor = cpb_cursor_of(node->message)};
}

/* An ArgDef. */
static bool next_argument(cpb_view_values *v, cpb_view_value *value) {
  if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
  *value = (cpb_view_value){.name = cpb_get_bytes(v->cursor.bytes, ARG_NAME), .type = v->cursor.bytes};
  if (!value->name.data) value->name = cpb_span_of("");
  return true;
}

/* In DataType. */
enum { RESOURCE = 20 };

static bool is_variable(const cpb_view_node *node, const cpb_view_value *argument) {
  return node ? cpb_node_is_variable(node->message) : cpb_get_number(argument->type, ARG_TYPE) == RESOURCE;
}

static bool hands_on(const cpb_view_node *node) {
  return cpb_span_is(node->op, "ReadVariableOp") || cpb_span_is(node->op, "Identity");
}

/* The graph itself has no inputs and outputs: nodes are fed and fetched. */
static cpb_view_values values(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node, bool outputs) {
  if (node && outputs) return cpb_tensorflow_outputs(v, &model_of(v)->graph, node->message);
  if (node) return (cpb_view_values){.next = next_input, .cursor = cpb_cursor_of(node->message)};
  return (cpb_view_values){
      .next = next_argument, .field = outputs ? OP_OUTPUT : OP_INPUT, .cursor = cpb_cursor_of(g->signature)};
}

/* Takes the ":1" off the end of the text after the node in "a:1" and "a:output:1". */
static uint64_t take_index(cpb_span *rest) {
  uint64_t index = 0;
  const size_t begin = cpb_span_size_without_digits(*rest);
  if (begin == 0 || rest->data[begin - 1] != ':') return 0;
  for (size_t i = begin; i < rest->size && index <= UINT32_MAX; i++) index = index * 10 + rest->data[i] - '0';
  rest->size = begin - 1;
  return index;
}

/* In functions, outputs have names, and each may be several tensors. */
static cpb_view_source source(cpb_span input) {
  bool control;
  cpb_view_source s = {.node = cpb_node_of_input(input, &control)};
  cpb_span rest = cpb_span_from(input, s.node.size);
  s.index = take_index(&rest);
  if (rest.size > 1) s.output = cpb_span_from(rest, 1);
  return s;
}

static bool output(const cpb_view *v, const cpb_view_node *node, const cpb_view_source *source, cpb_view_value *value) {
  return cpb_tensorflow_output(v, &model_of(v)->graph, node->message, source, &model_of(v)->walk, value);
}

/* --- What inputs are for: by TensorFlow's description of the operation, or the function that is called -------- */

/* Inputs have no names in a NodeDef: only their order distinguishes them. An argument may take several inputs, or
 * none, as an attribute of the node says. If the attribute is missing, every later input would be off by an unknown
 * number, so end() leaves them without a role. */

#define MOST 256 /* empty arguments in a row: more than any operation has */

static void end(cpb_view_values *i) {
  i->told.text = (cpb_span){NULL, 0};
  i->bindings = cpb_cursor_of(i->told.text);
}

/* The number of inputs of an argument, from the node's attribute, a number or a list of types. False if the node lacks
 * it: then the inputs after it are unknown as well. */
static bool count_by(const cpb_view_values *i, cpb_span attribute, uint64_t *count) {
  const cpb_span value = cpb_get_bytes(cpb_get_entry(i->told.node, NODE_ATTR, attribute), MAP_VALUE);
  if (!value.data) return true;
  const cpb_span list = cpb_get_bytes(value, ATTR_LIST);
  if (cpb_get_bytes(value, ATTR_PLACEHOLDER).data || cpb_part_omits(i->told.part, list)) return false;
  *count = list.data ? cpb_count_varints(list, ATTR_TYPE) : cpb_get_number(value, ATTR_INT);
  return true;
}

static bool next_of_function(cpb_cursor *arguments, cpb_operator_input *a) {
  if (!cpb_cursor_find(arguments, OP_INPUT, CPB_WIRE_LEN)) return false;
  const cpb_span list = cpb_get_bytes(arguments->bytes, ARG_TYPE_LIST_ATTR);
  const cpb_span number = cpb_get_bytes(arguments->bytes, ARG_NUMBER_ATTR);
  *a = (cpb_operator_input){
      .name = cpb_get_bytes(arguments->bytes, ARG_NAME), .attribute = list.size > 0 ? list : number, .count = 1};
  return true;
}

static cpb_span next_role(cpb_view_values *i) {
  cpb_operator_input a;
  for (size_t passed = 0; i->told.count == 0; passed++) {
    if (passed == MOST) end(i);
    if (!(i->told.of_function ? next_of_function(&i->bindings, &a) : cpb_operator_next_input(&i->told.text, &a)))
      return (cpb_span){NULL, 0};
    i->role = a.name;
    i->told.count = a.count;
    if (a.attribute.size == 0 || count_by(i, a.attribute, &i->told.count)) continue;
    i->told.count = 0;
    end(i);
  }
  i->told.count--;
  return i->role;
}

/* `cursor` has the names of inputs; `bindings` has a function's arguments, `told.text` those in an operation's
 * description; `told.count` is the number of inputs that the argument `role` still has. */
static bool next_with_role(cpb_view_values *i, cpb_view_value *value) {
  if (!next_input(i, value)) return false;
  value->role = next_role(i);
  return true;
}

/* The function that the node only calls, or CPB_NO_NAME. */
static uint32_t called(const cpb_graph *graph, const cpb_view_node *node) {
  const bool calls = cpb_span_is(node->op, "PartitionedCall") || cpb_span_is(node->op, "StatefulPartitionedCall");
  if (!calls) return cpb_graph_find(graph, node->op);
  const cpb_span name_attrs = cpb_get_bytes(cpb_node_attr(node->message, "f"), ATTR_FUNCTION);
  return cpb_graph_find(graph, cpb_get_bytes(name_attrs, NAME_ATTRS_NAME));
}

static bool roles(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node, cpb_view_values *all) {
  (void)g;
  uint64_t since;
  cpb_operator found;
  const uint32_t function = called(&model_of(v)->graph, node);
  cpb_view_values i = {.next = next_with_role, .cursor = cpb_cursor_of(node->message)};
  i.told.part = v->part;
  i.told.node = node->message;
  i.told.of_function = function != CPB_NO_NAME;
  if (i.told.of_function) {
    i.bindings = cpb_cursor_of(cpb_view_graph_of(v, function)->signature);
  } else {
    if (!cpb_operator_find(v->operators, node->op, node->domain, &found)) return false;
    i.told.text = cpb_operator_inputs(&found, 0, &since);
    if (i.told.text.size == 0) return false;
  }
  *all = i;
  return true;
}

/* --- Operations ------------------------------------------------------------------------------------- */

static const char *origin(const cpb_view *v, cpb_span domain, cpb_span op) {
  (void)domain;
  if (cpb_graph_find(&model_of(v)->graph, op) != CPB_NO_NAME) return "library";
  return cpb_is_tensorflow_op(op) ? "tensorflow" : "custom";
}

/* --- JSON ------------------------------------------------------------------------------------------- */

/* Writes an argument's dtype, or the attribute that gives it in a call. */
static void write_argument_type(cpb_json_writer *a, cpb_span argument) {
  static const struct {
    uint32_t number;
    const char *key;
  } attrs[] = {{ARG_TYPE_ATTR, "type_attr"}, {ARG_NUMBER_ATTR, "number_attr"}, {ARG_TYPE_LIST_ATTR, "type_list_attr"}};
  const uint64_t dtype = cpb_get_number(argument, ARG_TYPE);
  if (dtype != 0) cpb_write_dtype(a, "dtype", dtype);
  for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++)
    cpb_write_some_text(a, attrs[i].key, argument, attrs[i].number);
}

static void write_type(cpb_json_writer *a, const cpb_view_value *value) {
  const bool has_dtype = value->dtype > 0 || (value->type.data && cpb_get_number(value->type, ARG_TYPE) != 0);
  if (value->type.data) write_argument_type(a, value->type);
  else if (value->dtype > 0) cpb_write_dtype(a, "dtype", value->dtype);
  else if (value->shape.data) cpb_json_writer_null(a, "dtype");
  if (value->shape.data) cpb_write_shape(a, "shape", value->shape);
  else if (has_dtype) cpb_json_writer_null(a, "shape");
}

static void write_tensor(cpb_json_writer *a, const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_tensor tensor = cpb_tensor_of(v->part, t->message);
  cpb_write_tensor(a, &tensor);
}

static void write_node(cpb_json_writer *a, const cpb_view *v, uint32_t graph, const cpb_view_node *node) {
  (void)graph;
  cpb_write_some_text(a, "device", node->message, NODE_DEVICE);
  cpb_write_attrs(a, "attributes", v->part, node->message, NODE_ATTR);
}

static void write_type_of(cpb_json_writer *a, uint64_t dtype, cpb_span shape) {
  if (dtype > 0) cpb_write_dtype(a, "dtype", dtype);
  if (shape.data) cpb_write_shape(a, "shape", shape);
}

/* The object that the function captures as this argument: captures are the last arguments. */
static uint32_t captured(cpb_json_writer *a, const cpb_view *v, const cpb_view_graph *f, cpb_span argument) {
  uint64_t object, number = 0, at = UINT64_MAX;
  const cpb_span concrete = cpb_objects_concrete(&model_of(v)->objects, f->name);
  cpb_varints objects = cpb_varints_of(concrete, CONCRETE_BOUND_INPUTS);
  const uint64_t bound = cpb_count_varints(concrete, CONCRETE_BOUND_INPUTS);
  if (bound == 0 || !cpb_json_writer_charge(a, CPB_WORK_WALKED, (uint64_t)f->signature.size + concrete.size))
    return CPB_NO_OBJECT;
  for (cpb_cursor c = cpb_cursor_of(f->signature); cpb_cursor_find(&c, OP_INPUT, CPB_WIRE_LEN); number++)
    if (cpb_span_equal(cpb_get_bytes(c.bytes, ARG_NAME), argument)) at = number;
  if (at >= number || number - at > bound) return CPB_NO_OBJECT;
  for (at -= number - bound; cpb_varints_next(&objects, &object); at--)
    if (at == 0) return object < model_of(v)->objects.count ? (uint32_t)object : CPB_NO_OBJECT;
  return CPB_NO_OBJECT;
}

static void write_variable(cpb_json_writer *a, const cpb_view *v, uint32_t graph, const cpb_view_node *node,
                           const cpb_view_value *argument) {
  if (node) {
    const cpb_span shared = cpb_get_bytes(cpb_node_attr(node->message, "shared_name"), ATTR_STRING);
    if (shared.size > 0) cpb_json_writer_span(a, "name", shared);
    write_type_of(a, cpb_get_number(cpb_node_attr(node->message, "dtype"), ATTR_TYPE),
                  cpb_get_bytes(cpb_node_attr(node->message, "shape"), ATTR_SHAPE));
    return;
  }
  const uint32_t object = captured(a, v, cpb_view_graph_of(v, graph), argument->name);
  const cpb_object *of = object != CPB_NO_OBJECT ? &model_of(v)->objects.items[object] : NULL;
  if (of && of->kind == OBJECT_VARIABLE) {
    const cpb_span variable = of->value;
    cpb_json_writer_span(a, "name", cpb_get_bytes(variable, VARIABLE_NAME));
    write_type_of(a, cpb_get_number(variable, VARIABLE_DTYPE), cpb_get_shape(variable, VARIABLE_SHAPE));
  } else {
    write_type_of(a, argument->dtype, argument->shape);
  }
  if (!of) return;
  cpb_json_writer_open(a, "object", '{');
  cpb_write_object_place(model_of(v), object);
  cpb_json_writer_close(a, '}');
}

/* --- Functions ---------------------------------------------------------------------------------------- */

static void write_listed(cpb_json_writer *a, const cpb_view *v, uint32_t graph) {
  const cpb_view_graph *f = cpb_view_graph_of(v, graph);
  const cpb_span concrete = cpb_objects_concrete(&model_of(v)->objects, f->name);
  cpb_json_writer_bool(a, "stateful", cpb_get_number(f->signature, OP_STATEFUL) != 0);
  if (concrete.data) cpb_json_writer_unsigned(a, "captures", cpb_count_varints(concrete, CONCRETE_BOUND_INPUTS));
}

/* The attributes of each argument, by its number: a map with numbers as keys. NULL if memory is short. */
static cpb_span *read_argument_attrs(const cpb_view *v, cpb_span function, size_t count) {
  size_t size;
  cpb_span *attrs = cpb_mul_size(count, sizeof *attrs, &size) ? cpb_alloc_zeroed(&v->graphs.allocator, size) : NULL;
  cpb_cursor c = cpb_cursor_of(function);
  while (attrs && cpb_cursor_find(&c, FUNCTION_ARG_ATTR, CPB_WIRE_LEN)) {
    const uint64_t number = cpb_get_number(c.bytes, MAP_KEY);
    if (number < count) attrs[number] = cpb_get_bytes(c.bytes, MAP_VALUE);
  }
  return attrs;
}

static cpb_span argument_attr(cpb_span attrs, const char *name) {
  return cpb_get_bytes(cpb_get_entry(attrs, LIST_VALUE, cpb_span_of(name)), MAP_VALUE);
}

static void write_input(cpb_json_writer *a, cpb_span argument, cpb_span attrs) {
  const cpb_span shapes = cpb_get_bytes(argument_attr(attrs, "_output_shapes"), ATTR_LIST);
  const cpb_span user_name = argument_attr(attrs, "_user_specified_name");
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", cpb_get_bytes(argument, ARG_NAME));
  write_argument_type(a, argument);
  if (shapes.data) cpb_write_shape(a, "shape", cpb_get_bytes(shapes, ATTR_SHAPE));
  else if (cpb_get_number(argument, ARG_TYPE) != 0) cpb_json_writer_null(a, "shape");
  if (user_name.data) cpb_json_writer_span(a, "user_name", cpb_get_bytes(user_name, ATTR_STRING));
  cpb_json_writer_close(a, '}');
}

static void write_inputs(cpb_json_writer *a, const cpb_view *v, uint32_t graph) {
  const cpb_view_graph *f = cpb_view_graph_of(v, graph);
  size_t number = 0;
  cpb_span *attrs = read_argument_attrs(v, f->message, cpb_count_bytes(f->signature, OP_INPUT));
  cpb_cursor c = cpb_cursor_of(f->signature);
  cpb_json_writer_open(a, "inputs", '[');
  while (attrs && cpb_cursor_find(&c, OP_INPUT, CPB_WIRE_LEN)) write_input(a, c.bytes, attrs[number++]);
  cpb_json_writer_close(a, ']');
  if (!attrs) a->failed = true;
  cpb_release(&v->graphs.allocator, attrs);
}

static void write_graph(cpb_json_writer *a, const cpb_view *v, uint32_t graph) {
  cpb_saved_model *m = model_of(v);
  const cpb_view_graph *f = cpb_view_graph_of(v, graph);
  if (!is_function(f)) return;
  cpb_json_writer_bool(a, "stateful", cpb_get_number(f->signature, OP_STATEFUL) != 0);
  cpb_write_attrs(a, "attributes", v->part, f->message, FUNCTION_ATTR);
  if (f->gradient.size > 0) cpb_json_writer_span(a, "gradient", f->gradient);
  cpb_json_writer_bool(a, "concrete", cpb_objects_concrete(&m->objects, f->name).data != NULL);
  cpb_write_concrete(m, f->signature, f->name, NULL);
}

static bool each_callee(const cpb_view *v, const cpb_view_node *node, cpb_view_visit_callee *visit, void *user) {
  cpb_span name;
  cpb_callees callees = cpb_callees_of(node->message);
  while (cpb_callees_next(&callees, &name)) {
    const uint32_t graph = cpb_graph_find(&model_of(v)->graph, name);
    if (graph != CPB_NO_NAME && !visit(user, callees.attribute, graph)) return false;
  }
  return true;
}

const cpb_view_kind cpb_tensorflow_view = {.next_node = next_node,
                                           .values = values,
                                           .controls = controls,
                                           .source = source,
                                           .output = output,
                                           .is_variable = is_variable,
                                           .hands_on = hands_on,
                                           .write_variable = write_variable,
                                           .returns = FUNCTION_RETURN,
                                           .control_returns = FUNCTION_CONTROL_RETURN,
                                           .each_tensor = cpb_saved_each_tensor,
                                           .measure = cpb_saved_measure,
                                           .use = cpb_saved_use,
                                           .each_callee = each_callee,
                                           .origin = origin,
                                           .roles = roles,
                                           .operators = cpb_operators_tensorflow,
                                           .write_type = write_type,
                                           .write_tensor = write_tensor,
                                           .write_node = write_node,
                                           .write_graph = write_graph,
                                           .write_listed = write_listed,
                                           .write_inputs = write_inputs};
