#include "model/tensorflow/inputs.h"

#include "model/operators/operators.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/nodes.h"

#define MOST 256 /* arguments in a row of which a node has none: more than any operation has */

/* `cursor` has the names of what goes in; of a function `bindings` its arguments, else `told.text` the description's;
 * `told.count` says how many inputs are still of the one called `role`. */
typedef cpb_view_values inputs;

static void end(inputs *i) {
  i->told.text = (cpb_span){NULL, 0};
  i->bindings = cpb_cursor_of(i->told.text);
}

/* How many an argument is by the node's attribute, a number or a list of types. False if the node does not say it so:
 * then nothing is known of what follows either. */
static bool count_by(const inputs *i, cpb_span attribute, uint64_t *count) {
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

static cpb_span next_role(inputs *i) {
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

static bool next_input(cpb_view_values *i, cpb_view_value *value) {
  bool is_control = true;
  while (is_control) {
    if (!cpb_cursor_find(&i->cursor, NODE_INPUT, CPB_WIRE_LEN)) return false;
    cpb_node_of_input(i->cursor.bytes, &is_control);
  }
  *value = (cpb_view_value){.name = i->cursor.bytes, .role = next_role(i)};
  return true;
}

/* The function of the library that the node does nothing but call, or CPB_NO_NAME. */
static uint32_t called(const cpb_graph *graph, const cpb_view_node *node) {
  const bool calls = cpb_span_is(node->op, "PartitionedCall") || cpb_span_is(node->op, "StatefulPartitionedCall");
  if (!calls) return cpb_graph_find(graph, node->op);
  const cpb_span name_attrs = cpb_get_bytes(cpb_node_attr(node->message, "f"), ATTR_FUNCTION);
  return cpb_graph_find(graph, cpb_get_bytes(name_attrs, NAME_ATTRS_NAME));
}

bool cpb_tensorflow_inputs(const cpb_view *v, const cpb_graph *graph, const cpb_view_node *node, cpb_view_values *all) {
  uint64_t since;
  cpb_operator found;
  const uint32_t function = called(graph, node);
  inputs i = {.next = next_input, .cursor = cpb_cursor_of(node->message)};
  i.told.part = v->part;
  i.told.node = node->message;
  i.told.of_function = function != CPB_NO_NAME;
  if (i.told.of_function) {
    i.bindings = cpb_cursor_of(graph->graphs->items[function].signature);
  } else {
    if (!cpb_operator_find(v->operators, node->op, node->domain, &found)) return false;
    i.told.text = cpb_operator_inputs(&found, 0, &since);
    if (i.told.text.size == 0) return false;
  }
  *all = i;
  return true;
}
