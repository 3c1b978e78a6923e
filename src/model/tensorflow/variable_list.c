#include "model/tensorflow/variables.h"

#include "base/checked.h"
#include "model/common/name_layers.h"
#include "model/common/tensor/tensor.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/graph.h"
#include "model/tensorflow/state.h"

/* The surest evidence decides the use of a variable. A trainable variable is a weight. Any other variable belongs to
 * the model if the root reaches it without passing an optimizer or a metric, and else to the one that reaches it. An
 * optimizer's slots are its own even if the model reaches them. Names decide last: in graphs without objects, and where
 * objects say nothing. */

/* --- By objects ------------------------------------------------------------------------------- */

/* The order of the walks decides: what the model reaches first belongs to the model, even if the optimizer refers to it
 * as well. The walk from the root stops at each optimizer, metric and list of all variables, and only notes where they
 * begin: such a list also has the variables of metrics. Each object is queued once, so the queue has room for all of
 * them. */

/* The path to an object: the model without its optimizer and metrics, or only one of these. Whatever else lists have
 * is the model's. */
enum { NOTHING, MODEL, OPTIMIZER, METRICS, LISTS };

typedef struct walk {
  const cpb_objects *objects;
  uint8_t *reached; /* by node */
  uint8_t *begins;  /* by node: OPTIMIZER or METRICS for their roots */
  uint32_t *queue;
  size_t first, last;
} walk;

static uint8_t begin_of(const walk *w, uint32_t node, cpb_span name) {
  static const char *const lists[] = {"variables", "trainable_variables", "non_trainable_variables", "_all_variables",
                                      NULL};
  const cpb_object *object = &w->objects->items[node];
  const cpb_span user = object->kind == OBJECT_USER ? object->value : (cpb_span){NULL, 0};
  const cpb_span identifier = cpb_get_bytes(user, USER_IDENTIFIER);
  if (cpb_is_optimizer_name(name) || cpb_span_is(identifier, "optimizer")) return OPTIMIZER;
  if (cpb_is_metrics_name(name) || cpb_span_is(identifier, "_tf_keras_metric")) return METRICS;
  return cpb_span_is_one_of(name, lists) ? LISTS : NOTHING;
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
    const bool is_models = by == MODEL || by == LISTS;
    const uint8_t begin =
        is_models ? begin_of(w, (uint32_t)child, cpb_get_bytes(c.bytes, REFERENCE_NAME)) : (uint8_t)NOTHING;
    if (begin == NOTHING || begin == by) reach(w, (uint32_t)child, is_models ? MODEL : by);
    else w->begins[child] = begin;
  }
}

static void spread(walk *w, uint8_t by) {
  for (uint32_t i = 0; i < w->objects->count; i++)
    if (by == MODEL ? i == 0 : w->begins[i] == by) reach(w, i, by == LISTS ? MODEL : by);
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

/* The next object in the list that the cursor walks. */
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

/* Keras's models and layers, and the archives that it exports, list their trained variables: the variables of a frozen
 * layer do not say so themselves. If several lists contain a variable, the outermost list counts. */
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
  while (next_child(o, &c, &child))
    if (listed[child] == UNLISTED) listed[child] = stamps[child] == node + 1 ? TRAINED : FROZEN;
}

static bool use_lists(const walk *w, cpb_variable_list *l) {
  const cpb_allocator *a = &w->objects->allocator;
  uint32_t *stamps = cpb_alloc_zeroed(a, w->objects->count * sizeof *stamps);
  uint8_t *listed = w->begins; /* its earlier content is no longer needed */
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
    spread(&w, METRICS);
    spread(&w, LISTS);
    spread(&w, OPTIMIZER);
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

/* TensorFlow 1 gives no other evidence than names, such as "dense/kernel/Adam_1". The uses that objects have decided
 * stay as they are; cpb_use_names() may only change the others. */

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

/* Sets `use` of all, and `trainable` if a list of the root object says more than the variables do. False if memory is
 * short. */
static bool find_variable_uses(const cpb_objects *o, cpb_variable_list *l) {
  return (o->count == 0 || l->of_nodes || use_objects(o, l)) && use_names(l);
}

/* --- Weights that a SavedModel has twice ------------------------------------------------------- */

/* model.export() of Keras 3 saves root.variables and root._all_variables, with different objects for the same
 * weights. Counting both would double the parameters. Nothing in the file says which belong together, so a copy is
 * recognized by name, dtype and shape. */

typedef struct search {
  const cpb_objects *objects;
  cpb_names names; /* of Keras's variables */
  uint32_t *of;
} search;

/* The next variable in a list; `c` walks the list object. */
static bool next_variable(const cpb_objects *o, cpb_cursor *c, uint32_t *node, cpb_span *variable) {
  while (cpb_cursor_find(c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t id = cpb_get_number(c->bytes, REFERENCE_NODE);
    if (id >= o->count || o->items[id].kind != OBJECT_VARIABLE) continue;
    *node = (uint32_t)id;
    *variable = o->items[id].value;
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
    s->of[node] = node; /* its own number for now, so that it is not taken for a copy */
    if (!cpb_names_add(&s->names, cpb_get_bytes(variable, VARIABLE_NAME), node)) return false;
  }
  cpb_names_sort(&s->names);
  return true;
}

static bool is_alike(cpb_span a, cpb_span b) {
  return cpb_get_number(a, VARIABLE_DTYPE) == cpb_get_number(b, VARIABLE_DTYPE) &&
         cpb_span_equal(cpb_get_shape(a, VARIABLE_SHAPE), cpb_get_shape(b, VARIABLE_SHAPE));
}

/* Layers may give several variables the same name. Then nothing distinguishes them, and the first similar one stands
 * for all. */
static void match(search *s, uint32_t node, cpb_span variable) {
  uint32_t first = cpb_names_find(&s->names, cpb_get_bytes(variable, VARIABLE_NAME));
  if (s->of[node] != CPB_NO_OBJECT || first == CPB_NO_NAME) return;
  if (is_alike(variable, s->objects->items[first].value)) s->of[node] = first;
}

/* By node: CPB_NO_OBJECT, or the variable that this one is a copy of. The caller releases it; NULL if memory is
 * short. */
static uint32_t *find_copies(const cpb_objects *o) {
  search s = {.objects = o, .of = cpb_alloc(&o->allocator, o->count * sizeof *s.of)};
  uint32_t node;
  cpb_span variable;
  cpb_names_init(&s.names, &o->allocator);
  for (size_t i = 0; s.of && i < o->count; i++) s.of[i] = CPB_NO_OBJECT;
  bool done = s.of && name_originals(&s);
  cpb_cursor c = children_of(o, "_all_variables");
  while (done && next_variable(o, &c, &node, &variable)) match(&s, node, variable);
  for (size_t i = 0; s.of && i < o->count; i++)
    if (s.of[i] == i) s.of[i] = CPB_NO_OBJECT;
  cpb_names_free(&s.names);
  if (!done) cpb_release(&o->allocator, s.of);
  return done ? s.of : NULL;
}

void cpb_variable_list_free(cpb_variable_list *l) {
  cpb_release(&l->allocator, l->items);
  *l = (cpb_variable_list){.allocator = l->allocator};
}

static bool add(cpb_variable_list *l, const cpb_variable *v) {
  if (!CPB_RESERVE(&l->allocator, &l->items, &l->capacity, l->count + 1)) return false;
  l->items[l->count] = *v;
  cpb_variable *own = &l->items[l->count++];
  own->has_elements = own->has_elements && cpb_elements_bytes(own->elements, cpb_dtype_bits(own->dtype), &own->bytes);
  return true;
}

/* --- Objects ------------------------------------------------------------------------------------ */

static bool add_objects(cpb_variable_list *l, const cpb_saved_model *m, const uint32_t *copies) {
  for (uint32_t i = 0; i < m->objects.count; i++) {
    const cpb_object *object = &m->objects.items[i];
    if (object->kind != OBJECT_VARIABLE) continue;
    cpb_variable v = {.node = i, .is_first = true, .copy_of = copies[i], .stored = cpb_saved_stored(m, i)};
    v.message = object->value;
    v.name = cpb_span_without_end(cpb_get_bytes(v.message, VARIABLE_NAME), ":0");
    v.dtype = cpb_get_number(v.message, VARIABLE_DTYPE);
    v.shape = cpb_get_shape(v.message, VARIABLE_SHAPE);
    v.has_elements = cpb_shape_elements(v.shape, &v.elements);
    v.is_open = !v.has_elements;
    if (v.is_open && v.stored) v.has_elements = cpb_elements_of(v.stored->shape, v.stored->rank, &v.elements);
    v.trainable = cpb_get_number(v.message, VARIABLE_TRAINABLE) != 0;
    if (!add(l, &v)) return false;
  }
  return true;
}

static bool list_objects(cpb_variable_list *l, const cpb_saved_model *m) {
  uint32_t *copies = find_copies(&m->objects);
  const bool done = copies && add_objects(l, m, copies);
  cpb_release(&m->viewed.allocator, copies);
  return done;
}

/* --- TensorFlow 1 --------------------------------------------------------------------------------- */

/* A collection has serialized VariableDefs, which have no dtype and no shape. A checkpoint has both. Variables that it
 * lacks have them from the node that makes the variable, which is why this question then reads the graph. A partitioned
 * variable is several VariableDefs; only the first part counts as a tensor. */

static bool name_trainable(cpb_names *names, const cpb_saved_model *m) {
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "trainable_variables"), COLLECTION_BYTES));
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN))
    if (!cpb_names_add(names, cpb_get_bytes(c.bytes, VARIABLE_DEF_NAME), 0)) return false;
  cpb_names_sort(names);
  return true;
}

/* The elements of a part, and whether it begins at the start of the whole. */
static void measure_part(cpb_variable *v) {
  cpb_varints offsets = cpb_varints_of(v->extents, SLICE_OFFSET), sizes = cpb_varints_of(v->extents, SLICE_SHAPE);
  uint64_t number;
  v->elements = 1;
  v->has_elements = true;
  v->is_first = true;
  while (cpb_varints_next(&offsets, &number)) v->is_first = v->is_first && number == 0;
  while (cpb_varints_next(&sizes, &number))
    v->has_elements = v->has_elements && cpb_mul_u64(v->elements, number, &v->elements);
}

static void measure_node(cpb_variable *v, cpb_span node) {
  if (!cpb_node_is_variable(node)) return;
  v->dtype = cpb_get_number(cpb_node_attr(node, "dtype"), ATTR_TYPE);
  v->shape = cpb_get_bytes(cpb_node_attr(node, "shape"), ATTR_SHAPE);
  v->has_elements = cpb_shape_elements(v->shape, &v->elements);
}

static cpb_variable read_definition(const cpb_saved_model *m, cpb_span message, const cpb_names *trainable,
                                    const cpb_nodes *nodes) {
  const cpb_span name = cpb_get_bytes(message, VARIABLE_DEF_NAME);
  cpb_variable v = {.node = CPB_NO_OBJECT,
                    .message = message,
                    .name = cpb_span_without_end(name, ":0"),
                    .extents = cpb_get_bytes(message, VARIABLE_DEF_SLICE),
                    .is_first = true,
                    .copy_of = CPB_NO_OBJECT,
                    .stored = cpb_saved_stored_v1(m, message)};
  const uint32_t node = v.stored ? CPB_NO_NAME : cpb_names_find(&nodes->names, v.name);
  v.whole = cpb_get_bytes(v.extents, SLICE_OF_NAME);
  v.trainable = cpb_get_number(message, VARIABLE_DEF_TRAINABLE) != 0 || cpb_names_find(trainable, name) != CPB_NO_NAME;
  if (v.stored) v.has_elements = cpb_elements_of(v.stored->shape, v.stored->rank, &v.elements);
  else if (node != CPB_NO_NAME) measure_node(&v, nodes->items[node]);
  if (v.stored) v.dtype = v.stored->dtype;
  if (v.whole.size > 0) measure_part(&v);
  return v;
}

static bool add_collection(cpb_variable_list *l, const cpb_saved_model *m, const cpb_names *trainable,
                           const cpb_nodes *nodes) {
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) {
    const cpb_variable v = read_definition(m, c.bytes, trainable, nodes);
    if (!add(l, &v)) return false;
  }
  return true;
}

static bool list_collection(cpb_variable_list *l, const cpb_saved_model *m) {
  cpb_names trainable;
  cpb_nodes nodes = {.allocator = m->viewed.allocator};
  cpb_names_init(&trainable, &m->viewed.allocator);
  cpb_names_init(&nodes.names, &m->viewed.allocator);
  bool done = !m->lacks_shapes || cpb_nodes_build(&nodes, &m->graph);
  done = done && name_trainable(&trainable, m) && add_collection(l, m, &trainable, &nodes);
  cpb_names_free(&trainable);
  cpb_nodes_free(&nodes);
  return done;
}

/* A graph by itself, or without its collections. A damaged model may have lost the objects that
 * name its variables; nodes do not stand in for these. */
static bool list_nodes(cpb_variable_list *l, const cpb_saved_model *m) {
  uint32_t number;
  cpb_cursor c = cpb_graph_nodes(&m->graph, CPB_MAIN_GRAPH, &number);
  l->of_nodes = true;
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    cpb_variable v = {
        .node = CPB_NO_OBJECT, .name = cpb_get_bytes(c.bytes, NODE_NAME), .is_first = true, .copy_of = CPB_NO_OBJECT};
    measure_node(&v, c.bytes);
    if (cpb_node_is_variable(c.bytes) && !add(l, &v)) return false;
  }
  return true;
}

/* --- The list --------------------------------------------------------------------------------------- */

bool cpb_variable_list_build(cpb_variable_list *l, cpb_saved_model *m) {
  *l = (cpb_variable_list){.allocator = m->viewed.allocator};
  const uint64_t work = 4 * (uint64_t)m->meta.size + (m->lacks_shapes ? m->graph.message.size : 0);
  if (!cpb_meter_charge(m->viewed.meter, CPB_WORK_WALKED, work, CPB_NO_OFFSET, m->viewed.error)) return false;
  const bool lists_nodes = m->lists_none && !m->is_frozen && (m->is_graph || !cpb_saved_damage(m));
  const bool done = lists_nodes ? list_nodes(l, m) : m->objects.count > 0 ? list_objects(l, m) : list_collection(l, m);
  if (!done || !find_variable_uses(&m->objects, l)) return cpb_viewed_fail_memory(&m->viewed);
  return cpb_meter_charge(m->viewed.meter, CPB_WORK_ENTRIES, l->count, CPB_NO_OFFSET, m->viewed.error);
}

cpb_parameters cpb_variable_list_parameters(const cpb_variable_list *l) {
  cpb_parameters p = {.knows_trainable = !l->of_nodes};
  for (size_t i = 0; i < l->count; i++) {
    const cpb_variable *v = &l->items[i];
    if (v->use != CPB_TENSOR_WEIGHT || v->copy_of != CPB_NO_OBJECT) continue;
    const bool stored = v->stored && v->whole.size == 0 && v->stored->slices == 0;
    p.tensors += v->is_first;
    p.partial = p.partial || !v->has_elements;
    cpb_parameters_add(&p, cpb_variable_parameters(v), v->bytes, stored ? v->stored->size : v->bytes, v->trainable);
  }
  return p;
}
