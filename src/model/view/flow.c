#include "model/view/flow.h"

#include "base/status.h"
#include "model/common/lists.h"

/* All graphs become one: points for nodes, arguments and tensors, and two for the entry and the exit of each graph,
 * through which the edges of its callers lead. All points but the hubs are added before the first edge. */

struct cpb_flow_graph {
  cpb_view_makers makers;
  cpb_names nodes, others; /* by name: nodes; arguments and tensors */
  uint32_t first;          /* the points of its nodes are contiguous from here */
  uint32_t entry, exit;
  uint32_t hub,
      hub_of; /* the point for the inputs of node `hub_of`, on their way into the graphs that it calls or holds;
               * CPB_NO_POINT: not made yet */
};

typedef struct building {
  cpb_flow *flow;
  cpb_error *error;
  uint32_t graph;
} building;

/* --- Adding ------------------------------------------------------------------------------- */

static bool fail_memory(const building *b) { return cpb_fail_memory(b->error), false; }

static bool charge(const building *b) {
  return cpb_meter_charge(b->flow->meter, CPB_WORK_ENTRIES, 1, CPB_NO_OFFSET, b->error);
}

static bool add_point(const building *b, cpb_point point) {
  cpb_flow *f = b->flow;
  if (!charge(b)) return false;
  if (f->num_points >= CPB_NO_POINT / 2 ||
      !CPB_RESERVE(&f->allocator, &f->points, &f->points_capacity, f->num_points + 1))
    return fail_memory(b);
  f->points[f->num_points++] = point;
  return true;
}

static bool add_edge(const building *b, uint32_t from, uint32_t to, cpb_flow_way way) {
  cpb_flow *f = b->flow;
  if (from == CPB_NO_POINT || to == CPB_NO_POINT) return true;
  if (!charge(b)) return false;
  if (!CPB_RESERVE(&f->allocator, &f->edges, &f->edges_capacity, f->num_edges + 1)) return fail_memory(b);
  f->edges[f->num_edges++] = (cpb_flow_edge){from, to, way};
  return true;
}

/* --- Points ------------------------------------------------------------------------------- */

static bool add_other(const building *b, cpb_point_kind kind, cpb_span name) {
  struct cpb_flow_graph *g = &b->flow->graphs[b->graph];
  const uint32_t number = (uint32_t)b->flow->num_points;
  if (name.size == 0) return true;
  return add_point(b, (cpb_point){.kind = kind, .graph = b->graph, .name = name}) &&
         (cpb_names_add(&g->others, name, number) || fail_memory(b));
}

/* A value that a node makes is represented by the node. */
static bool add_tensor(void *user, const cpb_view_tensor *t) {
  const building *b = user;
  return (t->value.size > 0 && cpb_view_maker_of(&b->flow->graphs[b->graph].makers, t->value)) ||
         add_other(b, CPB_POINT_TENSOR, t->value);
}

static bool add_nodes(const building *b, struct cpb_flow_graph *g) {
  g->first = (uint32_t)b->flow->num_points;
  for (size_t i = 0; i < g->makers.count; i++) {
    const cpb_view_node *node = &g->makers.items[i];
    const cpb_point point = {.kind = CPB_POINT_NODE, .graph = b->graph, .name = node->name, .op = node->op};
    if (!cpb_names_add(&g->nodes, node->name, g->first + (uint32_t)i)) return fail_memory(b);
    if (!add_point(b, point)) return false;
  }
  return true;
}

static bool add_arguments(const building *b) {
  const cpb_view *v = b->flow->view;
  cpb_view_value value;
  cpb_view_values arguments = v->kind->values(v, cpb_view_graph_of(v, b->graph), NULL, false);
  while (cpb_view_values_next(&arguments, &value))
    if (!add_other(b, CPB_POINT_ARGUMENT, value.name)) return false;
  return true;
}

static bool add_points(building *b) {
  const cpb_view *v = b->flow->view;
  struct cpb_flow_graph *g = &b->flow->graphs[b->graph];
  if (!cpb_view_makers_build(&g->makers, &b->flow->allocator, v, b->graph)) return fail_memory(b);
  if (!add_nodes(b, g)) return false;
  g->entry = (uint32_t)b->flow->num_points;
  g->exit = g->entry + 1;
  for (int i = 0; i < 2; i++)
    if (!add_point(b, (cpb_point){.kind = CPB_POINT_PASS, .graph = b->graph})) return false;
  if (!add_arguments(b)) return false;
  if (!v->kind->each_tensor(v, b->graph, add_tensor, b)) return fail_memory(b);
  cpb_names_sort(&g->nodes);
  cpb_names_sort(&g->others);
  return true;
}

/* --- Edges -------------------------------------------------------------------------------- */

/* The number of edges is linear in the inputs of all nodes. Without the hubs it would not be: a node that calls k
 * functions with n inputs would have k * n edges. */

/* The point with this name in the graph, or in one around it whose values it sees. */
static uint32_t resolve(const cpb_flow *f, uint32_t graph, cpb_span name) {
  for (uint32_t at = graph; name.size > 0;) {
    const struct cpb_flow_graph *g = &f->graphs[at];
    const cpb_view_node *maker = cpb_view_maker_of(&g->makers, name);
    const uint32_t other = maker ? CPB_NO_NAME : cpb_names_find(&g->others, name);
    const cpb_view_graph *shape = cpb_view_graph_of(f->view, at);
    if (maker) return g->first + (uint32_t)(maker - g->makers.items);
    if (other != CPB_NO_NAME) return other;
    if (shape->role != CPB_GRAPH_SUBGRAPH) break;
    at = shape->parent;
  }
  return CPB_NO_POINT;
}

/* Adds edges from the node's inputs to `to`. */
static bool add_inputs(const building *b, const cpb_view_node *node, uint32_t to) {
  const cpb_view *v = b->flow->view;
  cpb_view_value value;
  cpb_view_values inputs = v->kind->values(v, cpb_view_graph_of(v, b->graph), node, false);
  while (cpb_view_values_next(&inputs, &value))
    if (value.name.data && !add_edge(b, resolve(b->flow, b->graph, value.name), to, CPB_FLOW_PLAIN)) return false;
  return true;
}

/* Adds edges from the nodes that must run before. */
static bool add_controls(const building *b, const cpb_view_node *node, uint32_t to) {
  const cpb_view *v = b->flow->view;
  cpb_view_value value;
  if (!v->kind->controls) return true;
  cpb_view_values controls = v->kind->controls(v, cpb_view_graph_of(v, b->graph), node);
  while (cpb_view_values_next(&controls, &value)) {
    const uint32_t from = cpb_names_find(&b->flow->graphs[b->graph].nodes, value.name);
    if (from != CPB_NO_NAME && !add_edge(b, from, to, CPB_FLOW_PLAIN)) return false;
  }
  return true;
}

/* One for all graphs of a node: otherwise the number of edges would be inputs times graphs. */
static bool make_hub(const building *b, uint32_t node) {
  struct cpb_flow_graph *g = &b->flow->graphs[b->graph];
  if (g->hub != CPB_NO_POINT && g->hub_of == node) return true;
  g->hub = (uint32_t)b->flow->num_points;
  g->hub_of = node;
  return add_point(b, (cpb_point){.kind = CPB_POINT_PASS, .graph = b->graph}) &&
         add_inputs(b, &g->makers.items[node], g->hub);
}

/* Adds edges into the graph that the node calls or holds, and out of it. */
static bool add_inner(const building *b, uint32_t node, uint32_t inner, bool is_call) {
  const struct cpb_flow_graph *g = &b->flow->graphs[b->graph], *to = &b->flow->graphs[inner];
  return make_hub(b, node) && add_edge(b, g->hub, to->entry, is_call ? CPB_FLOW_CALL : CPB_FLOW_PLAIN) &&
         add_edge(b, to->exit, g->first + node, is_call ? CPB_FLOW_RETURN : CPB_FLOW_PLAIN);
}

typedef struct calling {
  const building *building;
  uint32_t node;
} calling;

static bool add_call(void *user, cpb_span attribute, uint32_t graph) {
  const calling *c = user;
  (void)attribute;
  return add_inner(c->building, c->node, graph, true);
}

static bool add_calls(const building *b, const cpb_view_node *node, uint32_t number) {
  const cpb_view *v = b->flow->view;
  calling c = {b, number};
  return !v->kind->each_callee || v->kind->each_callee(v, node, add_call, &c);
}

static bool add_node_edges(const building *b, uint32_t number) {
  const struct cpb_flow_graph *g = &b->flow->graphs[b->graph];
  const cpb_view_node *node = &g->makers.items[number];
  return add_inputs(b, node, g->first + number) && add_controls(b, node, g->first + number) &&
         add_calls(b, node, number);
}

/* For a function whose outputs have names of their own: adds edges from their values, and from the nodes that must have
 * run. */
static bool add_returns(const building *b, const cpb_view_graph *shape, uint32_t field) {
  cpb_entries returns;
  bool done = true;
  if (!cpb_entries_read(&returns, &b->flow->allocator, shape->message, field)) return fail_memory(b);
  for (size_t i = 0; i < returns.count && done; i++)
    done =
        add_edge(b, resolve(b->flow, b->graph, returns.items[i].value), b->flow->graphs[b->graph].exit, CPB_FLOW_PLAIN);
  cpb_entries_free(&returns);
  return done;
}

static bool add_results(const building *b, const cpb_view_graph *shape) {
  const cpb_view *v = b->flow->view;
  cpb_view_value value;
  if (v->kind->returns && shape->role == CPB_GRAPH_FUNCTION)
    return add_returns(b, shape, v->kind->returns) && add_returns(b, shape, v->kind->control_returns);
  cpb_view_values results = v->kind->values(v, shape, NULL, true);
  while (cpb_view_values_next(&results, &value))
    if (!add_edge(b, resolve(b->flow, b->graph, cpb_view_source_of(&value)), b->flow->graphs[b->graph].exit,
                  CPB_FLOW_PLAIN))
      return false;
  return true;
}

/* Adds edges from the entry to the arguments, and from the results to the exit; a graph within a node has its entry and
 * exit at the node. */
static bool add_graph_edges(const building *b) {
  cpb_flow *f = b->flow;
  const cpb_view_graph *shape = cpb_view_graph_of(f->view, b->graph);
  const struct cpb_flow_graph *g = &f->graphs[b->graph];
  for (size_t i = 0; i < g->others.count; i++) {
    const uint32_t point = g->others.items[i].what;
    if (f->points[point].kind == CPB_POINT_ARGUMENT && !add_edge(b, g->entry, point, CPB_FLOW_PLAIN)) return false;
  }
  if (!add_results(b, shape)) return false;
  if (!shape->is_within || shape->node_number >= f->graphs[shape->parent].makers.count) return true;
  const building holder = {.flow = f, .error = b->error, .graph = shape->parent};
  return add_inner(&holder, shape->node_number, b->graph, false);
}

static bool add_edges(const building *b) {
  const struct cpb_flow_graph *g = &b->flow->graphs[b->graph];
  for (size_t i = 0; i < g->makers.count; i++)
    if (!add_node_edges(b, (uint32_t)i)) return false;
  return add_graph_edges(b);
}

/* --- All of them ---------------------------------------------------------------------------- */

bool cpb_flow_build(cpb_flow *f, const cpb_allocator *a, const cpb_view *view, cpb_meter *meter, cpb_error *error) {
  building b = {.flow = f, .error = error};
  *f = (cpb_flow){.allocator = *a, .view = view, .meter = meter};
  f->graphs = cpb_alloc_zeroed(a, view->graphs.count * sizeof *f->graphs);
  if (!f->graphs) return fail_memory(&b);
  for (size_t i = 0; i < view->graphs.count; i++) {
    f->graphs[i].hub = CPB_NO_POINT;
    f->graphs[i].makers.allocator = f->graphs[i].makers.names.allocator = *a;
    cpb_names_init(&f->graphs[i].nodes, a);
    cpb_names_init(&f->graphs[i].others, a);
  }
  for (b.graph = 0; b.graph < view->graphs.count; b.graph++)
    if (!add_points(&b)) return false;
  for (b.graph = 0; b.graph < view->graphs.count; b.graph++)
    if (!add_edges(&b)) return false;
  return true;
}

void cpb_flow_free(cpb_flow *f) {
  for (size_t i = 0; f->graphs && i < f->view->graphs.count; i++) {
    cpb_view_makers_free(&f->graphs[i].makers);
    cpb_names_free(&f->graphs[i].nodes);
    cpb_names_free(&f->graphs[i].others);
  }
  cpb_release(&f->allocator, f->graphs);
  cpb_release(&f->allocator, f->points);
  cpb_release(&f->allocator, f->edges);
}

uint32_t cpb_flow_find(const cpb_flow *f, uint32_t graph, cpb_span name) {
  const uint32_t node = cpb_names_find(&f->graphs[graph].nodes, name);
  return node != CPB_NO_NAME ? node : resolve(f, graph, name);
}
