#include "model/common/scopes.h"

#include <stdlib.h>

#include "model/questions/questions.h"
#include "model/view/makers.h"

/* A value that a graph within a node takes from the graph around it. */
typedef struct capture {
  size_t node;
  cpb_span value;
} capture;

/* Edges lead from who makes a value, or, where no node does, from the value itself. What nodes only hold belongs to the
 * nodes that take it. */
typedef struct walk {
  cpb_viewed *model;
  uint32_t graph;
  cpb_view_makers makers;
  cpb_names inputs_of, tensors; /* of the graph: names of its inputs, and of tensors that are no nodes */
  uint64_t *sizes;              /* bytes of the tensors of each node */
  capture *captures;
  size_t num_captures, capacity;
  size_t next, capture; /* to be gone to next; of the node that came last: */
  cpb_view_values inputs;
} walk;

/* --- Captures ---------------------------------------------------------------------------------- */

static bool add_captures(walk *w, size_t node, cpb_view_values values) {
  cpb_view_value value;
  while (cpb_view_values_next(&values, &value)) {
    void *items = w->captures;
    const bool is_input = value.name.size > 0 && cpb_names_find(&w->inputs_of, value.name) != CPB_NO_NAME;
    if (!is_input && !cpb_view_maker_of(&w->makers, value.name)) continue;
    if (!cpb_reserve(&w->model->whole.allocator, &items, &w->capacity, w->num_captures + 1, sizeof *w->captures))
      return false;
    w->captures = items;
    w->captures[w->num_captures++] = (capture){node, value.name};
  }
  return true;
}

static bool look_into(walk *w, uint32_t graph) {
  const cpb_view *v = &w->model->view;
  uint64_t holder = 0;
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  if (!cpb_view_graph_sees(&v->graphs, graph, w->graph)) return true;
  cpb_view_graph_place(&v->graphs, w->graph, graph, &holder);
  while (cpb_view_nodes_next(&nodes, &node)) {
    if (!add_captures(w, (size_t)holder, v->kind->values(nodes.graph, &node, false))) return false;
  }
  return add_captures(w, (size_t)holder, v->kind->values(nodes.graph, NULL, true));
}

static int by_node(const void *a, const void *b) {
  const capture *x = a, *y = b;
  return (x->node > y->node) - (x->node < y->node);
}

static bool find_captures(walk *w) {
  for (uint32_t i = 0; i < w->model->view.graphs.count; i++) {
    if (i != w->graph && !look_into(w, i)) return false;
  }
  if (w->num_captures > 1) qsort(w->captures, w->num_captures, sizeof *w->captures, by_node);
  return true;
}

/* --- The graph ----------------------------------------------------------------------------------- */

static void begin(void *user) {
  walk *w = user;
  w->next = w->capture = 0;
}

static bool next(void *user, cpb_scope_node *node) {
  walk *w = user;
  while (w->next < w->makers.count && w->makers.items[w->next].is_constant) w->next++;
  if (w->next == w->makers.count) return false;
  const cpb_view_node *of = &w->makers.items[w->next];
  *node = (cpb_scope_node){of->name, of->op, w->sizes[w->next]};
  w->inputs = w->model->view.kind->values(cpb_view_graph_of(&w->model->view, w->graph), of, false);
  while (w->capture < w->num_captures && w->captures[w->capture].node < w->next) w->capture++;
  w->next++;
  return true;
}

/* The next value that the node takes, itself or in its graphs. */
static bool next_value(walk *w, cpb_span *name) {
  cpb_view_value value;
  if (cpb_view_values_next(&w->inputs, &value)) {
    *name = value.name;
    return true;
  }
  if (w->capture == w->num_captures || w->captures[w->capture].node + 1 != w->next) return false;
  *name = w->captures[w->capture++].value;
  return true;
}

static bool next_input(void *user, cpb_span *from, bool *control) {
  walk *w = user;
  *control = false;
  while (next_value(w, from)) {
    const cpb_view_node *maker = cpb_view_maker_of(&w->makers, *from);
    const bool is_tensor = maker ? maker->is_constant : cpb_names_find(&w->tensors, *from) != CPB_NO_NAME;
    if (from->size == 0 || is_tensor) continue;
    if (maker) *from = maker->name;
    return true;
  }
  return false;
}

/* --- The answer ------------------------------------------------------------------------------------ */

static bool name_inputs(walk *w) {
  cpb_view_value value;
  cpb_view_values inputs = w->model->view.kind->values(cpb_view_graph_of(&w->model->view, w->graph), NULL, false);
  while (cpb_view_values_next(&inputs, &value)) {
    if (!cpb_names_add(&w->inputs_of, value.name, 0)) return false;
  }
  cpb_names_sort(&w->inputs_of);
  return true;
}

/* Initializers, and how much each node has. Small constants, such as shapes, are not told of. */
static bool measure(walk *w, const cpb_inventory *l) {
  const cpb_view_graphs *g = &w->model->view.graphs;
  w->sizes = cpb_alloc_zeroed(&w->model->whole.allocator, (w->makers.count + 1) * sizeof *w->sizes);
  for (size_t i = 0; w->sizes && i < l->count; i++) {
    const cpb_view_item *item = &l->items[i];
    uint64_t node = item->node;
    if (item->tensor.graph == w->graph && !item->tensor.of_node && !cpb_names_add(&w->tensors, item->tensor.value, 0))
      return false;
    const bool is_here = node != CPB_NO_NODE && cpb_view_graph_place(g, w->graph, item->graph, &node);
    if (is_here && !item->is_copy && item->use != CPB_TENSOR_CONSTANT) w->sizes[node] += item->measure.size;
  }
  cpb_names_sort(&w->tensors);
  return w->sizes != NULL;
}

static void write(cpb_viewed *m, walk *w) {
  const cpb_scoped graph = {&m->whole.allocator, w, begin, next, next_input};
  bool found = cpb_scopes_write(&graph, &m->whole.question, m->whole.answer, m->whole.error);
  if (!found && m->whole.error->code == CPB_OK)
    cpb_whole_not_found(&m->whole, "scope", cpb_scope_of(&m->whole.question));
}

void cpb_question_scopes(cpb_viewed *m) {
  const cpb_allocator *a = &m->whole.allocator;
  walk w = {.model = m};
  if (!cpb_viewed_graph(m, cpb_viewed_name(m), &w.graph)) return;
  const cpb_inventory *l = cpb_viewed_inventory(m);
  if (!l) return;
  cpb_viewed_write_graph_name(m, "function", w.graph);
  cpb_names_init(&w.inputs_of, a);
  cpb_names_init(&w.tensors, a);
  if (cpb_view_makers_build(&w.makers, a, &m->view, w.graph) && name_inputs(&w) && measure(&w, l) && find_captures(&w))
    write(m, &w);
  else cpb_whole_fail_memory(&m->whole);
  cpb_view_makers_free(&w.makers);
  cpb_names_free(&w.inputs_of);
  cpb_names_free(&w.tensors);
  cpb_release(a, w.captures);
  cpb_release(a, w.sizes);
}
