#include "model/tensorflow/copies.h"

#include "model/common/tensor/shapes.h"
#include "model/tensorflow/fields.h"

typedef struct search {
  const cpb_objects *objects;
  cpb_names names; /* of Keras's variables */
  uint32_t *of;
} search;

/* The next variable in a list; `c` is a cursor over the list object. */
static bool next_variable(const cpb_objects *o, cpb_cursor *c, uint32_t *node, cpb_span *variable) {
  while (cpb_cursor_find(c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t id = cpb_get_number(c->bytes, REFERENCE_NODE);
    if (id >= o->count || cpb_object_kind(&o->items[id], variable) != OBJECT_VARIABLE) continue;
    *node = (uint32_t)id;
    return true;
  }
  return false;
}

static cpb_cursor children_of(const cpb_objects *o, const char *list) {
  uint32_t node = o->count > 0 ? cpb_objects_child(o, 0, cpb_span_of(list)) : CPB_NO_OBJECT;
  return cpb_cursor_of(node == CPB_NO_OBJECT ? (cpb_span){NULL, 0} : o->items[node].message);
}

static bool name_originals(search *s) {
  uint32_t node;
  cpb_span variable;
  cpb_cursor c = children_of(s->objects, "variables");
  while (next_variable(s->objects, &c, &node, &variable)) {
    s->of[node] = node; /* so far its own: not to be taken for a copy */
    if (!cpb_names_add(&s->names, cpb_get_bytes(variable, VARIABLE_NAME), node)) return false;
  }
  cpb_names_sort(&s->names);
  return true;
}

static bool is_alike(cpb_span a, cpb_span b) {
  return cpb_get_number(a, VARIABLE_DTYPE) == cpb_get_number(b, VARIABLE_DTYPE) &&
         cpb_span_equal(cpb_get_shape(a, VARIABLE_SHAPE), cpb_get_shape(b, VARIABLE_SHAPE));
}

/* Layers may have given several variables the same name: then nothing tells which is which, and the first
 * that is alike stands for all. */
static void match(search *s, uint32_t node, cpb_span variable) {
  cpb_span other;
  uint32_t first = cpb_names_find(&s->names, cpb_get_bytes(variable, VARIABLE_NAME));
  if (s->of[node] != CPB_NO_OBJECT || first == CPB_NO_NAME) return;
  cpb_object_kind(&s->objects->items[first], &other);
  if (is_alike(variable, other)) s->of[node] = first;
}

uint32_t *cpb_find_copies(const cpb_objects *o) {
  search s = {.objects = o, .of = cpb_alloc(&o->allocator, o->count * sizeof *s.of)};
  uint32_t node;
  cpb_span variable;
  cpb_names_init(&s.names, &o->allocator);
  for (size_t i = 0; s.of && i < o->count; i++) s.of[i] = CPB_NO_OBJECT;
  bool done = s.of && name_originals(&s);
  cpb_cursor c = children_of(o, "_all_variables");
  while (done && next_variable(o, &c, &node, &variable)) match(&s, node, variable);
  for (size_t i = 0; s.of && i < o->count; i++) {
    if (s.of[i] == i) s.of[i] = CPB_NO_OBJECT;
  }
  cpb_names_free(&s.names);
  if (!done) cpb_release(&o->allocator, s.of);
  return done ? s.of : NULL;
}
