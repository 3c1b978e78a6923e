/* Keras's layers, from what a SavedModel's own objects say: without keras_metadata.pb. */
#include "base/status.h"
#include "model/keras.h"
#include "model/saved_model.h"
#include "model/tensorflow_fields.h"
#include "model/tensorflow_json.h"

#define NEEDS_MOST ((size_t)1 << 22) /* a function may be had by many objects */

/* An object that must be there for another to be loaded. */
typedef struct need {
  uint32_t node, needed;
} need;

typedef struct keras_source {
  cpb_saved_model *model;
  cpb_keras_object *objects;
  size_t count, capacity;
  need *needs; /* by node */
  size_t num_needs, needs_capacity;
  cpb_buffer paths;
} keras_source;

/* --- Objects --------------------------------------------------------------------------- */

static bool add_object(keras_source *s, uint32_t node, cpb_span user) {
  cpb_saved_model *m = s->model;
  void *list = s->objects;
  cpb_span version = cpb_get_bytes(user, USER_VERSION);
  if (!cpb_reserve(&m->allocator, &list, &s->capacity, s->count + 1, sizeof *s->objects)) return false;
  s->objects = list;
  s->objects[s->count++] =
      (cpb_keras_object){.offset = cpb_part_where(&m->keras_part, user).offset,
                         .node = node,
                         .identifier = cpb_get_bytes(user, USER_IDENTIFIER),
                         .metadata = cpb_get_bytes(user, USER_METADATA),
                         .producer = (int64_t)cpb_get_number(version, VERSIONS_PRODUCER),
                         .min_consumer = (int64_t)cpb_get_number(version, VERSIONS_MIN_CONSUMER)};
  return true;
}

/* The paths are written one behind the other, and pointed to once they do not move. */
static bool add_paths(keras_source *s) {
  size_t at = 0;
  for (size_t i = 0; i < s->count; i++) {
    s->objects[i].path.size = s->paths.size;
    if (!cpb_objects_path(&s->model->objects, (uint32_t)s->objects[i].node, &s->paths)) return false;
    s->objects[i].path.size = s->paths.size - s->objects[i].path.size;
  }
  for (size_t i = 0; i < s->count; at += s->objects[i++].path.size) s->objects[i].path.data = s->paths.data + at;
  return true;
}

static bool read_objects(keras_source *s) {
  uint32_t node = 0;
  cpb_cursor c = cpb_cursor_of(s->model->keras_part.message);
  while (cpb_cursor_find(&c, OBJECTS_NODES, CPB_WIRE_LEN)) {
    cpb_span user = cpb_get_bytes(c.bytes, OBJECT_USER);
    bool known = node < s->model->objects.count && cpb_keras_is_identifier(cpb_get_bytes(user, USER_IDENTIFIER));
    if (known && !add_object(s, node, user)) return false;
    node++;
  }
  return add_paths(s);
}

/* --- What needs what ---------------------------------------------------------------------- */

static bool add_need(keras_source *s, uint32_t node, uint64_t needed) {
  void *list = s->needs;
  if (needed >= s->model->objects.count) return true;
  if (s->num_needs == NEEDS_MOST) {
    cpb_problems_add(&s->model->problems, CPB_NO_OFFSET, "objects need more objects than can be followed");
    return true;
  }
  if (!cpb_reserve(&s->model->allocator, &list, &s->needs_capacity, s->num_needs + 1, sizeof *s->needs)) return false;
  s->needs = list;
  s->needs[s->num_needs++] = (need){node, (uint32_t)needed};
  return true;
}

static bool add_captures(keras_source *s, uint32_t node, cpb_span function) {
  uint64_t needed;
  cpb_varints v = cpb_varints_of(cpb_objects_concrete(&s->model->objects, function), CONCRETE_BOUND_INPUTS);
  while (s->num_needs < NEEDS_MOST && cpb_varints_next(&v, &needed)) {
    if (!add_need(s, node, needed)) return false;
  }
  return true;
}

static bool add_needs_of(keras_source *s, uint32_t node) {
  cpb_span value, object = s->model->objects.items[node].message;
  uint32_t kind = cpb_object_kind(&s->model->objects.items[node], &value);
  cpb_cursor c = cpb_cursor_of(object);
  while (cpb_cursor_find(&c, OBJECT_DEPENDENCIES, CPB_WIRE_LEN)) {
    if (!add_need(s, node, cpb_get_number(c.bytes, REFERENCE_NODE))) return false;
  }
  if (kind == OBJECT_BARE_FUNCTION) return add_captures(s, node, cpb_get_bytes(value, BARE_FUNCTION));
  if (kind != OBJECT_FUNCTION) return true;
  for (c = cpb_cursor_of(value); cpb_cursor_find(&c, FUNCTION_CONCRETE, CPB_WIRE_LEN);) {
    if (!add_captures(s, node, c.bytes)) return false;
  }
  return true;
}

static bool find_needs(keras_source *s) {
  for (size_t i = 0; i < s->model->objects.count; i++) {
    if (!add_needs_of(s, (uint32_t)i)) return false;
  }
  return true; /* in the order of the nodes */
}

/* --- The graph that Keras is told of --------------------------------------------------------- */

/* The place is the number of bytes that were looked at. */
static bool next_child(void *user, uint32_t node, uint64_t *place, uint32_t *child, cpb_span *name) {
  const cpb_objects *objects = &((keras_source *)user)->model->objects;
  cpb_span message = objects->items[node].message;
  cpb_cursor c = cpb_cursor_of(cpb_span_from(message, (size_t)*place));
  while (cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t id = cpb_get_number(c.bytes, REFERENCE_NODE);
    *place = (uint64_t)(c.at - message.data);
    if (id >= objects->count) continue;
    *child = (uint32_t)id;
    *name = cpb_get_bytes(c.bytes, REFERENCE_NAME);
    return true;
  }
  *place = message.size;
  return false;
}

static bool is_variable(void *user, uint32_t node, uint64_t *elements) {
  cpb_span variable;
  const cpb_objects *objects = &((keras_source *)user)->model->objects;
  return cpb_object_kind(&objects->items[node], &variable) == OBJECT_VARIABLE &&
         cpb_shape_elements(cpb_get_bytes(variable, VARIABLE_SHAPE), elements);
}

static size_t first_need(const keras_source *s, uint32_t node) {
  size_t low = 0, high = s->num_needs;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->needs[middle].node < node) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The place is the number of the next need, plus one. */
static bool next_needed(void *user, uint32_t node, uint64_t *place, uint32_t *needed) {
  const keras_source *s = user;
  size_t i = *place > 0 ? (size_t)*place - 1 : first_need(s, node);
  if (i >= s->num_needs || s->needs[i].node != node) return false;
  *needed = s->needs[i].needed;
  *place = i + 2;
  return true;
}

/* --- The answers -------------------------------------------------------------------------------- */

static void write_answer(cpb_saved_model *m, const keras_source *s, const cpb_keras_graph *graph) {
  cpb_keras *keras = cpb_keras_new(&m->allocator, s->objects, s->count, graph, &m->problems, m->error);
  if (!keras) return;
  if (m->question.kind == CPB_ASK_LAYERS) cpb_keras_layers(keras, &m->question, m->answer, m->error);
  else cpb_keras_load(keras, &m->question, m->answer, m->error);
  cpb_keras_free(keras);
}

void cpb_ask_keras(cpb_saved_model *m) {
  keras_source s = {.model = m};
  const cpb_keras_graph graph = {.user = &s,
                                 .nodes = (uint32_t)m->objects.count,
                                 .child = next_child,
                                 .variable = is_variable,
                                 .dependency = next_needed};
  cpb_buffer_init(&s.paths, &m->allocator);
  if (!read_objects(&s) || !find_needs(&s)) cpb_saved_fail_memory(m);
  else if (s.count > 0) write_answer(m, &s, &graph);
  else cpb_fail(m->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "this model has no objects of Keras");
  cpb_buffer_free(&s.paths);
  cpb_release(&m->allocator, s.needs);
  cpb_release(&m->allocator, s.objects);
}
