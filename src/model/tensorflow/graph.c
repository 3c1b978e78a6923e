#include "model/tensorflow/graph.h"

#include "base/status.h"
#include "model/tensorflow/fields.h"

/* Graph 0 is the main graph, and the functions of the library follow in the order of the file: the number of a
 * function is an index of `graphs`. All functions are read before any call, because a node may call a function that
 * comes later in the file. An operation is a call if the library has a function of its name, since old graphs call
 * functions that way. */

/* --- graph ------------------------------------------------------------------------------------ */

void cpb_graph_init(cpb_graph *g, const cpb_allocator *a, cpb_view_graphs *graphs) {
  *g = (cpb_graph){.graphs = graphs};
  cpb_names_init(&g->names, a);
}

void cpb_graph_free(cpb_graph *g) {
  cpb_view_graphs_free(g->graphs);
  cpb_names_free(&g->names);
  cpb_graph_init(g, &g->graphs->allocator, g->graphs);
}

/* --- Nodes ------------------------------------------------------------------- */

cpb_cursor cpb_graph_nodes(const cpb_graph *g, uint32_t function, uint32_t *number) {
  bool main = function == CPB_MAIN_GRAPH;
  *number = main ? GRAPH_NODE : FUNCTION_NODE;
  return cpb_cursor_of(main ? g->message : g->graphs->items[function].message);
}

cpb_callees cpb_callees_of(cpb_span node) {
  return (cpb_callees){.op = cpb_get_bytes(node, NODE_OP), .attrs = cpb_cursor_of(node)};
}

/* The function of a NameAttrList. */
static cpb_span name_of(cpb_span name_attrs) { return cpb_get_bytes(name_attrs, NAME_ATTRS_NAME); }

bool cpb_callees_next(cpb_callees *c, cpb_span *name) {
  *name = c->op;
  c->op.data = NULL;
  while (!name->data) {
    if (cpb_cursor_find(&c->list, ATTR_LIST_FUNCTION, CPB_WIRE_LEN)) {
      *name = name_of(c->list.bytes);
    } else if (cpb_cursor_find(&c->attrs, NODE_ATTR, CPB_WIRE_LEN)) {
      cpb_span value = cpb_get_bytes(c->attrs.bytes, MAP_VALUE);
      c->attribute = cpb_get_bytes(c->attrs.bytes, MAP_KEY);
      c->list = cpb_cursor_of(cpb_get_bytes(value, ATTR_LIST));
      *name = name_of(cpb_get_bytes(value, ATTR_FUNCTION));
    } else {
      return false;
    }
  }
  return true;
}

/* --- Functions ----------------------------------------------------------------- */

static bool add_function(cpb_graph *g, cpb_span message) {
  const cpb_span signature = cpb_get_bytes(message, FUNCTION_SIGNATURE);
  const cpb_view_graph f = {.role = CPB_GRAPH_FUNCTION,
                            .name = cpb_get_bytes(signature, OP_NAME),
                            .message = message,
                            .signature = signature,
                            .nodes = cpb_count_bytes(message, FUNCTION_NODE)};
  if (g->lost && f.name.size == 0) return true;
  return cpb_names_add(&g->names, f.name, (uint32_t)g->graphs->count) && cpb_view_graphs_add(g->graphs, f);
}

static bool read_library(cpb_graph *g, cpb_span library) {
  cpb_cursor c = cpb_cursor_of(library);
  while (cpb_cursor_find(&c, LIBRARY_FUNCTION, CPB_WIRE_LEN))
    if (g->graphs->count < CPB_NO_GRAPH && !add_function(g, c.bytes)) return false;
  return true;
}

static void read_gradients(cpb_graph *g, cpb_span library) {
  cpb_cursor c = cpb_cursor_of(library);
  while (cpb_cursor_find(&c, LIBRARY_GRADIENT, CPB_WIRE_LEN)) {
    uint32_t f = cpb_graph_find(g, cpb_get_bytes(c.bytes, GRADIENT_FUNCTION));
    if (f != CPB_NO_NAME) g->graphs->items[f].gradient = cpb_get_bytes(c.bytes, GRADIENT_OF);
  }
}

uint32_t cpb_graph_find(const cpb_graph *g, cpb_span name) { return cpb_names_find(&g->names, name); }

/* --- Calls ---------------------------------------------------------------------- */

static bool find_calls(cpb_graph *g, uint32_t caller) {
  uint32_t number;
  cpb_cursor c = cpb_graph_nodes(g, caller, &number);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    cpb_span name;
    cpb_callees callees = cpb_callees_of(c.bytes);
    if (caller == CPB_MAIN_GRAPH && cpb_node_is_variable(c.bytes))
      g->has_variables = g->has_variables || !cpb_span_is(callees.op, "TemporaryVariable");
    while (cpb_callees_next(&callees, &name)) {
      uint32_t callee = cpb_graph_find(g, name);
      if (callee != CPB_NO_NAME && !cpb_calls_add(&g->graphs->calls, caller, callee)) return false;
    }
  }
  return true;
}

/* --- Building --------------------------------------------------------------------- */

static void note_same_names(const cpb_graph *g, cpb_problems *problems) {
  for (size_t i = 1; i < g->names.count; i++) {
    const cpb_span same = g->names.items[i].text;
    if (cpb_span_equal(same, g->names.items[i - 1].text)) cpb_graphs_note_same_name(problems, same);
  }
}

static bool build(cpb_graph *g, cpb_span message, cpb_problems *problems) {
  cpb_cursor c = cpb_cursor_of(message);
  const cpb_view_graph main = {.message = message, .nodes = cpb_count_bytes(message, GRAPH_NODE)};
  g->message = message;
  if (!cpb_view_graphs_add(g->graphs, main)) return false;
  while (cpb_cursor_find(&c, GRAPH_LIBRARY, CPB_WIRE_LEN))
    if (!read_library(g, c.bytes)) return false;
  cpb_names_sort(&g->names);
  note_same_names(g, problems);
  for (c = cpb_cursor_of(message); cpb_cursor_find(&c, GRAPH_LIBRARY, CPB_WIRE_LEN);) read_gradients(g, c.bytes);
  for (uint32_t i = 0; i < g->graphs->count; i++)
    if (!find_calls(g, i)) return false;
  return cpb_calls_sort(&g->graphs->calls);
}

/* Walks the nodes once for their calls; functions may be in their attributes. */
bool cpb_graph_build(cpb_graph *g, cpb_span message, bool lost, cpb_problems *problems, cpb_meter *meter,
                     cpb_error *error) {
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, 2 * (uint64_t)message.size, CPB_NO_OFFSET, error)) return false;
  g->lost = lost;
  if (!build(g, message, problems)) return cpb_fail_memory(error), false;
  const uint64_t entries = g->graphs->items[0].nodes + cpb_graph_num_functions(g) + g->graphs->calls.count;
  return cpb_meter_charge(meter, CPB_WORK_ENTRIES, entries, CPB_NO_OFFSET, error);
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Nodes by name, for one question only. Most questions need no names, so the graph keeps none of them. */

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
    if (n->count == CPB_NO_NAME) break;
    if (!CPB_RESERVE(&n->allocator, &n->items, &n->capacity, n->count + 1)) return false;
    n->items[n->count] = c.bytes;
    if (!cpb_names_add(&n->names, cpb_get_bytes(c.bytes, NODE_NAME), (uint32_t)n->count++)) return false;
  }
  cpb_names_sort(&n->names);
  return true;
}

cpb_span cpb_node_of_input(cpb_span input, bool *control) {
  *control = input.size > 0 && input.data[0] == '^';
  return *control ? cpb_span_from(input, 1) : cpb_span_take(&input, ':');
}

cpb_span cpb_node_attr(cpb_span node, const char *name) {
  return cpb_get_bytes(cpb_get_entry(node, NODE_ATTR, cpb_span_of(name)), MAP_VALUE);
}

bool cpb_node_is_variable(cpb_span node) {
  static const char *const ops[] = {"VarHandleOp", "VariableV2", "Variable", "TemporaryVariable", NULL};
  return cpb_span_is_one_of(cpb_get_bytes(node, NODE_OP), ops);
}

bool cpb_node_is_placeholder(cpb_span node) {
  static const char *const ops[] = {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", NULL};
  return cpb_span_is_one_of(cpb_get_bytes(node, NODE_OP), ops);
}
