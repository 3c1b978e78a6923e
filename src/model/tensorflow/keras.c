#include "model/tensorflow/keras.h"

#include "base/status.h"
#include "model/common/tensor/tensor.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/view.h"

/* Usually all of it is needed. */
#define KERAS_AHEAD ((uint64_t)256 << 10)

struct cpb_saved_keras {
  cpb_part part;  /* a second read of the object graph, now with Keras's metadata */
  uint8_t *given; /* keras_metadata.pb instead, or NULL */
  size_t given_size;
  bool is_empty;
  bool useless;  /* the given file has nothing of Keras */
  char why[192]; /* for this reason */
};

typedef struct source {
  cpb_saved_model *model;
  cpb_keras_list list;
  cpb_buffer paths; /* of the list's objects, concatenated */
  uint8_t *told;    /* by concrete function: whether its captures were reported */
} source;

/* --- What is read ---------------------------------------------------------------------- */

/* The skeleton leaves out the metadata of Keras, which may be the largest part of the object graph and which few
 * questions need. A question that needs the metadata reads the object graph again, with a view that keeps little
 * else. A keras_metadata.pb from the caller replaces this second read, unless the file has no Keras objects. */

static bool make_keras(cpb_saved_model *m) {
  if (!m->keras) m->keras = cpb_alloc_zeroed(&m->viewed.allocator, sizeof *m->keras);
  return m->keras != NULL;
}

static bool has_objects(const cpb_saved_model *m, const void *metadata, size_t size, bool *memory) {
  cpb_keras_list list = {0};
  cpb_problems problems;
  cpb_problems_init(&problems, &m->viewed.allocator);
  *memory = cpb_keras_decode(&m->viewed.allocator, (cpb_span){metadata, size}, &list, &problems);
  bool any = list.count > 0;
  cpb_keras_list_free(&m->viewed.allocator, &list);
  cpb_problems_free(&problems);
  return any;
}

void cpb_saved_describe_beside(const char *name, cpb_span content, const char *otherwise, char *out, size_t room) {
  char what[sizeof((cpb_error *)0)->message];
  const cpb_file_ends ends = {.struct_size = sizeof ends,
                              .begin = content.data,
                              .begin_size = content.size,
                              .end = content.data,
                              .end_size = content.size,
                              .size = content.size,
                              .name = name,
                              .name_size = strlen(name)};
  if (cpb_foreign_describe(&ends, what, sizeof what)) cpb_format(out, room, "%s is %s", name, what);
  else cpb_format(out, room, "%s cannot be parsed%s", name, otherwise);
}

int cpb_saved_set_keras(void *reader, const void *metadata, size_t size) {
  cpb_saved_model *m = reader;
  cpb_saved_forget_keras(m, true);
  bool memory = make_keras(m);
  if (!memory) return false;
  m->keras->useless = !has_objects(m, metadata, size, &memory);
  m->keras->is_empty = size == 0;
  if (m->keras->useless && size > 0)
    cpb_saved_describe_beside("keras_metadata.pb", (cpb_span){metadata, size}, ": no Keras objects in it",
                              m->keras->why, sizeof m->keras->why);
  if (m->keras->useless) return memory;
  uint8_t *copy = cpb_alloc(&m->viewed.allocator, size);
  if (!copy) return false;
  if (size > 0) memcpy(copy, metadata, size);
  m->keras->given = copy;
  m->keras->given_size = size;
  return true;
}

cpb_span cpb_saved_keras_given(const cpb_saved_model *m) {
  return m->keras ? (cpb_span){m->keras->given, m->keras->given_size} : (cpb_span){NULL, 0};
}

void cpb_saved_forget_keras(cpb_saved_model *m, bool all) {
  if (!m->keras) return;
  cpb_part_free(&m->keras->part);
  if (!all) return;
  cpb_release(&m->viewed.allocator, m->keras->given);
  cpb_release(&m->viewed.allocator, m->keras);
  m->keras = NULL;
}

static bool is_of_keras(const cpb_object *object) {
  return object->kind == OBJECT_USER && cpb_keras_is_identifier(cpb_get_bytes(object->value, USER_IDENTIFIER));
}

/* Whether the object itself has metadata of Keras. */
static bool says_something(const cpb_saved_model *m, const cpb_object *object) {
  if (!is_of_keras(object)) return false;
  const cpb_span metadata = cpb_get_bytes(object->value, USER_METADATA);
  return metadata.size > 0 || cpb_part_omits(&m->skeleton, metadata);
}

bool cpb_saved_has_layers(const cpb_saved_model *m) {
  if (m->keras && m->keras->given) return true;
  for (size_t i = 0; i < m->objects.count; i++)
    if (is_of_keras(&m->objects.items[i])) return true;
  return false;
}

bool cpb_saved_has_keras(const cpb_saved_model *m, uint64_t most) {
  uint64_t size = 0;
  if (m->keras && m->keras->given) return true;
  cpb_cursor c = cpb_cursor_of(m->meta);
  while (cpb_cursor_find(&c, META_GRAPH_OBJECTS, CPB_WIRE_LEN)) size += cpb_part_where(&m->skeleton, c.bytes).length;
  for (size_t i = 0; size <= most && i < m->objects.count; i++)
    if (says_something(m, &m->objects.items[i])) return true;
  return false;
}

cpb_input *cpb_saved_keras_input(cpb_saved_model *m) {
  bool reading = m->keras && m->keras->part.outline && !m->keras->part.read;
  return reading ? cpb_outline_input(m->keras->part.outline) : NULL;
}

cpb_step cpb_saved_read_keras(cpb_saved_model *m) {
  if (!make_keras(m)) return cpb_viewed_fail_memory(&m->viewed), CPB_STEP_ERROR;
  cpb_part *part = &m->keras->part;
  if (m->keras->given) return CPB_STEP_DONE;
  if (!part->outline && !cpb_saved_begin_part(m, part, META_GRAPH_OBJECTS, &cpb_view_keras, KERAS_AHEAD))
    return CPB_STEP_ERROR;
  return cpb_part_step(part, m->viewed.error);
}

/* --- Objects --------------------------------------------------------------------------- */

/* Both reads of the object graph list all objects in the order of the file. So `node`, which counts along here, is
 * the number that the object has in the skeleton, although this part has none of the references. */

static bool add_object(source *s, uint32_t node, cpb_span user) {
  cpb_saved_model *m = s->model;
  cpb_span version = cpb_get_bytes(user, USER_VERSION);
  if (!CPB_RESERVE(&m->viewed.allocator, &s->list.objects, &s->list.capacity, s->list.count + 1)) return false;
  s->list.objects[s->list.count++] =
      (cpb_keras_object){.offset = cpb_part_where(&m->keras->part, user).offset,
                         .node = node,
                         .identifier = cpb_get_bytes(user, USER_IDENTIFIER),
                         .metadata = cpb_get_bytes(user, USER_METADATA),
                         .producer = (int64_t)cpb_get_number(version, VERSIONS_PRODUCER),
                         .min_consumer = (int64_t)cpb_get_number(version, VERSIONS_MIN_CONSUMER)};
  return true;
}

/* Pointers are set once the paths no longer move. */
static bool add_paths(source *s) {
  cpb_keras_object *objects = s->list.objects;
  for (size_t i = 0; i < s->list.count; i++) {
    size_t begin = s->paths.size;
    const cpb_objects *all = &s->model->objects;
    if (!cpb_objects_path(all, (uint32_t)objects[i].node, &s->paths)) return false;
    objects[i].path_is_cut = all->links[objects[i].node].size > CPB_PATH_MAX;
    objects[i].path.size = s->paths.size - begin;
  }
  const uint8_t *at = s->paths.data;
  for (size_t i = 0; i < s->list.count && at; at += objects[i++].path.size) objects[i].path.data = at;
  return true;
}

static bool read_objects(source *s) {
  cpb_saved_model *m = s->model;
  uint32_t node = 0;
  if (m->keras->given) {
    cpb_span given = {m->keras->given, m->keras->given_size};
    return cpb_keras_decode(&m->viewed.allocator, given, &s->list, &m->viewed.problems);
  }
  cpb_cursor c = cpb_cursor_of(m->keras->part.message);
  while (cpb_cursor_find(&c, OBJECTS_NODES, CPB_WIRE_LEN)) {
    cpb_span user = cpb_get_bytes(c.bytes, OBJECT_USER);
    bool known = node < m->objects.count && cpb_keras_is_identifier(cpb_get_bytes(user, USER_IDENTIFIER));
    if (known && !add_object(s, node, user)) return false;
    node++;
  }
  return add_paths(s);
}

/* --- The graph for the Keras reader ---------------------------------------------------------- */

/* The place is the number of bytes examined. */
static bool next_child(void *user, uint32_t node, uint64_t *place, uint32_t *child, cpb_span *name) {
  const cpb_objects *objects = &((source *)user)->model->objects;
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
  const cpb_object *object = &((source *)user)->model->objects.items[node];
  return object->kind == OBJECT_VARIABLE && cpb_shape_elements(cpb_get_shape(object->value, VARIABLE_SHAPE), elements);
}

static cpb_span variable_name(void *user, uint32_t node) {
  return cpb_get_bytes(((source *)user)->model->objects.items[node].value, VARIABLE_NAME);
}

/* Reports each function once, because many objects may have the same function. */
static void find_captures(source *s, cpb_span function, void (*found)(void *, uint32_t), void *to) {
  const cpb_objects *o = &s->model->objects;
  uint64_t node;
  uint32_t which = cpb_names_find(&o->functions, function);
  if (which == CPB_NO_NAME || s->told[which]) return;
  s->told[which] = 1;
  cpb_varints v = cpb_varints_of(o->concrete[which], CONCRETE_BOUND_INPUTS);
  while (cpb_varints_next(&v, &node))
    if (node < o->count) found(to, (uint32_t)node);
}

static void find_needed(void *user, uint32_t node, void (*found)(void *to, uint32_t needed), void *to) {
  source *s = user;
  const cpb_objects *o = &s->model->objects;
  const cpb_span value = o->items[node].value;
  const uint32_t kind = o->items[node].kind;
  cpb_cursor c = cpb_cursor_of(o->items[node].message);
  while (cpb_cursor_find(&c, OBJECT_DEPENDENCIES, CPB_WIRE_LEN)) {
    uint64_t needed = cpb_get_number(c.bytes, REFERENCE_NODE);
    if (needed < o->count) found(to, (uint32_t)needed);
  }
  if (kind == OBJECT_RESOURCE) {
    uint32_t creator = cpb_objects_child(o, node, cpb_span_of("_create_resource"));
    if (creator != CPB_NO_OBJECT) found(to, creator);
  }
  if (kind == OBJECT_BARE_FUNCTION) find_captures(s, cpb_get_bytes(value, BARE_FUNCTION), found, to);
  if (kind != OBJECT_FUNCTION) return;
  for (c = cpb_cursor_of(value); cpb_cursor_find(&c, FUNCTION_CONCRETE, CPB_WIRE_LEN);)
    find_captures(s, c.bytes, found, to);
}

/* --- Its uses ------------------------------------------------------------------------------------ */

static void use_objects(source *s, cpb_keras_use use, void *user) {
  cpb_saved_model *m = s->model;
  const cpb_keras_graph graph = {.user = s,
                                 .nodes = (uint32_t)m->objects.count,
                                 .child = next_child,
                                 .variable = is_variable,
                                 .variable_name = variable_name,
                                 .dependencies = find_needed};
  cpb_keras *keras = cpb_keras_new(&m->viewed.allocator, s->list.objects, s->list.count, &graph, m->options.max_memory,
                                   &m->viewed.problems, m->viewed.meter, m->viewed.error);
  if (keras) use(m, keras, user);
  cpb_keras_free(keras);
}

/* An empty file is a list without objects. */
static void note_useless(cpb_saved_model *m) {
  cpb_problems *problems = &m->viewed.problems;
  if (!m->keras || !m->keras->useless) return;
  if (m->keras->is_empty) cpb_problems_add(problems, CPB_NO_OFFSET, "keras_metadata.pb has no Keras objects");
  else cpb_problems_add_damage(problems, CPB_NO_OFFSET, m->keras->why);
}

void cpb_saved_use_keras(cpb_saved_model *m, cpb_keras_use use, void *user) {
  source s = {.model = m};
  cpb_buffer_init(&s.paths, &m->viewed.allocator);
  note_useless(m);
  s.told = cpb_alloc_zeroed(&m->viewed.allocator, m->objects.num_concrete);
  if (!s.told || !read_objects(&s)) cpb_viewed_fail_memory(&m->viewed);
  else use_objects(&s, use, user);
  cpb_release(&m->viewed.allocator, s.told);
  cpb_buffer_free(&s.paths);
  cpb_keras_list_free(&m->viewed.allocator, &s.list);
}

void cpb_saved_use_keras_too(cpb_saved_model *m, cpb_keras_use use, void *user) {
  if (!m->with_keras) {
    note_useless(m);
    return;
  }
  cpb_saved_use_keras(m, use, user);
  if (m->viewed.error->code == CPB_OK || m->viewed.error->code == CPB_E_MEMORY) return;
  cpb_problems_add(&m->viewed.problems, m->viewed.error->offset, m->viewed.error->message);
  *m->viewed.error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
}
