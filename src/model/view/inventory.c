#include "model/view/inventory.h"

#include <stdlib.h>

#include "base/status.h"
#include "model/common/lists.h"

/* Three passes. The first lists all tensors, since a node may take one from any graph around its own. The second
 * walks the nodes of all graphs; the first node that takes a tensor decides its use. The third decides the tensors
 * that no node takes by name.
 *
 * Tensors may name the same place of another file: these values are counted once. Values within the model are never
 * compared. */

typedef struct builder {
  cpb_inventory *inventory;
  const cpb_view *view;
  cpb_names *values; /* by graph: which tensors its nodes take by name */
  cpb_meter *meter;
  cpb_error *error;
} builder;

static bool fail_memory(builder *b) { return cpb_fail_memory(b->error), false; }

/* --- The list -------------------------------------------------------------------------------- */

static bool add(void *user, const cpb_view_tensor *t) {
  builder *b = user;
  cpb_inventory *l = b->inventory;
  if (!CPB_RESERVE(&l->allocator, &l->items, &l->capacity, l->count + 1)) return fail_memory(b);
  cpb_view_item *item = &l->items[l->count];
  *item = (cpb_view_item){.tensor = *t, .measure = b->view->kind->measure(b->view, t), .graph = t->graph};
  item->node = t->of_node && t->value.size == 0 ? t->node_number : CPB_NO_NODE;
  if (t->value.size > 0 && l->count < CPB_NO_NAME && !cpb_names_add(&b->values[t->graph], t->value, (uint32_t)l->count))
    return fail_memory(b);
  l->count++;
  return true;
}

static bool list_tensors(builder *b) {
  const cpb_view_graphs *g = &b->view->graphs;
  for (uint32_t i = 0; i < g->count; i++) {
    if (!b->view->kind->each_tensor(b->view, i, add, b)) return false;
    cpb_names_sort(&b->values[i]);
  }
  return cpb_meter_charge(b->meter, CPB_WORK_ENTRIES, b->inventory->count, CPB_NO_OFFSET, b->error);
}

/* --- Who takes them ---------------------------------------------------------------------------- */

/* The tensor of that name in the graph, or in one around it whose values it sees. */
static cpb_view_item *find(const builder *b, uint32_t graph, cpb_span name) {
  const cpb_view_graph *graphs = b->view->graphs.items;
  name = cpb_view_key(b->view, name);
  for (;; graph = graphs[graph].parent) {
    uint32_t i = cpb_names_find(&b->values[graph], name);
    if (i != CPB_NO_NAME) return &b->inventory->items[i];
    if (graphs[graph].role != CPB_GRAPH_SUBGRAPH) return NULL;
  }
}

static void take(const builder *b, cpb_view_item *item, uint32_t graph, const cpb_view_node *node, cpb_span role,
                 uint64_t input) {
  if (item->node != CPB_NO_NODE) return;
  item->graph = graph;
  item->node = node->number;
  item->use = b->view->kind->use(b->view, &item->tensor, node, role, input, &item->measure);
}

static void take_inputs(const builder *b, uint32_t graph, const cpb_view_node *node) {
  cpb_view_value value;
  cpb_view_values inputs = b->view->kind->values(b->view, cpb_view_graph_of(b->view, graph), node, false);
  for (uint64_t input = 0; cpb_view_values_next(&inputs, &value); input++) {
    cpb_view_item *item = value.name.size > 0 ? find(b, graph, value.name) : NULL;
    if (item) take(b, item, graph, node, value.role, input);
  }
}

static void find_takers(const builder *b) {
  for (uint32_t i = 0; i < b->view->graphs.count; i++) {
    cpb_view_node node;
    cpb_view_nodes nodes = cpb_view_nodes_of(b->view, i);
    while (cpb_view_nodes_next(&nodes, &node)) take_inputs(b, i, &node);
  }
}

/* --- The same values twice ---------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
  const cpb_view_item *x = *(cpb_view_item *const *)a, *y = *(cpb_view_item *const *)b;
  int order = cpb_span_compare(x->measure.file, y->measure.file);
  if (order != 0) return order;
  if (x->measure.offset != y->measure.offset) return x->measure.offset > y->measure.offset ? 1 : -1;
  return (x > y) - (x < y);
}

static void mark_copies(cpb_view_item **list, size_t count) {
  if (count > 1) qsort(list, count, sizeof *list, by_place);
  for (size_t i = 1; i < count; i++) {
    const cpb_view_measure *last = &list[i - 1]->measure, *own = &list[i]->measure;
    list[i]->is_copy = last->offset == own->offset && cpb_span_equal(last->file, own->file);
  }
}

static bool find_copies(builder *b) {
  const cpb_inventory *l = b->inventory;
  size_t count = 0;
  for (size_t i = 0; i < l->count; i++) count += l->items[i].measure.file.data != NULL;
  if (count < 2) return true;
  cpb_view_item **list = cpb_alloc(&l->allocator, count * sizeof(cpb_view_item *));
  if (!list) return fail_memory(b);
  for (size_t i = count = 0; i < l->count; i++)
    if (l->items[i].measure.file.data) list[count++] = &l->items[i];
  mark_copies(list, count);
  cpb_release(&l->allocator, list);
  return true;
}

/* --- Building ------------------------------------------------------------------------------------- */

static void use_the_rest(const builder *b) {
  for (size_t i = 0; i < b->inventory->count; i++) {
    cpb_view_item *item = &b->inventory->items[i];
    const bool is_taken = item->node != CPB_NO_NODE && item->tensor.value.size > 0;
    if (is_taken) continue;
    item->use = b->view->kind->use(b->view, &item->tensor, NULL, (cpb_span){NULL, 0}, 0, &item->measure);
    if (item->tensor.of_node) item->node = item->tensor.node_number;
  }
}

bool cpb_inventory_build(cpb_inventory *l, const cpb_allocator *a, const cpb_view *view, cpb_meter *meter,
                         cpb_error *error) {
  const size_t graphs = view->graphs.count;
  builder b = {.inventory = l, .view = view, .meter = meter, .error = error};
  *l = (cpb_inventory){.allocator = *a};
  b.values = cpb_alloc(a, graphs * sizeof *b.values);
  if (!b.values) return fail_memory(&b);
  for (size_t i = 0; i < graphs; i++) cpb_names_init(&b.values[i], a);
  bool done = list_tensors(&b);
  if (done) {
    find_takers(&b);
    use_the_rest(&b);
    done = find_copies(&b);
  }
  for (size_t i = 0; i < graphs; i++) cpb_names_free(&b.values[i]);
  cpb_release(a, b.values);
  return done;
}

void cpb_inventory_free(cpb_inventory *l) {
  cpb_release(&l->allocator, l->items);
  *l = (cpb_inventory){.allocator = l->allocator};
}
