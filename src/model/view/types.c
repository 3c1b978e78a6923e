#include "model/view/types.h"

static bool add_types(cpb_view_types *t, cpb_view_values values) {
  cpb_view_value value;
  while (cpb_view_values_next(&values, &value)) {
    void *items = t->items;
    if (!cpb_view_is_typed(&value) || t->count == CPB_NO_NAME) continue;
    if (!cpb_reserve(&t->allocator, &items, &t->capacity, t->count + 1, sizeof *t->items)) return false;
    t->items = items;
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
