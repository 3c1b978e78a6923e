#include "model/onnx/model.h"

#include <stdlib.h>

#include "base/status.h"

void cpb_onnx_functions_free(cpb_onnx_functions *f) {
  cpb_release(&f->allocator, f->items);
  *f = (cpb_onnx_functions){.allocator = f->allocator};
}

cpb_span cpb_onnx_domain(cpb_span domain) { return cpb_span_is(domain, "ai.onnx") ? (cpb_span){NULL, 0} : domain; }

/* --- Functions by name ------------------------------------------------------------------------ */

/* qsort() passes no context, so each number to be sorted has its function along with it (`keyed`). Only the numbers
 * are kept. */

typedef struct keyed {
  const cpb_view_graph *function;
  uint32_t graph;
} keyed;

static int compare(const cpb_view_graph *a, const cpb_view_graph *b) {
  int order = cpb_span_compare(a->name, b->name);
  if (order == 0) order = cpb_span_compare(a->domain, b->domain);
  return order != 0 ? order : cpb_span_compare(a->overload, b->overload);
}

static int by_name(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  int order = compare(x->function, y->function);
  return order != 0 ? order : (x->graph > y->graph) - (x->graph < y->graph);
}

static void note_same(const keyed *list, size_t count, cpb_problems *problems) {
  for (size_t i = 1; i < count; i++) {
    const bool is_same = compare(list[i - 1].function, list[i].function) == 0;
    if (is_same) cpb_graphs_note_same_name(problems, list[i].function->name);
  }
}

static bool sort_functions(const cpb_view_graphs *g, cpb_onnx_functions *f, cpb_problems *problems) {
  size_t count = 0;
  for (size_t i = 0; i < g->count; i++) count += g->items[i].role == CPB_GRAPH_FUNCTION;
  if (count == 0) return true;
  keyed *list = cpb_alloc(&f->allocator, count * sizeof *list);
  f->items = list ? cpb_alloc(&f->allocator, count * sizeof *f->items) : NULL;
  for (size_t i = 0; f->items && i < g->count; i++)
    if (g->items[i].role == CPB_GRAPH_FUNCTION) list[f->count++] = (keyed){&g->items[i], (uint32_t)i};
  if (f->items) {
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++) f->items[i] = list[i].graph;
    note_same(list, count, problems);
  }
  cpb_release(&f->allocator, list);
  return f->items != NULL;
}

/* The place of the first function that is not before `wanted`. */
static size_t place_of(const cpb_onnx_functions *f, const cpb_view_graphs *g, const cpb_view_graph *wanted) {
  size_t low = 0, high = f->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(&g->items[f->items[middle]], wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

uint32_t cpb_onnx_callee(const cpb_onnx_functions *f, const cpb_view_graphs *g, cpb_span domain, cpb_span name,
                         cpb_span overload) {
  const cpb_view_graph wanted = {.domain = domain, .name = name, .overload = overload};
  size_t i = place_of(f, g, &wanted);
  return i < f->count && compare(&g->items[f->items[i]], &wanted) == 0 ? f->items[i] : CPB_NO_GRAPH;
}

static bool has_exactly(const cpb_onnx_functions *f, const cpb_view_graphs *g, cpb_span domain, cpb_span name) {
  const cpb_view_graph wanted = {.domain = domain, .name = name};
  size_t i = place_of(f, g, &wanted);
  if (i == f->count) return false;
  const cpb_view_graph *found = &g->items[f->items[i]];
  return cpb_span_equal(found->name, name) && cpb_span_equal(found->domain, domain);
}

bool cpb_onnx_has_function(const cpb_onnx_functions *f, const cpb_view_graphs *g, cpb_span domain, cpb_span name) {
  const cpb_span empty = {NULL, 0};
  if (cpb_onnx_domain(domain).size > 0) return has_exactly(f, g, domain, name);
  return has_exactly(f, g, empty, name) || has_exactly(f, g, cpb_span_of("ai.onnx"), name);
}

/* --- Building ------------------------------------------------------------------------------------ */

/* Nodes usually come first, and are most of a graph. `rest` begins after them, so a question about inputs, outputs
 * or initializers does not walk the nodes. */
static bool add(cpb_view_graphs *g, cpb_view_graph graph) {
  const uint32_t field = cpb_onnx_node_field(&graph);
  bool only_nodes = true;
  graph.rest = graph.message;
  for (cpb_cursor c = cpb_cursor_of(graph.message); cpb_cursor_next(&c);) {
    const bool is_node = c.number == field && c.type == CPB_WIRE_LEN;
    only_nodes = only_nodes && is_node;
    graph.nodes += is_node;
    if (only_nodes) graph.rest = (cpb_span){c.at, (size_t)(c.end - c.at)};
  }
  return cpb_view_graphs_add(g, graph);
}

static bool add_training(cpb_view_graphs *g, cpb_span training, uint32_t number) {
  static const struct {
    uint32_t field;
    const char *name;
  } fields[] = {{TRAINING_INITIALIZATION, "initialization"}, {TRAINING_ALGORITHM, "algorithm"}};
  for (size_t i = 0; i < 2; i++) {
    const cpb_view_graph graph = {.role = CPB_GRAPH_TRAINING,
                                  .message = cpb_get_bytes(training, fields[i].field),
                                  .element = number + 1,
                                  .name = cpb_span_of(fields[i].name)};
    if (graph.message.data && !add(g, graph)) return false;
  }
  return true;
}

static bool add_function(cpb_view_graphs *g, cpb_span function) {
  return add(g, (cpb_view_graph){.role = CPB_GRAPH_FUNCTION,
                                 .message = function,
                                 .domain = cpb_get_bytes(function, FUNCTION_DOMAIN),
                                 .name = cpb_get_bytes(function, FUNCTION_NAME),
                                 .overload = cpb_get_bytes(function, FUNCTION_OVERLOAD)});
}

static bool add_outermost(cpb_view_graphs *g, cpb_span model, cpb_span graph) {
  uint32_t trainings = 0;
  cpb_cursor c = cpb_cursor_of(model);
  bool done = add(g, (cpb_view_graph){.role = CPB_GRAPH_MAIN, .message = graph});
  while (done && cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == MODEL_FUNCTION) done = add_function(g, c.bytes);
    else if (c.number == MODEL_TRAINING) done = add_training(g, c.bytes, trainings++);
  }
  return done;
}

static bool add_subgraphs(cpb_graphs_builder *b, cpb_span node, cpb_span attribute, cpb_view_graph within) {
  uint32_t element = 0;
  cpb_cursor c = cpb_cursor_of(attribute);
  while (cpb_cursor_next(&c)) {
    bool is_list = c.number == ATTRIBUTE_GRAPHS;
    if (c.type != CPB_WIRE_LEN || (c.number != ATTRIBUTE_GRAPH && !is_list)) continue;
    /* found only for an attribute that has a graph: most have none, and are only walked */
    if (element == 0) {
      within.node_name = cpb_get_bytes(node, NODE_NAME);
      within.name = cpb_get_bytes(attribute, ATTRIBUTE_NAME);
    }
    within.message = c.bytes;
    within.element = is_list ? ++element : 0;
    if (!cpb_graphs_are_too_deep(b, c.bytes) && !add(b->graphs, within)) return false;
  }
  return true;
}

/* The subgraphs of its nodes. */
static bool look_into(cpb_graphs_builder *b, uint32_t graph) {
  const cpb_view_graphs *g = b->graphs;
  uint32_t number = 0;
  cpb_cursor c = cpb_cursor_of(g->items[graph].message);
  const uint32_t field = cpb_onnx_node_field(&g->items[graph]);
  for (; cpb_cursor_find(&c, field, CPB_WIRE_LEN); number++) {
    const cpb_view_graph within = {
        .role = CPB_GRAPH_SUBGRAPH, .is_within = true, .parent = graph, .node_number = number};
    cpb_cursor attributes = cpb_cursor_of(c.bytes);
    cpb_graphs_are_too_deep(b, c.bytes);
    while (cpb_cursor_find(&attributes, NODE_ATTRIBUTE, CPB_WIRE_LEN))
      if (!cpb_graphs_are_too_deep(b, attributes.bytes) && !add_subgraphs(b, c.bytes, attributes.bytes, within))
        return false;
  }
  return true;
}

static bool find_calls(cpb_view_graphs *g, const cpb_onnx_functions *f, uint32_t graph) {
  cpb_cursor c = cpb_cursor_of(g->items[graph].message);
  while (cpb_cursor_find(&c, cpb_onnx_node_field(&g->items[graph]), CPB_WIRE_LEN)) {
    uint32_t callee = cpb_onnx_callee(f, g, cpb_get_bytes(c.bytes, NODE_DOMAIN), cpb_get_bytes(c.bytes, NODE_OP),
                                      cpb_get_bytes(c.bytes, NODE_OVERLOAD));
    if (callee != CPB_NO_GRAPH && !cpb_calls_add(&g->calls, graph, callee)) return false;
  }
  return true;
}

/* Graphs are added after those being examined: the list is its own queue. */
static bool build(cpb_view_graphs *g, cpb_onnx_functions *f, cpb_part *part, cpb_problems *problems) {
  cpb_span graph;
  cpb_graphs_builder b = {g, part, problems, false};
  if (!cpb_part_join(part, &g->allocator, MODEL_GRAPH, &graph) || !add_outermost(g, part->message, graph)) return false;
  for (size_t i = 0; i < g->count; i++)
    if (!look_into(&b, (uint32_t)i)) return false;
  if (!sort_functions(g, f, problems)) return false;
  for (size_t i = 0; f->count > 0 && i < g->count; i++)
    if (!find_calls(g, f, (uint32_t)i)) return false;
  return cpb_calls_sort(&g->calls);
}

/* Each node is walked once for its contents, and with functions a second time for its calls. A subgraph is skipped in
 * the walk of the graph around it. */
bool cpb_onnx_graphs_build(cpb_view_graphs *g, cpb_onnx_functions *f, cpb_part *part, cpb_problems *problems,
                           cpb_meter *meter, cpb_error *error) {
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, 3 * (uint64_t)part->message.size, CPB_NO_OFFSET, error)) return false;
  if (!build(g, f, part, problems)) return cpb_fail_memory(error), false;
  return cpb_view_graphs_charge(g, meter, error);
}
