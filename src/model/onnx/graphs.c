#include "model/onnx/graphs.h"

#include <stdlib.h>

#include "base/status.h"

void cpb_onnx_graphs_init(cpb_onnx_graphs *g, const cpb_allocator *a) {
  *g = (cpb_onnx_graphs){.allocator = *a};
  cpb_calls_init(&g->calls, a);
  cpb_graph_names_init(&g->names, a);
}

void cpb_onnx_graphs_free(cpb_onnx_graphs *g) {
  cpb_release(&g->allocator, g->items);
  cpb_release(&g->allocator, g->functions);
  cpb_calls_free(&g->calls);
  cpb_graph_names_free(&g->names);
  cpb_onnx_graphs_init(g, &g->allocator);
}

/* --- Names ---------------------------------------------------------------------------------- */

cpb_span cpb_onnx_node_label(cpb_span name, uint64_t number, char *out) {
  if (name.size > 0) return name;
  size_t size = cpb_format(out, CPB_ONNX_NUMBER, "#%llu", (unsigned long long)number);
  return (cpb_span){(const uint8_t *)out, size};
}

static bool put(cpb_buffer *out, cpb_span text) {
  return text.size == 0 || cpb_buffer_append(out, text.data, text.size);
}

static bool put_function(const cpb_onnx_graph *g, cpb_buffer *out) {
  return put(out, g->domain) && (g->domain.size == 0 || cpb_buffer_append(out, ".", 1)) && put(out, g->name) &&
         (g->overload.size == 0 || cpb_buffer_append(out, ":", 1)) && put(out, g->overload);
}

static bool put_element(const cpb_onnx_graph *g, cpb_buffer *out) {
  char text[32];
  size_t size = cpb_format(text, sizeof text, "[%u]", (unsigned)(g->element - 1));
  return g->element == 0 || cpb_buffer_append(out, text, size);
}

/* What a graph is called within that around it. */
static bool put_own_name(const void *graphs, uint32_t graph, cpb_buffer *out) {
  char number[CPB_ONNX_NUMBER];
  const cpb_onnx_graph *g = &((const cpb_onnx_graphs *)graphs)->items[graph];
  switch (g->kind) {
    case CPB_ONNX_MAIN: return true;
    case CPB_ONNX_FUNCTION: return put_function(g, out);
    case CPB_ONNX_SUBGRAPH:
      return put(out, cpb_onnx_node_label(g->node_name, g->node_number, number)) && cpb_buffer_append(out, ":", 1) &&
             put(out, g->attribute) && put_element(g, out);
    default:
      return cpb_buffer_append(out, "training", 8) && put_element(g, out) && cpb_buffer_append(out, ".", 1) &&
             put(out, g->attribute);
  }
}

static uint32_t around(const void *graphs, uint32_t graph) {
  const cpb_onnx_graph *g = &((const cpb_onnx_graphs *)graphs)->items[graph];
  return g->kind == CPB_ONNX_SUBGRAPH ? g->parent : 0;
}

static cpb_named_graphs named(const cpb_onnx_graphs *g) {
  return (cpb_named_graphs){g, (uint32_t)g->count, around, put_own_name};
}

bool cpb_onnx_graph_name(const cpb_onnx_graphs *g, uint32_t graph, cpb_buffer *out) {
  const cpb_named_graphs of = named(g);
  return cpb_graph_name(&of, graph, out);
}

bool cpb_onnx_graph_find(cpb_onnx_graphs *g, cpb_span name, cpb_meter *meter, uint32_t *graph, cpb_error *error) {
  const cpb_named_graphs of = named(g);
  return cpb_graph_names_find(&g->names, &of, name, meter, graph, error);
}

/* --- Functions by name ------------------------------------------------------------------------ */

typedef struct keyed {
  const cpb_onnx_graph *function;
  uint32_t graph;
} keyed;

static int compare(const cpb_onnx_graph *a, const cpb_onnx_graph *b) {
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
    char text[192], name[128];
    const cpb_span same = list[i].function->name;
    if (compare(list[i - 1].function, list[i].function) != 0) continue;
    cpb_quote(name, sizeof name, same.data ? same.data : (const uint8_t *)"", same.size);
    cpb_format(text, sizeof text, "more than one function is named \"%s\"", name);
    cpb_problems_add(problems, CPB_NO_OFFSET, text);
  }
}

static bool sort_functions(cpb_onnx_graphs *g, cpb_problems *problems) {
  size_t count = 0;
  for (size_t i = 0; i < g->count; i++) count += g->items[i].kind == CPB_ONNX_FUNCTION;
  if (count == 0) return true;
  keyed *list = cpb_alloc(&g->allocator, count * sizeof *list);
  g->functions = list ? cpb_alloc(&g->allocator, count * sizeof *g->functions) : NULL;
  for (size_t i = 0; g->functions && i < g->count; i++) {
    if (g->items[i].kind == CPB_ONNX_FUNCTION) list[g->num_functions++] = (keyed){&g->items[i], (uint32_t)i};
  }
  if (g->functions) {
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++) g->functions[i] = list[i].graph;
    note_same(list, count, problems);
  }
  cpb_release(&g->allocator, list);
  return g->functions != NULL;
}

/* The first that is not before it, in the order of `functions`. */
static const cpb_onnx_graph *first_from(const cpb_onnx_graphs *g, const cpb_onnx_graph *wanted) {
  size_t low = 0, high = g->num_functions;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(&g->items[g->functions[middle]], wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low < g->num_functions ? &g->items[g->functions[low]] : NULL;
}

uint32_t cpb_onnx_callee(const cpb_onnx_graphs *g, cpb_span node) {
  if (g->num_functions == 0) return CPB_NO_GRAPH;
  const cpb_onnx_graph wanted = {.domain = cpb_get_bytes(node, NODE_DOMAIN),
                                 .name = cpb_get_bytes(node, NODE_OP),
                                 .overload = cpb_get_bytes(node, NODE_OVERLOAD)};
  const cpb_onnx_graph *found = first_from(g, &wanted);
  return found && compare(found, &wanted) == 0 ? (uint32_t)(found - g->items) : CPB_NO_GRAPH;
}

bool cpb_onnx_has_function(const cpb_onnx_graphs *g, cpb_span domain, cpb_span name) {
  const cpb_onnx_graph wanted = {.domain = domain, .name = name};
  const cpb_onnx_graph *found = first_from(g, &wanted);
  return found && cpb_span_equal(found->name, name) && cpb_span_equal(found->domain, domain);
}

/* --- Building ------------------------------------------------------------------------------------ */

typedef struct builder {
  cpb_onnx_graphs *graphs;
  const cpb_part *part;
  cpb_problems *problems;
  bool too_deep; /* it was said */
} builder;

static bool add(cpb_onnx_graphs *g, cpb_onnx_graph graph) {
  void *items = g->items;
  if (g->count == CPB_NO_GRAPH) return true;
  if (!cpb_reserve(&g->allocator, &items, &g->capacity, g->count + 1, sizeof *g->items)) return false;
  g->items = items;
  graph.nodes = cpb_count_bytes(graph.message, cpb_onnx_node_field(&graph));
  g->items[g->count++] = graph;
  return true;
}

static bool add_training(cpb_onnx_graphs *g, cpb_span training, uint32_t number) {
  static const struct {
    uint32_t field;
    const char *name;
  } fields[] = {{TRAINING_INITIALIZATION, "initialization"}, {TRAINING_ALGORITHM, "algorithm"}};
  for (size_t i = 0; i < 2; i++) {
    const cpb_onnx_graph graph = {.kind = CPB_ONNX_TRAINING,
                                  .message = cpb_get_bytes(training, fields[i].field),
                                  .element = number + 1,
                                  .attribute = cpb_span_of(fields[i].name)};
    if (graph.message.data && !add(g, graph)) return false;
  }
  return true;
}

static bool add_function(cpb_onnx_graphs *g, cpb_span function) {
  return add(g, (cpb_onnx_graph){.kind = CPB_ONNX_FUNCTION,
                                 .message = function,
                                 .domain = cpb_get_bytes(function, FUNCTION_DOMAIN),
                                 .name = cpb_get_bytes(function, FUNCTION_NAME),
                                 .overload = cpb_get_bytes(function, FUNCTION_OVERLOAD)});
}

static bool add_outermost(cpb_onnx_graphs *g, cpb_span model) {
  uint32_t trainings = 0;
  cpb_cursor c = cpb_cursor_of(model);
  bool done = add(g, (cpb_onnx_graph){.kind = CPB_ONNX_MAIN, .message = cpb_get_bytes(model, MODEL_GRAPH)});
  while (done && cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == MODEL_FUNCTION) done = add_function(g, c.bytes);
    else if (c.number == MODEL_TRAINING) done = add_training(g, c.bytes, trainings++);
  }
  return done;
}

/* Notes once that messages are nested deeper than they are read. */
static bool is_too_deep(builder *b, cpb_span message) {
  if (message.size > 0 || !cpb_part_omits(b->part, message)) return false;
  if (!b->too_deep)
    cpb_problems_add(b->problems, cpb_part_where(b->part, message).offset,
                     "messages are nested deeper than the limit; graphs from here inwards are not shown");
  return b->too_deep = true;
}

static bool add_subgraphs(builder *b, cpb_span attribute, cpb_onnx_graph within) {
  uint32_t element = 0;
  cpb_cursor c = cpb_cursor_of(attribute);
  while (cpb_cursor_next(&c)) {
    bool is_list = c.number == ATTRIBUTE_GRAPHS;
    if (c.type != CPB_WIRE_LEN || (c.number != ATTRIBUTE_GRAPH && !is_list)) continue;
    if (element == 0) within.attribute = cpb_get_bytes(attribute, ATTRIBUTE_NAME);
    within.message = c.bytes;
    within.element = is_list ? ++element : 0;
    if (!is_too_deep(b, c.bytes) && !add(b->graphs, within)) return false;
  }
  return true;
}

/* The subgraphs of its nodes. */
static bool look_into(builder *b, uint32_t graph) {
  const cpb_onnx_graphs *g = b->graphs;
  uint32_t number = 0;
  cpb_cursor c = cpb_cursor_of(g->items[graph].message);
  const uint32_t field = cpb_onnx_node_field(&g->items[graph]);
  for (; cpb_cursor_find(&c, field, CPB_WIRE_LEN); number++) {
    const cpb_onnx_graph within = {.kind = CPB_ONNX_SUBGRAPH,
                                   .parent = graph,
                                   .node_number = number,
                                   .node_name = cpb_get_bytes(c.bytes, NODE_NAME)};
    cpb_cursor attributes = cpb_cursor_of(c.bytes);
    is_too_deep(b, c.bytes);
    while (cpb_cursor_find(&attributes, NODE_ATTRIBUTE, CPB_WIRE_LEN)) {
      if (!is_too_deep(b, attributes.bytes) && !add_subgraphs(b, attributes.bytes, within)) return false;
    }
  }
  return true;
}

static bool find_calls(cpb_onnx_graphs *g, uint32_t graph) {
  cpb_cursor c = cpb_cursor_of(g->items[graph].message);
  while (cpb_cursor_find(&c, cpb_onnx_node_field(&g->items[graph]), CPB_WIRE_LEN)) {
    uint32_t callee = cpb_onnx_callee(g, c.bytes);
    if (callee != CPB_NO_GRAPH && !cpb_calls_add(&g->calls, graph, callee)) return false;
  }
  return true;
}

static uint64_t count_nodes(const cpb_onnx_graphs *g) {
  uint64_t total = 0;
  for (size_t i = 0; i < g->count; i++) total += g->items[i].nodes;
  return total;
}

/* Graphs are added behind those that are looked into: the list is its own queue. */
static bool build(cpb_onnx_graphs *g, const cpb_part *part, cpb_problems *problems) {
  builder b = {g, part, problems, false};
  if (!add_outermost(g, part->message)) return false;
  for (size_t i = 0; i < g->count; i++) {
    if (!look_into(&b, (uint32_t)i)) return false;
  }
  if (!sort_functions(g, problems)) return false;
  for (size_t i = 0; g->num_functions > 0 && i < g->count; i++) {
    if (!find_calls(g, (uint32_t)i)) return false;
  }
  return cpb_calls_sort(&g->calls);
}

/* Each node is gone through once for what is in it, and with functions once more for what it calls. A subgraph is
 * passed over in the graph around it. */
bool cpb_onnx_graphs_build(cpb_onnx_graphs *g, const cpb_part *part, cpb_problems *problems, cpb_meter *meter,
                           cpb_error *error) {
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, 3 * (uint64_t)part->message.size, CPB_NO_OFFSET, error)) return false;
  if (!build(g, part, problems)) return cpb_fail_memory(error), false;
  return cpb_meter_charge(meter, CPB_WORK_ENTRIES, count_nodes(g) + g->count + g->calls.count, CPB_NO_OFFSET, error);
}
