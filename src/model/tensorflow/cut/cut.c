#include "model/tensorflow/cut/cut.h"

#include "base/status.h"
#include "model/tensorflow/fields.h"

/* Every pass takes from a queue until nothing is added: descendants of the named objects, what these need, the objects
 * around them, and then the nodes of the graph. The order counts. Objects around the others bring nothing with them, so
 * they are found after all needs; signatures depend on which objects stay complete, so the graph comes last.
 * Nothing is queued twice, as marks show, so a queue needs no more room than the list of all objects, or nodes. */

void cpb_cut_free(cpb_cut *c) {
  const cpb_allocator *a = &c->model->viewed.allocator;
  void *const blocks[] = {c->objects, c->numbers, c->functions, c->concrete, c->nodes, c->assets, c->queue, c->waiting};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) cpb_release(a, blocks[i]);
  cpb_names_free(&c->gradients);
  cpb_names_free(&c->signatures);
  cpb_nodes_free(&c->graph);
}

/* --- Objects -------------------------------------------------------------------------- */

static bool fail_reference(cpb_cut *c, cpb_span where, uint64_t node) {
  return CPB_FAILS(c->model->viewed.error, CPB_E_DAMAGED, cpb_part_where(&c->model->skeleton, where).offset,
                   "node_id is %llu; expected less than %zu, the number of objects", (unsigned long long)node,
                   c->model->objects.count);
}

/* `where` is the message that refers to the node. */
static bool take(cpb_cut *c, cpb_span where, uint64_t node, cpb_stay how) {
  if (node >= c->model->objects.count) return fail_reference(c, where, node);
  if (c->objects[node] >= CPB_NEEDED) return true;
  c->objects[node] = (uint8_t)how;
  c->queue[c->queued++] = (uint32_t)node;
  return true;
}

static bool take_references(cpb_cut *c, cpb_span object, uint32_t field, cpb_stay how) {
  cpb_cursor list = cpb_cursor_of(object);
  while (cpb_cursor_find(&list, field, CPB_WIRE_LEN))
    if (!take(c, list.bytes, cpb_get_number(list.bytes, REFERENCE_NODE), how)) return false;
  return true;
}

/* Takes the objects that the loader of one of these nodes provides: the node and its descendants; for the root, also
 * nodes without references to them. */
static bool take_descendants(cpb_cut *c) {
  const cpb_objects *o = &c->model->objects;
  for (; c->looked_at < c->queued; c->looked_at++)
    if (!take_references(c, o->items[c->queue[c->looked_at]].message, OBJECT_CHILDREN, CPB_REACHED)) return false;
  for (size_t i = 0; c->objects[0] >= CPB_NEEDED && i < o->count; i++) take(c, (cpb_span){NULL, 0}, i, CPB_REACHED);
  return true;
}

static bool take_paths(cpb_cut *c, cpb_span paths) {
  while (paths.size > 0) {
    const cpb_span path = cpb_span_take(&paths, '\n');
    if (path.size == 0) continue;
    uint32_t node = cpb_objects_find(&c->model->objects, path);
    if (node == CPB_NO_OBJECT) return cpb_viewed_not_found(&c->model->viewed, "object", path);
    take(c, path, node, CPB_ASKED);
    c->objects[node] = CPB_ASKED;
  }
  if (c->queued > 0) return true;
  return CPB_FAILS(c->model->viewed.error, CPB_E_USAGE, CPB_NO_OFFSET,
                   "name is empty; expected paths of objects to keep, such as root.layer-0");
}

/* --- Functions --------------------------------------------------------------------------- */

static void take_function(cpb_cut *c, cpb_span name) {
  uint32_t f = name.data ? cpb_graph_find(&c->model->graph, name) : CPB_NO_NAME;
  if (f == CPB_NO_NAME || c->functions[f]) return;
  c->functions[f] = 1;
  c->waiting[c->num_waiting++] = f;
}

/* Takes a function, and the captures of its SavedConcreteFunction, if it has one. */
static bool take_concrete(cpb_cut *c, cpb_span name) {
  const cpb_objects *o = &c->model->objects;
  uint64_t node;
  uint32_t i = cpb_names_find(&o->functions, name);
  take_function(c, name);
  if (i == CPB_NO_NAME || c->concrete[i]) return true;
  c->concrete[i] = 1;
  cpb_varints bound = cpb_varints_of(o->concrete[i], CONCRETE_BOUND_INPUTS);
  while (cpb_varints_next(&bound, &node))
    if (!take(c, o->concrete[i], node, CPB_NEEDED)) return false;
  return true;
}

/* Takes the functions that a node calls, and the function of its gradient. */
static void take_callees(cpb_cut *c, cpb_span node) {
  cpb_span name;
  cpb_callees callees = cpb_callees_of(node);
  while (cpb_callees_next(&callees, &name)) take_function(c, name);
  if (c->gradients.count == 0) return;
  cpb_span type = cpb_get_bytes(cpb_node_attr(node, "_gradient_op_type"), ATTR_STRING);
  uint32_t gradient = cpb_names_find(&c->gradients, type);
  if (gradient != CPB_NO_NAME) take_function(c, c->model->graph.graphs->items[gradient].name);
}

static bool look_at_functions(cpb_cut *c, bool with_captures) {
  const cpb_graph *g = &c->model->graph;
  while (c->num_waiting > 0) {
    uint32_t number, f = c->waiting[--c->num_waiting];
    cpb_cursor nodes = cpb_graph_nodes(g, f, &number);
    while (cpb_cursor_find(&nodes, number, CPB_WIRE_LEN)) take_callees(c, nodes.bytes);
    take_function(c, g->graphs->items[f].gradient);
    if (with_captures && !take_concrete(c, g->graphs->items[f].name)) return false;
  }
  return true;
}

static bool find_gradients(cpb_cut *c) {
  cpb_cursor graph = cpb_cursor_of(c->model->graph.message);
  while (cpb_cursor_find(&graph, GRAPH_LIBRARY, CPB_WIRE_LEN)) {
    cpb_cursor library = cpb_cursor_of(graph.bytes);
    while (cpb_cursor_find(&library, LIBRARY_REGISTERED, CPB_WIRE_LEN)) {
      uint32_t f = cpb_graph_find(&c->model->graph, cpb_get_bytes(library.bytes, REGISTERED_FUNCTION));
      cpb_span type = cpb_get_bytes(library.bytes, REGISTERED_OP_TYPE);
      if (f != CPB_NO_NAME && type.size > 0 && !cpb_names_add(&c->gradients, type, f)) return false;
    }
  }
  cpb_names_sort(&c->gradients);
  return true;
}

/* Looks up each signature of the model by name. */
static bool find_signatures(cpb_cut *c) {
  const cpb_objects *o = &c->model->objects;
  uint32_t map = cpb_objects_child(o, 0, cpb_span_of("signatures"));
  cpb_cursor list = cpb_cursor_of(map != CPB_NO_OBJECT ? o->items[map].message : (cpb_span){NULL, 0});
  while (cpb_cursor_find(&list, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t object = cpb_get_number(list.bytes, REFERENCE_NODE);
    if (object >= o->count) continue;
    if (!cpb_names_add(&c->signatures, cpb_get_bytes(list.bytes, REFERENCE_NAME), (uint32_t)object)) return false;
  }
  cpb_names_sort(&c->signatures);
  return true;
}

/* --- What objects need ---------------------------------------------------------------------- */

static bool take_slots(cpb_cut *c, cpb_span object) {
  cpb_cursor list = cpb_cursor_of(object);
  while (cpb_cursor_find(&list, OBJECT_SLOTS, CPB_WIRE_LEN))
    if (!take(c, list.bytes, cpb_get_number(list.bytes, SLOT_ORIGINAL), CPB_NEEDED) ||
        !take(c, list.bytes, cpb_get_number(list.bytes, SLOT_VARIABLE), CPB_NEEDED))
      return false;
  return true;
}

/* Node 0, the root, is encoded like an absent number. */
static bool take_saveables(cpb_cut *c, cpb_span object) {
  cpb_cursor list = cpb_cursor_of(object);
  while (cpb_cursor_find(&list, OBJECT_SAVEABLES, CPB_WIRE_LEN)) {
    cpb_span value = cpb_get_bytes(list.bytes, MAP_VALUE);
    uint64_t save = cpb_get_number(value, SAVEABLE_SAVE), restore = cpb_get_number(value, SAVEABLE_RESTORE);
    if ((save > 0 && !take(c, value, save, CPB_NEEDED)) || (restore > 0 && !take(c, value, restore, CPB_NEEDED)))
      return false;
  }
  return true;
}

static void take_asset(cpb_cut *c, cpb_span asset) {
  uint64_t i = cpb_get_number(asset, SAVED_ASSET_INDEX);
  if (i < c->num_assets) c->assets[i] = 1;
}

static bool take_kind(cpb_cut *c, const cpb_object *object) {
  const uint32_t kind = object->kind;
  const cpb_span value = object->value;
  cpb_cursor list = cpb_cursor_of(value);
  if (kind == OBJECT_ASSET) take_asset(c, value);
  if (kind == OBJECT_BARE_FUNCTION) return take_concrete(c, cpb_get_bytes(value, BARE_FUNCTION));
  if (kind == OBJECT_CAPTURED) return take_concrete(c, cpb_get_bytes(value, CAPTURED_FUNCTION));
  while (kind == OBJECT_FUNCTION && cpb_cursor_find(&list, FUNCTION_CONCRETE, CPB_WIRE_LEN))
    if (!take_concrete(c, list.bytes)) return false;
  return true;
}

static bool take_needed(cpb_cut *c) {
  const cpb_object *items = c->model->objects.items;
  for (c->looked_at = 0; c->looked_at < c->queued; c->looked_at++) {
    const cpb_object *object = &items[c->queue[c->looked_at]];
    if (!take_references(c, object->message, OBJECT_CHILDREN, CPB_NEEDED) ||
        !take_references(c, object->message, OBJECT_DEPENDENCIES, CPB_NEEDED) || !take_slots(c, object->message) ||
        !take_saveables(c, object->message) || !take_kind(c, object) || !look_at_functions(c, true))
      return false;
  }
  return true;
}

/* --- What is around them ----------------------------------------------------------------------- */

/* Functions and constants refer to nothing, and nothing is restored into them. */
static bool has_state(const cpb_object *object) {
  const uint32_t kind = object->kind;
  return kind == OBJECT_USER || kind == OBJECT_VARIABLE || kind == OBJECT_RESOURCE || kind == OBJECT_ASSET;
}

/* The objects that refer to each object: for node n, from[first[n]] up to from[first[n + 1]]. */
typedef struct parents {
  size_t *first;
  uint32_t *from;
} parents;

static size_t visit_children(const cpb_objects *o, parents *p, bool fill) {
  size_t total = 0;
  for (size_t i = o->count; i-- > 0;) {
    cpb_cursor list = cpb_cursor_of(o->items[i].message);
    while (cpb_cursor_find(&list, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
      uint64_t child = cpb_get_number(list.bytes, REFERENCE_NODE);
      if (child >= o->count) continue;
      if (fill) p->from[--p->first[child + 1]] = (uint32_t)i;
      else p->first[child + 1]++;
      total++;
    }
  }
  return total;
}

/* Counts them, sums up to where each node's end, and then fills backwards from there. */
static bool find_parents(cpb_cut *c, parents *p) {
  const cpb_objects *o = &c->model->objects;
  const cpb_allocator *a = &c->model->viewed.allocator;
  p->first = cpb_alloc_zeroed(a, (o->count + 2) * sizeof *p->first);
  if (!p->first) return false;
  p->from = cpb_alloc(a, visit_children(o, p, false) * sizeof *p->from);
  if (!p->from) return false;
  for (size_t i = 1; i <= o->count; i++) p->first[i] += p->first[i - 1];
  p->first[o->count + 1] = p->first[o->count];
  visit_children(o, p, true);
  for (size_t i = 0; i <= o->count; i++) p->first[i] = p->first[i + 1];
  return true;
}

static void take_around(cpb_cut *c, const parents *p) {
  size_t whole = c->queued;
  for (size_t i = 0; i < c->queued; i++) {
    uint32_t node = c->queue[i];
    if (i < whole && c->objects[node] != CPB_ASKED && !has_state(&c->model->objects.items[node])) continue;
    for (size_t k = p->first[node]; k < p->first[node + 1]; k++) {
      uint32_t parent = p->from[k];
      if (c->objects[parent] != CPB_CUT_OFF) continue;
      c->objects[parent] = CPB_AROUND;
      c->queue[c->queued++] = parent;
    }
  }
  if (c->objects[0] == CPB_CUT_OFF) c->objects[0] = CPB_AROUND;
}

static bool find_around(cpb_cut *c) {
  parents p = {NULL, NULL};
  bool found = find_parents(c, &p) || cpb_viewed_fail_memory(&c->model->viewed);
  if (found) take_around(c, &p);
  cpb_release(&c->model->viewed.allocator, p.first);
  cpb_release(&c->model->viewed.allocator, p.from);
  return found;
}

static void number_assets(cpb_cut *c) {
  uint32_t count = 0;
  for (size_t i = 0; i < c->num_assets; i++) c->assets[i] = c->assets[i] ? ++count : 0;
}

static void number_objects(cpb_cut *c) {
  for (size_t i = 0; i < c->model->objects.count; i++)
    c->numbers[i] = c->objects[i] != CPB_CUT_OFF ? c->num_objects++ : CPB_NO_OBJECT;
}

/* --- The graph that a session runs ------------------------------------------------------------- */

bool cpb_cut_is_initializer(cpb_span key) {
  static const char *const names[] = {"__saved_model_init_op", "__saved_model_train_op", "saved_model_main_op",
                                      "legacy_init_op",        "saved_model_train_op",   NULL};
  return cpb_span_is_one_of(key, names);
}

bool cpb_cut_has_signature(const cpb_cut *c, cpb_span key) {
  if (cpb_cut_is_initializer(key)) return c->session;
  if (cpb_cut_is_whole(c, 0)) return true;
  uint32_t object = cpb_names_find(&c->signatures, key);
  return object != CPB_NO_NAME && cpb_cut_is_whole(c, object);
}

static void take_node(cpb_cut *c, cpb_span tensor) {
  bool control;
  uint32_t i = tensor.size > 0 ? cpb_names_find(&c->graph.names, cpb_node_of_input(tensor, &control)) : CPB_NO_NAME;
  if (i == CPB_NO_NAME || c->nodes[i]) return;
  c->nodes[i] = 1;
  c->queue[c->queued++] = i;
}

/* Takes the inputs of nodes, back to the beginning. */
static void look_at_nodes(cpb_cut *c) {
  while (c->queued > 0) {
    cpb_span node = c->graph.items[c->queue[--c->queued]];
    cpb_cursor inputs = cpb_cursor_of(node);
    while (cpb_cursor_find(&inputs, NODE_INPUT, CPB_WIRE_LEN)) take_node(c, inputs.bytes);
    take_callees(c, node);
  }
}

static void take_tensor_infos(cpb_cut *c, cpb_span message, uint32_t field) {
  cpb_cursor list = cpb_cursor_of(message);
  while (cpb_cursor_find(&list, field, CPB_WIRE_LEN)) {
    cpb_span info = cpb_get_bytes(list.bytes, MAP_VALUE), sparse = cpb_get_bytes(info, TENSOR_INFO_SPARSE);
    cpb_cursor parts = cpb_cursor_of(cpb_get_bytes(info, TENSOR_INFO_COMPOSITE));
    take_node(c, cpb_get_bytes(info, TENSOR_INFO_NAME));
    for (uint32_t i = SPARSE_VALUES; i <= SPARSE_SHAPE; i++) take_node(c, cpb_get_bytes(sparse, i));
    while (cpb_cursor_find(&parts, COMPOSITE_COMPONENTS, CPB_WIRE_LEN))
      take_node(c, cpb_get_bytes(parts.bytes, TENSOR_INFO_NAME));
  }
}

static void take_signatures(cpb_cut *c) {
  for (int initializers = 0; initializers < 2; initializers++) {
    cpb_cursor list = cpb_cursor_of(c->model->meta);
    while (cpb_cursor_find(&list, META_GRAPH_SIGNATURE, CPB_WIRE_LEN)) {
      cpb_span key = cpb_get_bytes(list.bytes, MAP_KEY), signature = cpb_get_bytes(list.bytes, MAP_VALUE);
      if (cpb_cut_is_initializer(key) != (initializers > 0) || !cpb_cut_has_signature(c, key)) continue;
      c->session = true;
      take_tensor_infos(c, signature, SIGNATURE_INPUTS);
      take_tensor_infos(c, signature, SIGNATURE_OUTPUTS);
    }
  }
}

static void take_session(cpb_cut *c) {
  cpb_span meta = c->model->meta, saver = cpb_get_bytes(meta, META_GRAPH_SAVER);
  for (uint32_t i = SAVER_FILENAME; i <= SAVER_RESTORE; i++) take_node(c, cpb_get_bytes(saver, i));
  cpb_cursor list = cpb_cursor_of(meta);
  while (cpb_cursor_find(&list, META_GRAPH_COLLECTION, CPB_WIRE_LEN)) {
    if (!cpb_cut_is_initializer(cpb_get_bytes(list.bytes, MAP_KEY))) continue;
    cpb_span value = cpb_get_bytes(list.bytes, MAP_VALUE);
    cpb_cursor names = cpb_cursor_of(cpb_get_bytes(value, COLLECTION_NODES));
    while (cpb_cursor_find(&names, LIST_VALUE, CPB_WIRE_LEN)) take_node(c, names.bytes);
  }
}

/* Assets are fed by name: assets that stay need their nodes, and vice versa. */
static void take_assets(cpb_cut *c) {
  cpb_cursor list = cpb_cursor_of(c->model->meta);
  for (size_t i = 0; cpb_cursor_find(&list, META_GRAPH_ASSET, CPB_WIRE_LEN); i++) {
    bool control;
    cpb_span tensor = cpb_get_bytes(cpb_get_bytes(list.bytes, ASSET_TENSOR), TENSOR_INFO_NAME);
    uint32_t node = cpb_names_find(&c->graph.names, cpb_node_of_input(tensor, &control));
    if (c->assets[i]) take_node(c, tensor);
    else c->assets[i] = node != CPB_NO_NAME && c->nodes[node];
  }
}

static void take_graph(cpb_cut *c) {
  const cpb_objects *o = &c->model->objects;
  c->queued = 0;
  for (size_t i = 0; i < o->count; i++)
    if (cpb_cut_is_whole(c, i) && o->items[i].kind == OBJECT_CONSTANT)
      take_node(c, cpb_get_bytes(o->items[i].value, SAVED_CONSTANT_OPERATION));
  take_signatures(c);
  if (c->session) take_session(c);
  look_at_nodes(c);
  if (!c->session) return;
  take_assets(c);
  look_at_nodes(c);
}

/* --- All of it ------------------------------------------------------------------------------------ */

static bool make_room(cpb_cut *c) {
  const cpb_saved_model *m = c->model;
  const cpb_allocator *a = &m->viewed.allocator;
  size_t objects = m->objects.count, functions = m->graph.graphs->count;
  c->num_assets = cpb_count_bytes(m->meta, META_GRAPH_ASSET);
  if (!cpb_nodes_build(&c->graph, &m->graph)) return false;
  size_t most = objects > c->graph.count ? objects : c->graph.count;
  c->objects = cpb_alloc_zeroed(a, objects);
  c->numbers = cpb_alloc(a, objects * sizeof *c->numbers);
  c->functions = cpb_alloc_zeroed(a, functions);
  c->concrete = cpb_alloc_zeroed(a, m->objects.num_concrete);
  c->nodes = cpb_alloc_zeroed(a, c->graph.count);
  c->assets = cpb_alloc_zeroed(a, c->num_assets * sizeof *c->assets);
  c->queue = cpb_alloc(a, most * sizeof *c->queue);
  c->waiting = cpb_alloc(a, functions * sizeof *c->waiting);
  return c->objects && c->numbers && c->functions && c->concrete && c->nodes && c->assets && c->queue && c->waiting;
}

bool cpb_cut_decide(cpb_cut *c, cpb_saved_model *m, cpb_span paths) {
  *c = (cpb_cut){.model = m, .graph = {.allocator = m->viewed.allocator}};
  cpb_names_init(&c->gradients, &m->viewed.allocator);
  cpb_names_init(&c->signatures, &m->viewed.allocator);
  c->graph.names.allocator = m->viewed.allocator;
  if (!make_room(c) || !find_gradients(c) || !find_signatures(c)) return cpb_viewed_fail_memory(&m->viewed);
  if (!take_paths(c, paths) || !take_descendants(c) || !take_needed(c) || !find_around(c)) return false;
  number_objects(c);
  take_graph(c);
  number_assets(c);
  return look_at_functions(c, false);
}
