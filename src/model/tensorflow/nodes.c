#include "model/tensorflow/nodes.h"

#include "model/tensorflow/fields.h"

void cpb_nodes_free(cpb_nodes *n) {
  cpb_release(&n->allocator, n->items);
  cpb_names_free(&n->names);
}

bool cpb_nodes_build(cpb_nodes *n, const cpb_graph *graph) { return cpb_nodes_build_of(n, graph, CPB_MAIN_GRAPH); }

bool cpb_nodes_build_of(cpb_nodes *n, const cpb_graph *graph, uint32_t function) {
  uint32_t number;
  cpb_cursor c = cpb_graph_nodes(graph, function, &number);
  *n = (cpb_nodes){.allocator = graph->names.allocator};
  cpb_names_init(&n->names, &n->allocator);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    void *items = n->items;
    if (n->count == CPB_NO_NAME) break;
    if (!cpb_reserve(&n->allocator, &items, &n->capacity, n->count + 1, sizeof *n->items)) return false;
    n->items = items;
    n->items[n->count] = c.bytes;
    if (!cpb_names_add(&n->names, cpb_get_bytes(c.bytes, NODE_NAME), (uint32_t)n->count++)) return false;
  }
  cpb_names_sort(&n->names);
  return true;
}

cpb_span cpb_node_of_input(cpb_span input, bool *control) {
  *control = input.size > 0 && input.data[0] == '^';
  if (*control) return cpb_span_from(input, 1);
  const uint8_t *colon = input.size > 0 ? memchr(input.data, ':', input.size) : NULL;
  if (colon) input.size = (size_t)(colon - input.data);
  return input;
}

cpb_span cpb_node_attr(cpb_span node, const char *name) {
  return cpb_get_bytes(cpb_get_entry(node, NODE_ATTR, cpb_span_of(name)), MAP_VALUE);
}

static bool is_one_of(cpb_span op, const char *const *list) {
  for (; *list; list++) {
    if (cpb_span_is(op, *list)) return true;
  }
  return false;
}

bool cpb_node_is_variable(cpb_span node) {
  static const char *const ops[] = {"VarHandleOp", "VariableV2", "Variable", "TemporaryVariable", NULL};
  return is_one_of(cpb_get_bytes(node, NODE_OP), ops);
}

bool cpb_node_is_placeholder(cpb_span node) {
  static const char *const ops[] = {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", NULL};
  return is_one_of(cpb_get_bytes(node, NODE_OP), ops);
}
