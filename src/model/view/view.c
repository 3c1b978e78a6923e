#include "model/view/view.h"

#include "base/status.h"

/* --- types ------------------------------------------------------------------------------------ */

static bool add_types(cpb_view_types *t, cpb_view_values values) {
  cpb_view_value value;
  while (cpb_view_values_next(&values, &value)) {
    if (!cpb_view_is_typed(&value) || t->count == CPB_NO_NAME) continue;
    if (!CPB_RESERVE(&t->allocator, &t->items, &t->capacity, t->count + 1)) return false;
    t->items[t->count] = value;
    if (!cpb_names_add(&t->names, value.name, (uint32_t)t->count++)) return false;
  }
  return true;
}

bool cpb_view_types_build(cpb_view_types *t, const cpb_allocator *a, const cpb_view *view, uint32_t graph) {
  const cpb_view_graph *g = cpb_view_graph_of(view, graph);
  *t = (cpb_view_types){.allocator = *a};
  cpb_names_init(&t->names, a);
  if (!add_types(t, view->kind->values(view, g, NULL, false)) || !add_types(t, view->kind->values(view, g, NULL, true)))
    return false;
  if (view->kind->typed && !add_types(t, view->kind->typed(view, g))) return false;
  cpb_names_sort(&t->names);
  return true;
}

void cpb_view_types_free(cpb_view_types *t) {
  cpb_release(&t->allocator, t->items);
  cpb_names_free(&t->names);
}

void cpb_view_write_named(cpb_json_writer *a, const cpb_view *view, const cpb_view_types *types,
                          const cpb_view_value *value) {
  const cpb_view_value *known = value;
  if (!cpb_view_is_typed(value) && value->name.data && types) {
    uint32_t i = cpb_names_find(&types->names, value->name);
    if (i != CPB_NO_NAME) known = &types->items[i];
  }
  if (value->name.data) cpb_json_writer_span(a, "name", value->name);
  if (cpb_view_is_typed(known)) view->kind->write_type(a, known);
}

void cpb_view_write_value(cpb_json_writer *a, const cpb_view *view, const cpb_view_types *types,
                          const cpb_view_value *value) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_view_write_named(a, view, types, value);
  cpb_json_writer_close(a, '}');
}

/* --- view ------------------------------------------------------------------------------------- */

/* An iterator has a cursor and no list. A question walks the message again each time, and a model with a million
 * nodes takes no memory beyond its outline. */

cpb_view_nodes cpb_view_nodes_of(const cpb_view *v, uint32_t graph) {
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  const cpb_cursor begin = cpb_cursor_of(g->message);
  return (cpb_view_nodes){.view = v, .graph = g, .cursor = begin, .names = begin, .label = "", .op = ""};
}

bool cpb_view_nodes_next(cpb_view_nodes *n, cpb_view_node *node) {
  *node = (cpb_view_node){.number = n->number};
  if (!n->view->kind->next_node(n, node)) return false;
  n->number++;
  node->name = cpb_view_label(node->own_name, node->number, n->label);
  return true;
}

static bool next_name(cpb_view_values *v, cpb_view_value *value) {
  if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
  *value = (cpb_view_value){.name = v->cursor.bytes, .is_feature = v->is_feature};
  return true;
}

static bool next_message(cpb_view_values *v, cpb_view_value *value) {
  if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
  *value = (cpb_view_value){.name = cpb_get_bytes(v->cursor.bytes, v->name),
                            .type = cpb_get_bytes(v->cursor.bytes, v->type),
                            .is_feature = v->is_feature};
  if (!value->name.data) value->name = (cpb_span){(const uint8_t *)"", 0};
  return true;
}

cpb_view_values cpb_view_names_in(cpb_span message, uint32_t field) {
  return (cpb_view_values){.next = next_name, .field = field, .cursor = cpb_cursor_of(message)};
}

cpb_view_values cpb_view_messages_in(cpb_span message, uint32_t field, uint32_t name, uint32_t type) {
  return (cpb_view_values){
      .next = next_message, .field = field, .name = name, .type = type, .cursor = cpb_cursor_of(message)};
}

static bool put(cpb_buffer *out, cpb_span text) {
  return text.size == 0 || cpb_buffer_append(out, text.data, text.size);
}

const char *cpb_view_tensor_place(const cpb_view *v, const cpb_view_tensor *t) {
  if (!t->of_node) return v->kind->place ? v->kind->place(t) : "initializer";
  if (t->value.size > 0) return "constant";
  return t->rule ? "weights" : "attribute";
}

bool cpb_view_tensor_name(const cpb_view_tensor *t, cpb_buffer *out) {
  char element[32], spare[CPB_VIEW_SPARE];
  size_t size = cpb_format(element, sizeof element, "[%u]", (unsigned)(t->element - 1));
  if (t->value.size > 0 || !t->of_node) return put(out, t->value);
  if (!put(out, cpb_view_label(t->node_name, t->node_number, spare))) return false;
  if (t->member.size == 0) return true;
  return cpb_buffer_append(out, ":", 1) && put(out, t->member) &&
         (t->element == 0 || cpb_buffer_append(out, element, size));
}
