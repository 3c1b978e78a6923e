#include "model/onnx/values_index.h"

/* --- Types -------------------------------------------------------------------------------- */

static bool add_type(cpb_onnx_types *t, cpb_span value_info) {
  void *items = t->items;
  cpb_span type = cpb_get_bytes(value_info, VALUE_INFO_TYPE);
  if (!type.data || t->count == CPB_NO_NAME) return true;
  if (!cpb_reserve(&t->allocator, &items, &t->capacity, t->count + 1, sizeof *t->items)) return false;
  t->items = items;
  t->items[t->count] = type;
  return cpb_names_add(&t->names, cpb_get_bytes(value_info, VALUE_INFO_NAME), (uint32_t)t->count++);
}

static bool is_value_info(const cpb_onnx_graph *g, uint32_t field) {
  if (g->kind == CPB_ONNX_FUNCTION) return field == FUNCTION_VALUE_INFO;
  return field == GRAPH_INPUT || field == GRAPH_OUTPUT || field == GRAPH_VALUE_INFO;
}

bool cpb_onnx_types_build(cpb_onnx_types *t, const cpb_allocator *a, const cpb_onnx_graph *g) {
  cpb_cursor c = cpb_cursor_of(g->message);
  *t = (cpb_onnx_types){.allocator = *a};
  cpb_names_init(&t->names, a);
  while (cpb_cursor_next(&c)) {
    if (c.type == CPB_WIRE_LEN && is_value_info(g, c.number) && !add_type(t, c.bytes)) return false;
  }
  cpb_names_sort(&t->names);
  return true;
}

void cpb_onnx_types_free(cpb_onnx_types *t) {
  cpb_release(&t->allocator, t->items);
  cpb_names_free(&t->names);
}

cpb_span cpb_onnx_type_of(const cpb_onnx_types *t, cpb_span name) {
  uint32_t i = cpb_names_find(&t->names, name);
  return i == CPB_NO_NAME ? (cpb_span){NULL, 0} : t->items[i];
}

/* --- Makers ------------------------------------------------------------------------------- */

static bool add_node(cpb_onnx_makers *m, cpb_span node) {
  void *labels = m->labels;
  cpb_cursor c = cpb_cursor_of(node);
  if (!cpb_reserve(&m->allocator, &labels, &m->capacity, m->count + 1, sizeof *m->labels)) return false;
  m->labels = labels;
  m->labels[m->count] = cpb_get_bytes(node, NODE_NAME);
  while (cpb_cursor_find(&c, NODE_OUTPUT, CPB_WIRE_LEN)) {
    if (c.bytes.size > 0 && !cpb_names_add(&m->names, c.bytes, (uint32_t)m->count)) return false;
  }
  m->count++;
  return true;
}

bool cpb_onnx_makers_build(cpb_onnx_makers *m, const cpb_allocator *a, const cpb_onnx_graph *g) {
  cpb_cursor c = cpb_cursor_of(g->message);
  *m = (cpb_onnx_makers){.allocator = *a};
  cpb_names_init(&m->names, a);
  while (m->count < CPB_NO_NAME && cpb_cursor_find(&c, cpb_onnx_node_field(g), CPB_WIRE_LEN)) {
    if (!add_node(m, c.bytes)) return false;
  }
  cpb_names_sort(&m->names);
  return true;
}

void cpb_onnx_makers_free(cpb_onnx_makers *m) {
  cpb_release(&m->allocator, m->labels);
  cpb_names_free(&m->names);
}
