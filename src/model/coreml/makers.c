#include "model/coreml/makers.h"

static bool is_const(const cpb_coreml_graph *g, const cpb_coreml_node *node) {
  return g->form == CPB_COREML_BLOCK && cpb_span_is(node->op, "const");
}

static cpb_span kept(cpb_span text, const char *from, char *to) {
  if (text.data != (const uint8_t *)from) return text;
  memcpy(to, from, CPB_COREML_SPARE);
  return (cpb_span){(const uint8_t *)to, text.size};
}

static bool add(cpb_coreml_makers *m, const cpb_coreml_graph *g, const cpb_coreml_nodes *nodes,
                const cpb_coreml_node *node) {
  cpb_coreml_maker *maker = &m->items[m->count];
  cpb_coreml_values outputs = cpb_coreml_outputs(g, node->message);
  cpb_coreml_value value;
  maker->node = *node;
  maker->node.name = kept(node->name, nodes->label, maker->number);
  maker->node.op = kept(node->op, nodes->op, maker->op);
  maker->is_const = is_const(g, node);
  while (cpb_coreml_values_next(&outputs, &value)) {
    if (value.name.size > 0 && !cpb_names_add(&m->names, value.name, (uint32_t)m->count)) return false;
  }
  m->count++;
  return true;
}

bool cpb_coreml_makers_build(cpb_coreml_makers *m, const cpb_allocator *a, const cpb_coreml_graph *g) {
  cpb_coreml_node node;
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(g);
  *m = (cpb_coreml_makers){.allocator = *a};
  cpb_names_init(&m->names, a);
  if (g->nodes == 0) return true;
  if (g->nodes >= CPB_NO_NAME) return false;
  m->items = cpb_alloc(a, (size_t)g->nodes * sizeof *m->items);
  while (m->items && m->count < g->nodes && cpb_coreml_nodes_next(&nodes, &node)) {
    if (!add(m, g, &nodes, &node)) return false;
  }
  cpb_names_sort(&m->names);
  return m->items != NULL;
}

void cpb_coreml_makers_free(cpb_coreml_makers *m) {
  cpb_release(&m->allocator, m->items);
  cpb_names_free(&m->names);
}

bool cpb_coreml_is_weight(const cpb_coreml_constant *c) {
  return c->is_weights || cpb_get_bytes(c->message, VALUE_BLOB).data != NULL;
}
