#include "model/common/name_layers.h"
#include "model/questions/questions.h"
#include "model/view/inventory.h"

#define MOST_CONVERSIONS 8 /* of a weight, one after the other */

/* The layers of a model: its nodes, if these are layers; otherwise layers are derived from the names of nodes. A weight
 * belongs to the first node that takes it; if that only converts it, to the node behind. A weight of a graph within a
 * node belongs to that node, and one of a function to the function. */
typedef struct layers {
  cpb_viewed *model;
  const cpb_inventory *inventory;
  cpb_view_makers makers;
  cpb_names takers;       /* the nodes that take each value, if some only convert weights */
  cpb_layer_sum *own;     /* sums of the nodes in the model's graph, by number */
  cpb_name_layer *graphs; /* and of functions, by the number of their graphs */
  cpb_name_layer unused;
  cpb_buffer names; /* of functions */
  bool has_modules;
  cpb_name_layers list;
} layers;

/* --- Weights ----------------------------------------------------------------------------------- */

/* A weight of a graph within a node is found from the inside outwards: the inventory names the innermost node that
 * takes it, but a layer is a node of the model's own graph. */

static uint32_t outermost(const cpb_view_graphs *g, uint32_t graph) {
  while (g->items[graph].is_within) graph = g->items[graph].parent;
  return graph;
}

static bool add_takers(layers *l) {
  const cpb_view *v = &l->model->view;
  cpb_view_value value;
  if (!v->kind->converts) return true;
  for (size_t i = 0; i < l->makers.count; i++) {
    cpb_view_values inputs = v->kind->values(v, cpb_view_graph_of(v, 0), &l->makers.items[i], false);
    while (cpb_view_values_next(&inputs, &value))
      if (value.name.size > 0 && !cpb_names_add(&l->takers, value.name, (uint32_t)i)) return false;
  }
  cpb_names_sort(&l->takers);
  return true;
}

/* The node that a weight is for, by the one that takes it. Nodes may come in any order, even in a circle. */
static uint64_t user_of(const layers *l, uint64_t node) {
  const cpb_view *v = &l->model->view;
  for (size_t i = 0; v->kind->converts && v->kind->converts(&l->makers.items[node]) && i < MOST_CONVERSIONS; i++) {
    cpb_view_value value;
    cpb_view_values outputs = v->kind->values(v, cpb_view_graph_of(v, 0), &l->makers.items[node], true);
    const uint32_t taker =
        cpb_view_values_next(&outputs, &value) ? cpb_names_find(&l->takers, value.name) : CPB_NO_NAME;
    if (taker == CPB_NO_NAME) break;
    node = taker;
  }
  return node;
}

static cpb_layer_sum *taker_of(layers *l, const cpb_view_item *item) {
  const cpb_view_graphs *g = &l->model->view.graphs;
  uint64_t node = item->node;
  if (item->node == CPB_NO_NODE) return &l->unused.sum;
  const uint32_t graph = outermost(g, item->graph);
  if (graph != 0) return &l->graphs[graph].sum;
  cpb_view_graph_place(g, 0, item->graph, &node);
  return l->makers.items[node].is_constant ? &l->unused.sum : &l->own[user_of(l, node)];
}

static void take_weights(layers *l) {
  for (size_t i = 0; i < l->inventory->count; i++) {
    const cpb_view_item *item = &l->inventory->items[i];
    const cpb_view_measure *one = &item->measure;
    if (cpb_view_item_counts(item)) cpb_layer_sum_add(taker_of(l, item), one->has_elements, one->elements, one->bytes);
  }
}

/* --- Layers ------------------------------------------------------------------------------------- */

static bool add_nodes(layers *l) {
  const cpb_view_kind *kind = l->model->view.kind;
  const bool are_layers =
      kind->nodes_are_layers && kind->nodes_are_layers(&l->model->view, cpb_view_graph_of(&l->model->view, 0));
  for (size_t i = 0; i < l->makers.count; i++) {
    const cpb_view_node *node = &l->makers.items[i];
    cpb_name_layer found = {.op = node->op, .nodes = 1, .sum = l->own[i]};
    if (node->is_constant) continue;
    found.has_class = kind->module && kind->module(node, &found.path, &found.op);
    if (!found.has_class) found.path = are_layers ? node->name : cpb_name_layer_path(node->own_name);
    else l->has_modules = true;
    if (!cpb_name_layers_add(&l->list, found)) return false;
  }
  return true;
}

/* First appends all names to the buffer, which may move. */
static bool name_functions(layers *l) {
  const cpb_view_graphs *g = &l->model->view.graphs;
  for (uint32_t i = 1; i < g->count; i++) {
    cpb_name_layer *one = &l->graphs[i];
    if (one->sum.tensors == 0) continue;
    one->path.size = l->names.size;
    if (!cpb_view_graph_name(g, i, &l->names)) return false;
    one->path.size = l->names.size - one->path.size;
  }
  return true;
}

static bool add_functions(layers *l) {
  const cpb_view_graphs *g = &l->model->view.graphs;
  const uint8_t *name = l->names.data;
  for (uint32_t i = 1; i < g->count; i++) {
    cpb_name_layer *one = &l->graphs[i];
    if (one->sum.tensors == 0) continue;
    one->path.data = name;
    name += one->path.size;
    one->nodes = g->items[i].nodes;
    if (!cpb_name_layers_add(&l->list, *one)) return false;
  }
  l->unused.path = cpb_span_of("(taken by no node)");
  return l->unused.sum.tensors == 0 || cpb_name_layers_add(&l->list, l->unused);
}

static bool find_layers(layers *l) {
  cpb_viewed *m = l->model;
  const cpb_allocator *a = &m->allocator;
  if (!cpb_view_makers_list(&l->makers, a, &m->view, 0) || !add_takers(l)) return false;
  l->own = cpb_alloc_zeroed(a, (l->makers.count + 1) * sizeof *l->own);
  l->graphs = cpb_alloc_zeroed(a, m->view.graphs.count * sizeof *l->graphs);
  if (!l->own || !l->graphs) return false;
  take_weights(l);
  return add_nodes(l) && name_functions(l) && add_functions(l);
}

/* Writes the layers from the best source: the modules that an exporter noted, nodes that are layers, or names alone. */
static void write(layers *l) {
  cpb_viewed *m = l->model;
  const cpb_view_kind *kind = m->view.kind;
  const bool are_layers = kind->nodes_are_layers && kind->nodes_are_layers(&m->view, cpb_view_graph_of(&m->view, 0));
  cpb_json_writer_text(m->answer, "source", l->has_modules ? "modules" : are_layers ? "layers" : "names");
  cpb_name_layers_write(&l->list, &m->question, m->answer);
}

void cpb_question_layers(cpb_viewed *m) {
  const cpb_allocator *a = &m->allocator;
  layers l = {.model = m, .inventory = cpb_viewed_inventory(m)};
  if (!l.inventory) return;
  cpb_buffer_init(&l.names, a);
  cpb_names_init(&l.takers, a);
  l.list = cpb_name_layers_on(a);
  if (find_layers(&l)) write(&l);
  else cpb_viewed_fail_memory(m);
  cpb_view_makers_free(&l.makers);
  cpb_names_free(&l.takers);
  cpb_release(a, l.own);
  cpb_release(a, l.graphs);
  cpb_buffer_free(&l.names);
  cpb_name_layers_free(&l.list);
}
