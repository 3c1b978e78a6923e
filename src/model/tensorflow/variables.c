#include "model/tensorflow/variables.h"

#include "base/status.h"
#include "model/checkpoint/fields.h"
#include "model/tensorflow/fields.h"

#define UNLINKED UINT32_MAX /* more than there can be in either */

/* An object in the checkpoint's graph. */
typedef struct trackable {
  cpb_span message;
  uint32_t node; /* the SavedModel's, or UNLINKED */
} trackable;

typedef struct cpb_saved_variables {
  const cpb_checkpoint *checkpoint;
  cpb_buffer graph; /* TrackableObjectGraph */
  bool linked, damaged;
  trackable *trackables;
  size_t count, capacity;
  uint32_t *links;  /* by node: the trackable; if the graph is not there, the index in the checkpoint */
  uint8_t *claimed; /* by index in the checkpoint */
} variables;

/* --- What was given ------------------------------------------------------------------- */

void cpb_saved_forget_links(cpb_saved_model *m) {
  variables *v = m->variables;
  if (!v) return;
  cpb_release(&m->viewed.allocator, v->trackables);
  cpb_release(&m->viewed.allocator, v->links);
  cpb_release(&m->viewed.allocator, v->claimed);
  *v = (variables){.checkpoint = v->checkpoint, .graph = v->graph};
}

void cpb_saved_forget_checkpoint(cpb_saved_model *m) {
  if (!m->variables) return;
  cpb_saved_forget_links(m);
  cpb_buffer_free(&m->variables->graph);
  cpb_release(&m->viewed.allocator, m->variables);
  m->variables = NULL;
}

int cpb_saved_set_checkpoint(void *reader, const cpb_checkpoint *checkpoint, const void *object_graph, size_t size) {
  cpb_saved_model *m = reader;
  cpb_saved_forget_checkpoint(m);
  if (!checkpoint || m->is_graph) return !checkpoint;
  variables *v = m->variables = cpb_alloc_zeroed(&m->viewed.allocator, sizeof *v);
  if (!v) return false;
  v->checkpoint = checkpoint;
  cpb_buffer_init(&v->graph, &m->viewed.allocator);
  if (size == 0 || cpb_buffer_append(&v->graph, object_graph, size)) return true;
  cpb_saved_forget_checkpoint(m);
  return false;
}

const cpb_checkpoint *cpb_saved_checkpoint(const cpb_saved_model *m) {
  return m->variables ? m->variables->checkpoint : NULL;
}

/* --- Linking ---------------------------------------------------------------------------- */

/* A SavedModel numbers its objects, and a checkpoint numbers its own. Only names of children connect the two: from
 * the two roots, children of the same name are the same object. Where the two graphs differ in shape, the pair that
 * was met first stays; a link is never changed. */

static bool read_trackables(cpb_saved_model *m, variables *v) {
  cpb_cursor c = cpb_cursor_of((cpb_span){v->graph.data, v->graph.size});
  while (cpb_cursor_find(&c, TRACKABLE_NODES, CPB_WIRE_LEN)) {
    if (v->count == UNLINKED || !CPB_RESERVE(&m->viewed.allocator, &v->trackables, &v->capacity, v->count + 1))
      return false;
    v->trackables[v->count++] = (trackable){c.bytes, UNLINKED};
  }
  v->damaged = c.damaged;
  return true;
}

/* Links the objects of the two graphs one to one, so that no object is visited twice. */
static bool link_pair(variables *v, uint64_t node, uint64_t other, const cpb_saved_model *m) {
  if (node >= m->objects.count || other >= v->count) return false;
  if (v->links[node] != UNLINKED || v->trackables[other].node != UNLINKED) return false;
  v->links[node] = (uint32_t)other;
  v->trackables[other].node = (uint32_t)node;
  return true;
}

/* Takes an object of either graph: both have the same fields for children. */
static bool name_children(cpb_names *names, cpb_span object) {
  cpb_cursor c = cpb_cursor_of(object);
  while (cpb_cursor_find(&c, TRACKABLE_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t id = cpb_get_number(c.bytes, REFERENCE_NODE);
    if (id < CPB_NO_NAME && !cpb_names_add(names, cpb_get_bytes(c.bytes, REFERENCE_NAME), (uint32_t)id)) return false;
  }
  cpb_names_sort(names);
  return true;
}

/* Links children with the same name, and adds them to the queue. */
static bool link_children(cpb_saved_model *m, variables *v, uint32_t node, uint32_t *queue, size_t *last) {
  cpb_names names;
  cpb_names_init(&names, &m->viewed.allocator);
  bool done = name_children(&names, v->trackables[v->links[node]].message);
  cpb_cursor c = cpb_cursor_of(m->objects.items[node].message);
  while (done && cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t child = cpb_get_number(c.bytes, REFERENCE_NODE);
    uint32_t other = cpb_names_find(&names, cpb_get_bytes(c.bytes, REFERENCE_NAME));
    if (other != CPB_NO_NAME && link_pair(v, child, other, m)) queue[(*last)++] = (uint32_t)child;
  }
  cpb_names_free(&names);
  return done;
}

/* Breadth first, from the roots. */
static bool link_objects(cpb_saved_model *m, variables *v) {
  uint32_t *queue = cpb_alloc(&m->viewed.allocator, m->objects.count * sizeof *queue);
  size_t first = 0, last = 0;
  bool done = queue != NULL;
  if (done && link_pair(v, 0, 0, m)) queue[last++] = 0;
  while (done && first < last) done = link_children(m, v, queue[first++], queue, &last);
  cpb_release(&m->viewed.allocator, queue);
  return done;
}

/* An optimizer's slot variables are not children. Two slots match if the same optimizer gives them the same name for
 * the same variable. The text of a slot has the variable's number and the name. */
static bool append_slot(cpb_buffer *out, uint32_t original, cpb_span name) {
  return cpb_buffer_append(out, &original, sizeof original) &&
         (name.size == 0 || cpb_buffer_append(out, name.data, name.size));
}

static bool name_slots(cpb_names *names, cpb_buffer *texts, cpb_span object) {
  size_t size = 0;
  cpb_cursor c = cpb_cursor_of(object);
  while (cpb_cursor_find(&c, TRACKABLE_SLOTS, CPB_WIRE_LEN))
    size += sizeof(uint32_t) + cpb_get_bytes(c.bytes, SLOT_NAME).size;
  bool done = cpb_buffer_reserve(texts, size); /* so that it does not move */
  c = cpb_cursor_of(object);
  while (done && cpb_cursor_find(&c, TRACKABLE_SLOTS, CPB_WIRE_LEN)) {
    uint64_t variable = cpb_get_number(c.bytes, SLOT_VARIABLE);
    size_t begin = texts->size;
    done = append_slot(texts, (uint32_t)cpb_get_number(c.bytes, SLOT_ORIGINAL), cpb_get_bytes(c.bytes, SLOT_NAME));
    if (done && variable < CPB_NO_NAME)
      done = cpb_names_add(names, (cpb_span){texts->data + begin, texts->size - begin}, (uint32_t)variable);
  }
  cpb_names_sort(names);
  return done;
}

static bool link_slot(cpb_saved_model *m, variables *v, const cpb_names *names, cpb_span slot) {
  cpb_buffer text;
  uint64_t original = cpb_get_number(slot, SLOT_ORIGINAL);
  if (original >= m->objects.count || v->links[original] == UNLINKED) return true;
  cpb_buffer_init(&text, &m->viewed.allocator);
  bool done = append_slot(&text, v->links[original], cpb_get_bytes(slot, SLOT_NAME));
  uint32_t other = done ? cpb_names_find(names, (cpb_span){text.data, text.size}) : CPB_NO_NAME;
  if (other != CPB_NO_NAME) link_pair(v, cpb_get_number(slot, SLOT_VARIABLE), other, m);
  cpb_buffer_free(&text);
  return done;
}

static bool link_slots(cpb_saved_model *m, variables *v, uint32_t node) {
  cpb_names names;
  cpb_buffer texts;
  cpb_names_init(&names, &m->viewed.allocator);
  cpb_buffer_init(&texts, &m->viewed.allocator);
  bool done = name_slots(&names, &texts, v->trackables[v->links[node]].message);
  cpb_cursor slots = cpb_cursor_of(m->objects.items[node].message);
  while (done && names.count > 0 && cpb_cursor_find(&slots, OBJECT_SLOTS, CPB_WIRE_LEN))
    done = link_slot(m, v, &names, slots.bytes);
  cpb_names_free(&names);
  cpb_buffer_free(&texts);
  return done;
}

static cpb_span key_of(const trackable *t) {
  cpb_cursor c = cpb_cursor_of(t->message);
  while (cpb_cursor_find(&c, TRACKABLE_ATTRIBUTES, CPB_WIRE_LEN))
    if (cpb_span_is(cpb_get_bytes(c.bytes, ATTRIBUTE_NAME), "VARIABLE_VALUE"))
      return cpb_get_bytes(c.bytes, ATTRIBUTE_KEY);
  return (cpb_span){NULL, 0};
}

static const cpb_stored *find(const variables *v, cpb_span key) {
  return key.size > 0 ? cpb_checkpoint_find(v->checkpoint, (const char *)key.data, key.size) : NULL;
}

/* --- Linking by keys ---------------------------------------------------------------------- */

/* A key is a path to the variable, so it leads there even if the checkpoint's object graph cannot be read. Keys are
 * sorted: the children along the path of one are kept for the next. */

#define DEPTH_MOST 32 /* levels of a path that is followed */
#define NAME_MOST 256 /* bytes of a name that is looked for */

typedef struct path {
  struct path_level {
    cpb_span part; /* of the key */
    uint32_t node;
    cpb_names children;
  } levels[DEPTH_MOST];
  size_t depth;
  uint64_t work; /* that is left for reading children: every object has one key, unless the model lies */
} path;

static void leave(path *p, size_t depth) {
  while (p->depth > depth) cpb_names_free(&p->levels[--p->depth].children);
}

static bool enter(path *p, const cpb_saved_model *m, cpb_span part, uint32_t node) {
  const cpb_span object = m->objects.items[node].message;
  struct path_level *level = &p->levels[p->depth++];
  *level = (struct path_level){.part = part, .node = node};
  cpb_names_init(&level->children, &m->viewed.allocator);
  if (object.size > p->work) return true;
  p->work -= object.size;
  return name_children(&level->children, object);
}

/* TensorFlow writes a slash within a name as ".S", and a dot as "..". */
static uint32_t child_of(const struct path_level *level, cpb_span part) {
  uint8_t name[NAME_MOST];
  size_t size = 0;
  for (size_t i = 0; i < part.size; i++) {
    const bool escapes = part.data[i] == '.' && i + 1 < part.size;
    if (size == NAME_MOST) return CPB_NO_NAME;
    if (escapes) i++;
    name[size++] = escapes && part.data[i] == 'S' ? '/' : part.data[i];
  }
  return cpb_names_find(&level->children, (cpb_span){name, size});
}

/* Sets the object at the path, or UNLINKED. False if memory is short. */
static bool follow(path *p, const cpb_saved_model *m, cpb_span rest, uint32_t *node) {
  size_t depth = 1;
  *node = UNLINKED;
  for (; rest.size > 0; depth++) {
    const cpb_span part = cpb_span_take(&rest, '/');
    if (depth < p->depth && cpb_span_equal(p->levels[depth].part, part)) continue;
    leave(p, depth);
    const uint32_t child = depth < DEPTH_MOST ? child_of(&p->levels[depth - 1], part) : CPB_NO_NAME;
    if (child >= m->objects.count) return true;
    if (!enter(p, m, part, child)) return false;
  }
  *node = p->levels[depth - 1].node;
  return true;
}

static bool link_keys(const cpb_saved_model *m, variables *v) {
  path p = {.work = m->meta.size};
  bool done = m->objects.count == 0 || enter(&p, m, (cpb_span){NULL, 0}, 0);
  for (size_t i = 0; done && p.depth > 0 && i < cpb_checkpoint_count(v->checkpoint); i++) {
    const cpb_span key = cpb_stored_key(cpb_checkpoint_get(v->checkpoint, i));
    const cpb_span name = cpb_span_without_end(key, "/.ATTRIBUTES/VARIABLE_VALUE");
    uint32_t node;
    if (name.size == key.size) continue;
    done = follow(&p, m, name, &node);
    if (done && node != UNLINKED && m->objects.items[node].kind == OBJECT_VARIABLE) v->links[node] = (uint32_t)i;
  }
  leave(&p, 0);
  return done;
}

/* --- Entries -------------------------------------------------------------------------------- */

const cpb_stored *cpb_saved_stored(const cpb_saved_model *m, uint32_t node) {
  const variables *v = m->variables;
  if (!v || !v->linked || node >= m->objects.count || v->links[node] == UNLINKED) return NULL;
  if (v->graph.size == 0) return cpb_checkpoint_get(v->checkpoint, v->links[node]);
  return find(v, key_of(&v->trackables[v->links[node]]));
}

/* Parts of a variable are stored under the name of the whole. */
const cpb_stored *cpb_saved_stored_v1(const cpb_saved_model *m, cpb_span variable) {
  cpb_span name = cpb_get_bytes(cpb_get_bytes(variable, VARIABLE_DEF_SLICE), SLICE_OF_NAME);
  if (!m->variables) return NULL;
  if (name.size > 0) return find(m->variables, name);
  return find(m->variables, cpb_span_without_end(cpb_get_bytes(variable, VARIABLE_DEF_NAME), ":0"));
}

/* --- What nobody has ------------------------------------------------------------------------ */

/* A checkpoint may have entries that no variable of the model has: tables, counters, other models. The answer lists
 * these too, so each entry that a variable has is marked once, when the links are made. */

static void claim(variables *v, const cpb_stored *stored) {
  if (stored) v->claimed[cpb_checkpoint_place(v->checkpoint, stored)] = 1;
}

static void claim_all(cpb_saved_model *m, variables *v) {
  for (uint32_t i = 0; i < m->objects.count; i++)
    if (m->objects.items[i].kind == OBJECT_VARIABLE) claim(v, cpb_saved_stored(m, i));
  if (m->objects.count > 0) return;
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) claim(v, cpb_saved_stored_v1(m, c.bytes));
}

bool cpb_saved_is_claimed(const cpb_saved_model *m, size_t i) {
  const cpb_stored *stored = cpb_checkpoint_get(m->variables->checkpoint, i);
  bool part = stored->key_size > 0 && stored->key[0] == 0;
  return part || m->variables->claimed[i] || cpb_span_is(cpb_stored_key(stored), CPB_CHECKPOINT_GRAPH);
}

/* --- All of it -------------------------------------------------------------------------------- */

static bool link_graphs(cpb_saved_model *m, variables *v) {
  if (!link_objects(m, v)) return false;
  for (uint32_t i = 0; i < m->objects.count; i++)
    if (v->links[i] != UNLINKED && !link_slots(m, v, i)) return false;
  return true;
}

static bool make_links(cpb_saved_model *m, variables *v) {
  size_t objects = m->objects.count, stored = cpb_checkpoint_count(v->checkpoint);
  v->links = cpb_alloc(&m->viewed.allocator, objects * sizeof *v->links);
  v->claimed = cpb_alloc_zeroed(&m->viewed.allocator, stored);
  if (!v->links || !v->claimed || !read_trackables(m, v)) return false;
  for (size_t i = 0; i < objects; i++) v->links[i] = UNLINKED;
  if (!(v->graph.size == 0 ? link_keys(m, v) : link_graphs(m, v))) return false;
  v->linked = true;
  claim_all(m, v);
  return true;
}

static void note_problems(cpb_saved_model *m, const variables *v) {
  if (v->damaged)
    cpb_problems_add(&m->viewed.problems, CPB_NO_OFFSET, "the checkpoint's object graph cannot be parsed to its end");
  if (v->graph.size > 0 || m->objects.count == 0) return;
  cpb_problems_add(&m->viewed.problems, CPB_NO_OFFSET,
                   find(v, cpb_span_of(CPB_CHECKPOINT_GRAPH))
                       ? "the data file that has the object graph is missing or damaged; keys are taken as paths "
                         "to variables"
                       : "the checkpoint has no object graph, which says which variable has which key");
}

bool cpb_saved_link(cpb_saved_model *m) {
  variables *v = m->variables;
  if (!v) return true;
  if (!v->linked && !cpb_meter_charge(m->viewed.meter, CPB_WORK_WALKED, 4 * ((uint64_t)v->graph.size + m->meta.size),
                                      CPB_NO_OFFSET, m->viewed.error))
    return false;
  if (!v->linked && !make_links(m, v)) {
    cpb_saved_forget_links(m);
    return cpb_viewed_fail_memory(&m->viewed);
  }
  note_problems(m, v);
  return true;
}
