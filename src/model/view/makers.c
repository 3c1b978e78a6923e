#include "model/view/inventory.h"

/* A node's texts stay in the message. Only those that the iterator makes itself ("#7") have to be copied, because it
 * reuses their memory. The copies of a graph get their room at once, for as many nodes as the graph has: `items`
 * points into it, so it must not move. */

/* A text that an iterator has made is copied to where it stays. */
static bool keep(cpb_view_makers *m, cpb_span *text, const char *made, char (**kept)[CPB_VIEW_SPARE], size_t total) {
  if (text->data != (const uint8_t *)made) return true;
  if (!*kept) *kept = cpb_alloc(&m->allocator, total * sizeof **kept);
  if (!*kept) return false;
  memcpy((*kept)[m->count], made, CPB_VIEW_SPARE);
  text->data = (const uint8_t *)(*kept)[m->count];
  return true;
}

static bool add(cpb_view_makers *m, const cpb_view_nodes *nodes, const cpb_view_node *node, size_t total) {
  cpb_view_node *item = &m->items[m->count];
  *item = *node;
  if (!keep(m, &item->name, nodes->label, &m->labels, total) || !keep(m, &item->op, nodes->op, &m->ops, total))
    return false;
  m->count++;
  return true;
}

bool cpb_view_makers_list(cpb_view_makers *m, const cpb_allocator *a, const cpb_view *view, uint32_t graph) {
  const uint64_t total = cpb_view_graph_of(view, graph)->nodes;
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(view, graph);
  *m = (cpb_view_makers){.allocator = *a, .view = view};
  cpb_names_init(&m->names, a);
  if (total == 0) return true;
  if (total >= CPB_NO_NAME) return false;
  m->items = cpb_alloc(a, (size_t)total * sizeof *m->items);
  while (m->items && m->count < total && cpb_view_nodes_next(&nodes, &node))
    if (!add(m, &nodes, &node, (size_t)total)) return false;
  return m->items != NULL;
}

/* By its own name, where values have none. */
static bool add_names(cpb_view_makers *m, const cpb_view_graph *graph, uint32_t node) {
  cpb_view_value value;
  if (m->view->kind->source) return cpb_names_add(&m->names, m->items[node].own_name, node);
  cpb_view_values outputs = m->view->kind->values(m->view, graph, &m->items[node], true);
  while (cpb_view_values_next(&outputs, &value))
    if (value.name.size > 0 && !cpb_names_add(&m->names, value.name, node)) return false;
  return true;
}

bool cpb_view_makers_build(cpb_view_makers *m, const cpb_allocator *a, const cpb_view *view, uint32_t graph) {
  if (!cpb_view_makers_list(m, a, view, graph)) return false;
  for (uint32_t i = 0; i < m->count; i++)
    if (!add_names(m, cpb_view_graph_of(view, graph), i)) return false;
  cpb_names_sort(&m->names);
  return true;
}

void cpb_view_makers_free(cpb_view_makers *m) {
  cpb_release(&m->allocator, m->items);
  cpb_release(&m->allocator, m->labels);
  cpb_release(&m->allocator, m->ops);
  cpb_names_free(&m->names);
}

const cpb_view_node *cpb_view_maker_of(const cpb_view_makers *m, cpb_span value) {
  uint32_t i = value.size > 0 ? cpb_names_find(&m->names, cpb_view_key(m->view, value)) : CPB_NO_NAME;
  return i == CPB_NO_NAME ? NULL : &m->items[i];
}

bool cpb_view_output(const cpb_view *v, uint32_t graph, const cpb_view_node *maker, cpb_span name,
                     cpb_view_source *source, cpb_view_value *value) {
  cpb_view_values outputs = v->kind->values(v, cpb_view_graph_of(v, graph), maker, true);
  *source = v->kind->source ? v->kind->source(name) : (cpb_view_source){.index = 0};
  if (v->kind->source) return v->kind->output(v, maker, source, value);
  for (; cpb_view_values_next(&outputs, value); source->index++)
    if (cpb_span_equal(value->name, name)) return true;
  return false;
}
