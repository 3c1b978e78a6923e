#include "model/checkpoint/uses.h"

#include "base/checked.h"
#include "model/checkpoint/fields.h"
#include "model/checkpoint/stored_json.h"
#include "model/common/cursor.h"
#include "model/common/spans.h"
#include "model/common/tensor/dtypes.h"
#include "model/common/variable_names.h"

#define ATTRIBUTES "/.ATTRIBUTES/"
#define SLOT "/.OPTIMIZER_SLOT/"

/* --- Keys ---------------------------------------------------------------------------------- */

/* Where `part` begins in the text, or its size. */
static size_t find(cpb_span text, const char *part) {
  const size_t size = strlen(part);
  for (size_t i = 0; i + size <= text.size; i++) {
    if (memcmp(text.data + i, part, size) == 0) return i;
  }
  return text.size;
}

cpb_span cpb_stored_name(const cpb_stored *s) {
  const cpb_span key = cpb_stored_key(s);
  return (cpb_span){key.data, find(key, ATTRIBUTES)};
}

bool cpb_stored_elements(const cpb_stored *s, uint64_t *elements) {
  *elements = 1;
  for (uint32_t i = 0; i < s->rank; i++) {
    if (!cpb_mul_u64(*elements, s->shape[i], elements)) return false;
  }
  return true;
}

/* By the objects that the path of a key leads through. */
static cpb_tensor_use use_of_key(cpb_span name) {
  if (find(name, SLOT) < name.size) return CPB_TENSOR_OPTIMIZER;
  while (name.size > 0) {
    const uint8_t *slash = memchr(name.data, '/', name.size);
    const cpb_span part = {name.data, slash ? (size_t)(slash - name.data) : name.size};
    if (cpb_is_optimizer_name(part)) return CPB_TENSOR_OPTIMIZER;
    if (cpb_is_metrics_name(part)) return CPB_TENSOR_STATE;
    name = cpb_span_from(name, slash ? part.size + 1 : part.size);
  }
  return CPB_TENSOR_WEIGHT;
}

/* --- Objects -------------------------------------------------------------------------------- */

typedef struct walk {
  cpb_allocator allocator;
  cpb_span *objects; /* TrackableObjects */
  size_t count, capacity;
  uint8_t *reached; /* by object: 0, or what it is as, plus 1 */
  uint8_t *begins;  /* of an optimizer or of metrics the same */
  uint32_t *queue;
  size_t first, last;
} walk;

static bool list_objects(walk *w, cpb_span graph) {
  cpb_cursor c = cpb_cursor_of(graph);
  while (cpb_cursor_find(&c, TRACKABLE_NODES, CPB_WIRE_LEN)) {
    void *objects = w->objects;
    if (w->count == UINT32_MAX || !cpb_reserve(&w->allocator, &objects, &w->capacity, w->count + 1, sizeof *w->objects))
      return false;
    w->objects = objects;
    w->objects[w->count++] = c.bytes;
  }
  w->reached = cpb_alloc_zeroed(&w->allocator, w->count + 1);
  w->begins = cpb_alloc_zeroed(&w->allocator, w->count + 1);
  w->queue = cpb_alloc(&w->allocator, (w->count + 1) * sizeof *w->queue);
  return w->reached && w->begins && w->queue;
}

/* Keras's optimizers do not always have that name: a learning rate and a number of iterations tell. */
static bool is_optimizer(cpb_span object) {
  cpb_cursor c = cpb_cursor_of(object);
  bool has_rate = false, has_iterations = false;
  while (cpb_cursor_find(&c, TRACKABLE_CHILDREN, CPB_WIRE_LEN)) {
    const cpb_span name = cpb_get_bytes(c.bytes, CHILD_NAME);
    has_rate = has_rate || cpb_span_is(name, "learning_rate") || cpb_span_is(name, "_learning_rate");
    has_iterations = has_iterations || cpb_span_is(name, "iterations") || cpb_span_is(name, "_iterations") ||
                     cpb_span_is(name, "iter");
  }
  return (has_rate && has_iterations) || cpb_get_bytes(object, TRACKABLE_SLOTS).data;
}

static void reach(walk *w, uint32_t object, uint8_t by) {
  if (w->reached[object]) return;
  w->reached[object] = by;
  w->queue[w->last++] = object;
}

static void reach_children(walk *w, uint32_t object, uint8_t by) {
  cpb_cursor c = cpb_cursor_of(w->objects[object]);
  while (cpb_cursor_find(&c, TRACKABLE_CHILDREN, CPB_WIRE_LEN)) {
    const uint64_t child = cpb_get_number(c.bytes, CHILD_NODE);
    const cpb_span name = cpb_get_bytes(c.bytes, CHILD_NAME);
    if (child >= w->count) continue;
    if (by != CPB_TENSOR_WEIGHT + 1) reach(w, (uint32_t)child, by);
    else if (cpb_is_optimizer_name(name) || w->begins[child] == CPB_TENSOR_OPTIMIZER + 1)
      w->begins[child] = CPB_TENSOR_OPTIMIZER + 1;
    else if (cpb_is_metrics_name(name)) w->begins[child] = CPB_TENSOR_STATE + 1;
    else reach(w, (uint32_t)child, by);
  }
}

static void spread(walk *w, uint8_t by) {
  for (uint32_t i = 0; i < w->count; i++) {
    if (by == CPB_TENSOR_WEIGHT + 1 ? i == 0 : w->begins[i] == by) reach(w, i, by);
  }
  while (w->first < w->last) reach_children(w, w->queue[w->first++], by);
}

static void mark_slots(walk *w) {
  for (size_t i = 0; i < w->count; i++) {
    cpb_cursor c = cpb_cursor_of(w->objects[i]);
    while (cpb_cursor_find(&c, TRACKABLE_SLOTS, CPB_WIRE_LEN)) {
      const uint64_t slot = cpb_get_number(c.bytes, KEPT_SLOT);
      if (slot < w->count) w->reached[slot] = CPB_TENSOR_OPTIMIZER + 1;
    }
  }
}

/* What each key's object is. */
static void use_reached(const walk *w, const cpb_checkpoint *checkpoint, cpb_named_variable *all) {
  for (size_t i = 0; i < w->count; i++) {
    cpb_cursor c = cpb_cursor_of(w->objects[i]);
    while (w->reached[i] && cpb_cursor_find(&c, TRACKABLE_ATTRIBUTES, CPB_WIRE_LEN)) {
      const cpb_span key = cpb_get_bytes(c.bytes, ATTRIBUTE_KEY);
      const cpb_stored *stored = cpb_checkpoint_find(checkpoint, (const char *)key.data, key.size);
      cpb_named_variable *v = stored ? &all[cpb_checkpoint_place(checkpoint, stored)] : NULL;
      if (!v || (v->is_known && v->use == CPB_TENSOR_UNKNOWN)) continue;
      v->use = (cpb_tensor_use)(w->reached[i] - 1);
      v->is_known = v->use != CPB_TENSOR_WEIGHT;
    }
  }
}

static bool use_objects(const cpb_allocator *a, const cpb_checkpoint *checkpoint, cpb_span graph,
                        cpb_named_variable *all) {
  walk w = {.allocator = *a};
  const bool done = list_objects(&w, graph);
  if (done) {
    for (size_t i = 1; i < w.count; i++) w.begins[i] = is_optimizer(w.objects[i]) ? CPB_TENSOR_OPTIMIZER + 1 : 0;
    spread(&w, CPB_TENSOR_WEIGHT + 1);
    spread(&w, CPB_TENSOR_OPTIMIZER + 1);
    spread(&w, CPB_TENSOR_STATE + 1);
    mark_slots(&w);
    use_reached(&w, checkpoint, all);
  }
  cpb_release(a, w.objects);
  cpb_release(a, w.reached);
  cpb_release(a, w.begins);
  cpb_release(a, w.queue);
  return done;
}

/* --- All of them ---------------------------------------------------------------------------------- */

static cpb_named_variable named_of(const cpb_stored *s) {
  cpb_named_variable v = {.name = cpb_stored_name(s), .use = CPB_TENSOR_UNKNOWN, .is_known = true};
  if (!cpb_stored_is_tensor(s)) return v;
  v.has_elements = cpb_stored_elements(s, &v.elements);
  v.use = use_of_key(v.name);
  v.is_known = v.use != CPB_TENSOR_WEIGHT;
  return v;
}

/* A single number that is no weight counts something: steps, epochs, what was saved. */
static bool is_counter(const cpb_stored *s, const cpb_named_variable *v) {
  return cpb_dtype_bits(s->dtype) > 0 && !cpb_dtype_is_weight_like(s->dtype) && v->has_elements && v->elements == 1;
}

uint8_t *cpb_checkpoint_uses(const cpb_allocator *a, const cpb_checkpoint *checkpoint, cpb_span graph) {
  const size_t count = cpb_checkpoint_count(checkpoint);
  cpb_named_variable *all = cpb_alloc(a, (count + 1) * sizeof *all);
  uint8_t *uses = cpb_alloc(a, count + 1);
  bool done = all && uses;
  for (size_t i = 0; done && i < count; i++) all[i] = named_of(cpb_checkpoint_get(checkpoint, i));
  done = done && (graph.size == 0 || use_objects(a, checkpoint, graph, all)) && cpb_use_names(a, all, count);
  for (size_t i = 0; done && i < count; i++) {
    const bool counts = all[i].use == CPB_TENSOR_WEIGHT && is_counter(cpb_checkpoint_get(checkpoint, i), &all[i]);
    uses[i] = (uint8_t)(counts ? CPB_TENSOR_STATE : all[i].use);
  }
  cpb_release(a, all);
  if (done) return uses;
  cpb_release(a, uses);
  return NULL;
}
