#include "model/tensorflow/variable_uses.h"

#include "model/common/variable_names.h"
#include "model/tensorflow/fields.h"

/* --- By objects ------------------------------------------------------------------------------- */

/* What leads to an object: the model without its optimizer and its metrics, or only one of these. */
enum { NOTHING, MODEL, OPTIMIZER, METRICS };

typedef struct walk {
  const cpb_objects *objects;
  uint8_t *reached; /* by node */
  uint8_t *begins;  /* by node: OPTIMIZER or METRICS for one of these */
  uint32_t *queue;
  size_t first, last;
} walk;

static uint8_t begin_of(const walk *w, uint32_t node, cpb_span name) {
  cpb_span value;
  const bool has_identifier = cpb_object_kind(&w->objects->items[node], &value) == OBJECT_USER;
  const cpb_span identifier = has_identifier ? cpb_get_bytes(value, USER_IDENTIFIER) : (cpb_span){NULL, 0};
  if (cpb_is_optimizer_name(name) || cpb_span_is(identifier, "optimizer")) return OPTIMIZER;
  return cpb_is_metrics_name(name) || cpb_span_is(identifier, "_tf_keras_metric") ? METRICS : NOTHING;
}

static void reach(walk *w, uint32_t node, uint8_t by) {
  if (w->reached[node] != NOTHING) return;
  w->reached[node] = by;
  w->queue[w->last++] = node;
}

static void reach_children(walk *w, uint32_t node, uint8_t by) {
  cpb_cursor c = cpb_cursor_of(w->objects->items[node].message);
  while (cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    const uint64_t child = cpb_get_number(c.bytes, REFERENCE_NODE);
    if (child >= w->objects->count) continue;
    const uint8_t begin =
        by == MODEL ? begin_of(w, (uint32_t)child, cpb_get_bytes(c.bytes, REFERENCE_NAME)) : (uint8_t)NOTHING;
    if (begin == NOTHING) reach(w, (uint32_t)child, by);
    else w->begins[child] = begin;
  }
}

static void spread(walk *w, uint8_t by) {
  for (uint32_t i = 0; i < w->objects->count; i++) {
    if (by == MODEL ? i == 0 : w->begins[i] == by) reach(w, i, by);
  }
  while (w->first < w->last) reach_children(w, w->queue[w->first++], by);
}

static void mark_slots(walk *w) {
  for (uint32_t i = 0; i < w->objects->count; i++) {
    cpb_cursor c = cpb_cursor_of(w->objects->items[i].message);
    while (cpb_cursor_find(&c, OBJECT_SLOTS, CPB_WIRE_LEN)) {
      const uint64_t slot = cpb_get_number(c.bytes, SLOT_VARIABLE);
      if (slot < w->objects->count) w->reached[slot] = OPTIMIZER;
    }
  }
}

/* The next object of a list, which the cursor is over. */
static bool next_child(const cpb_objects *o, cpb_cursor *c, uint32_t *child) {
  while (cpb_cursor_find(c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    const uint64_t node = cpb_get_number(c->bytes, REFERENCE_NODE);
    *child = (uint32_t)node;
    if (node < o->count) return true;
  }
  return false;
}

static cpb_cursor list_of(const cpb_objects *o, uint32_t node) {
  return cpb_cursor_of(node == CPB_NO_OBJECT ? (cpb_span){NULL, 0} : o->items[node].message);
}

/* Keras's models and layers, and the archives that it exports, list what is trained of them: variables of a frozen
 * layer do not say so themselves. Of several lists that of the outermost counts. */
enum { UNLISTED, TRAINED, FROZEN };

static void use_lists_of(const walk *w, uint32_t node, uint32_t *stamps, uint8_t *listed) {
  const cpb_objects *o = w->objects;
  const uint32_t all = cpb_objects_child(o, node, cpb_span_of("variables"));
  const uint32_t trained = cpb_objects_child(o, node, cpb_span_of("trainable_variables"));
  uint32_t child;
  if (all == CPB_NO_OBJECT || trained == CPB_NO_OBJECT) return;
  cpb_cursor c = list_of(o, trained);
  while (next_child(o, &c, &child)) stamps[child] = node + 1;
  c = list_of(o, all);
  while (next_child(o, &c, &child)) {
    if (listed[child] == UNLISTED) listed[child] = stamps[child] == node + 1 ? TRAINED : FROZEN;
  }
}

static bool use_lists(const walk *w, cpb_variable_list *l) {
  const cpb_allocator *a = &w->objects->allocator;
  uint32_t *stamps = cpb_alloc_zeroed(a, w->objects->count * sizeof *stamps);
  uint8_t *listed = w->begins; /* which has been used */
  memset(listed, UNLISTED, w->objects->count);
  for (size_t i = 0; stamps && i < w->last; i++) use_lists_of(w, w->queue[i], stamps, listed);
  for (size_t i = 0; stamps && i < l->count; i++) {
    cpb_variable *v = &l->items[i];
    v->trainable = v->trainable && listed[v->node] != FROZEN;
  }
  cpb_release(a, stamps);
  return stamps != NULL;
}

static void use_reached(const walk *w, cpb_variable_list *l) {
  for (size_t i = 0; i < l->count; i++) {
    cpb_variable *v = &l->items[i];
    if (v->trainable) continue;
    if (w->reached[v->node] == OPTIMIZER) v->use = CPB_TENSOR_OPTIMIZER;
    if (w->reached[v->node] == METRICS) v->use = CPB_TENSOR_STATE;
  }
}

static bool use_objects(const cpb_objects *o, cpb_variable_list *l) {
  const cpb_allocator *a = &o->allocator;
  walk w = {.objects = o,
            .reached = cpb_alloc_zeroed(a, o->count),
            .begins = cpb_alloc_zeroed(a, o->count),
            .queue = cpb_alloc(a, o->count * sizeof *w.queue)};
  bool done = w.reached && w.begins && w.queue;
  if (done) {
    spread(&w, MODEL);
    spread(&w, OPTIMIZER);
    spread(&w, METRICS);
    mark_slots(&w);
    use_reached(&w, l);
  }
  done = done && use_lists(&w, l);
  cpb_release(a, w.reached);
  cpb_release(a, w.begins);
  cpb_release(a, w.queue);
  return done;
}

/* --- By names ----------------------------------------------------------------------------------- */

static bool use_names(cpb_variable_list *l) {
  cpb_named_variable *all = cpb_alloc(&l->allocator, l->count * sizeof *all);
  for (size_t i = 0; all && i < l->count; i++) {
    const cpb_variable *v = &l->items[i];
    all[i] = (cpb_named_variable){.name = v->name,
                                  .has_elements = v->has_elements,
                                  .elements = v->elements,
                                  .is_known = v->use != CPB_TENSOR_WEIGHT || v->trainable,
                                  .use = v->use};
  }
  const bool done = all && cpb_use_names(&l->allocator, all, l->count);
  for (size_t i = 0; done && i < l->count; i++) l->items[i].use = all[i].use;
  cpb_release(&l->allocator, all);
  return done || l->count == 0;
}

bool cpb_find_variable_uses(const cpb_objects *o, cpb_variable_list *l) {
  return (o->count == 0 || use_objects(o, l)) && use_names(l);
}
