#include "model/tensorflow/state.h"

#include "base/status.h"
#include "model/tensorflow/fields.h"

/* The number of an object is its position in the file: all references use it. An object is kept as its message, and
 * its children are read from there each time, so the table needs little memory even where every object refers to
 * every other. No walk here recurses: the object graph of a hostile file may be a chain of any length, or a circle. */

void cpb_objects_init(cpb_objects *o, const cpb_allocator *a) {
  *o = (cpb_objects){.allocator = *a};
  cpb_names_init(&o->functions, a);
  cpb_names_init(&o->owners, a);
}

void cpb_objects_free(cpb_objects *o) {
  cpb_release(&o->allocator, o->items);
  cpb_release(&o->allocator, o->links);
  cpb_release(&o->allocator, o->concrete);
  cpb_release(&o->allocator, o->assets);
  cpb_names_free(&o->functions);
  cpb_names_free(&o->owners);
  cpb_objects_init(o, &o->allocator);
}

/* --- The table --------------------------------------------------------------- */

static bool is_kind(uint32_t number) {
  return (number >= OBJECT_USER && number <= OBJECT_RESOURCE) || number == OBJECT_CAPTURED;
}

static cpb_object read_object(cpb_span message) {
  cpb_object object = {.message = message};
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    object.children += c.number == OBJECT_CHILDREN && object.children < UINT32_MAX;
    if (!is_kind(c.number)) continue;
    object.kind = c.number;
    object.value = c.bytes;
  }
  return object;
}

static bool add_object(cpb_objects *o, cpb_span message) {
  if (!CPB_RESERVE(&o->allocator, &o->items, &o->capacity, o->count + 1)) return false;
  o->items[o->count++] = read_object(message);
  return true;
}

static bool add_concrete(cpb_objects *o, cpb_span entry) {
  if (!CPB_RESERVE(&o->allocator, &o->concrete, &o->concrete_capacity, o->num_concrete + 1)) return false;
  o->concrete[o->num_concrete] = cpb_get_bytes(entry, MAP_VALUE);
  return cpb_names_add(&o->functions, cpb_get_bytes(entry, MAP_KEY), (uint32_t)o->num_concrete++);
}

static bool add_asset(cpb_objects *o, cpb_span asset) {
  if (!CPB_RESERVE(&o->allocator, &o->assets, &o->assets_capacity, o->num_assets + 1)) return false;
  o->assets[o->num_assets++] = asset;
  return true;
}

static bool read_graph(cpb_objects *o, cpb_span graph) {
  cpb_cursor c = cpb_cursor_of(graph);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || o->count == CPB_NO_OBJECT) continue;
    if (c.number == OBJECTS_NODES && !add_object(o, c.bytes)) return false;
    if (c.number == OBJECTS_FUNCTIONS && !add_concrete(o, c.bytes)) return false;
  }
  return true;
}

/* Which objects are of a function: SavedFunctions have any number of them. */
static bool find_owners(cpb_objects *o) {
  for (uint32_t i = 0; i < o->count; i++) {
    const cpb_object *object = &o->items[i];
    if (object->kind == OBJECT_BARE_FUNCTION &&
        !cpb_names_add(&o->owners, cpb_get_bytes(object->value, BARE_FUNCTION), i))
      return false;
    cpb_cursor c = cpb_cursor_of(object->kind == OBJECT_FUNCTION ? object->value : (cpb_span){NULL, 0});
    while (cpb_cursor_find(&c, FUNCTION_CONCRETE, CPB_WIRE_LEN))
      if (!cpb_names_add(&o->owners, c.bytes, i)) return false;
  }
  cpb_names_sort(&o->owners);
  return true;
}

/* --- Paths ------------------------------------------------------------------- */

/* Many paths may lead to an object. Each object gets one link to its parent: the first that a breadth-first walk
 * finds. A path is put together from the links when an answer needs it, because all paths together may be quadratic
 * in the number of objects. */

static void note_missing(const cpb_objects *o, const cpb_part *part, uint32_t node, cpb_cursor *child, uint64_t id,
                         cpb_problems *problems) {
  char text[192], name[64];
  if (part->damage.code != CPB_OK) return; /* one of those that are missing */
  cpb_span called = cpb_get_bytes(child->bytes, REFERENCE_NAME);
  cpb_format(text, sizeof text,
             "object %u: child \"%s\" has node_id %llu; expected less than %zu, the number of objects", (unsigned)node,
             cpb_quote(name, sizeof name, called.data, called.size), (unsigned long long)id, o->count);
  cpb_problems_add(problems, cpb_part_where(part, child->bytes).offset, text);
}

/* Links the children of `node` that nothing led to before, and adds them to the queue. */
static void link_children(cpb_objects *o, const cpb_part *part, uint32_t node, uint32_t *queue, size_t *last,
                          cpb_problems *problems) {
  cpb_cursor c = cpb_cursor_of(o->items[node].message);
  while (cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t id = cpb_get_number(c.bytes, REFERENCE_NODE);
    if (id >= o->count) {
      note_missing(o, part, node, &c, id, problems);
    } else if (o->links[id].parent == CPB_NO_PARENT) {
      cpb_link_child(o->links, (uint32_t)id, node, cpb_get_bytes(c.bytes, REFERENCE_NAME));
      queue[(*last)++] = (uint32_t)id;
    }
  }
  if (c.damaged)
    cpb_problems_add(problems, cpb_part_where(part, o->items[node].message).offset, "a SavedObject cannot be parsed");
}

/* Breadth first, so that each path is the shortest. */
static bool find_paths(cpb_objects *o, const cpb_part *part, cpb_problems *problems) {
  if (o->count == 0) return true;
  o->links = cpb_alloc(&o->allocator, o->count * sizeof *o->links);
  uint32_t *queue = o->links ? cpb_alloc(&o->allocator, o->count * sizeof *queue) : NULL;
  if (!queue) return false;
  for (size_t i = 0; i < o->count; i++) o->links[i] = (cpb_link){.parent = CPB_NO_PARENT};
  size_t first = 0, last = 0;
  cpb_link_root(o->links, 0, cpb_span_of("root"));
  queue[last++] = 0;
  while (first < last) link_children(o, part, queue[first++], queue, &last, problems);
  cpb_release(&o->allocator, queue);
  return true;
}

static bool build(cpb_objects *o, const cpb_part *part, cpb_span meta, cpb_problems *problems) {
  cpb_cursor c = cpb_cursor_of(meta);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == META_GRAPH_OBJECTS && !read_graph(o, c.bytes)) return false;
    if (c.number == META_GRAPH_ASSET && !add_asset(o, c.bytes)) return false;
  }
  cpb_names_sort(&o->functions);
  return find_owners(o) && find_paths(o, part, problems);
}

bool cpb_objects_build(cpb_objects *o, const cpb_part *part, cpb_span meta, cpb_problems *problems, cpb_meter *meter,
                       cpb_error *error) {
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, meta.size, CPB_NO_OFFSET, error)) return false;
  if (!build(o, part, meta, problems)) return cpb_fail_memory(error), false;
  return cpb_meter_charge(meter, CPB_WORK_ENTRIES, o->count + o->owners.count + o->functions.count + o->num_assets,
                          CPB_NO_OFFSET, error);
}

bool cpb_objects_path(const cpb_objects *o, uint32_t node, cpb_buffer *out) {
  return node >= o->count || cpb_link_path(o->links, node, out);
}

uint32_t cpb_objects_child(const cpb_objects *o, uint32_t node, cpb_span name) {
  if (node >= o->count) return CPB_NO_OBJECT;
  cpb_cursor c = cpb_cursor_of(o->items[node].message);
  while (cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t id = cpb_get_number(c.bytes, REFERENCE_NODE);
    if (id < o->count && cpb_span_equal(cpb_get_bytes(c.bytes, REFERENCE_NAME), name)) return (uint32_t)id;
  }
  return CPB_NO_OBJECT;
}

/* `path` begins with a dot. Finds the child with the longest name at its front (names may contain dots, or be empty),
 * and removes the name with its dot. */
static uint32_t step_down(const cpb_objects *o, uint32_t node, cpb_span *path) {
  uint32_t best = CPB_NO_OBJECT;
  size_t used = 0;
  const cpb_span rest = cpb_span_from(*path, 1);
  cpb_cursor c = cpb_cursor_of(o->items[node].message);
  while (cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t id = cpb_get_number(c.bytes, REFERENCE_NODE);
    cpb_span name = cpb_get_bytes(c.bytes, REFERENCE_NAME);
    bool fits = cpb_span_begins(rest, name) && (rest.size == name.size || rest.data[name.size] == '.');
    if (id >= o->count || !fits || (best != CPB_NO_OBJECT && name.size <= used)) continue;
    best = (uint32_t)id;
    used = name.size;
  }
  if (best != CPB_NO_OBJECT) *path = cpb_span_from(rest, used);
  return best;
}

static uint32_t find_id(const cpb_objects *o, cpb_span digits) {
  uint64_t id = 0;
  for (size_t i = 0; i < digits.size; i++) {
    if (digits.data[i] < '0' || digits.data[i] > '9' || id >= o->count) return CPB_NO_OBJECT;
    id = 10 * id + (digits.data[i] - '0');
  }
  return digits.size > 0 && id < o->count ? (uint32_t)id : CPB_NO_OBJECT;
}

uint32_t cpb_objects_find(const cpb_objects *o, cpb_span path) {
  if (path.size > 0 && path.data[0] == '#') return find_id(o, cpb_span_from(path, 1));
  if (o->count == 0 || path.size == 0) return o->count > 0 ? 0 : CPB_NO_OBJECT;
  cpb_span root = cpb_span_of("root");
  if (!cpb_span_begins(path, root) || (path.size > root.size && path.data[root.size] != '.')) return CPB_NO_OBJECT;
  uint32_t node = 0;
  for (path = cpb_span_from(path, root.size); path.size > 0 && node != CPB_NO_OBJECT;) node = step_down(o, node, &path);
  return node;
}

/* --- Objects ------------------------------------------------------------------- */

const char *cpb_object_kind_name(uint32_t kind) {
  static const char *const names[] = {[OBJECT_USER] = "user_object",
                                      [OBJECT_ASSET] = "asset",
                                      [OBJECT_FUNCTION] = "function",
                                      [OBJECT_VARIABLE] = "variable",
                                      [OBJECT_BARE_FUNCTION] = "bare_concrete_function",
                                      [OBJECT_CONSTANT] = "constant",
                                      [OBJECT_RESOURCE] = "resource",
                                      [OBJECT_CAPTURED] = "captured_tensor"};
  const char *name = kind < sizeof names / sizeof *names ? names[kind] : NULL;
  return name ? name : "none";
}

cpb_span cpb_objects_concrete(const cpb_objects *o, cpb_span function) {
  uint32_t i = cpb_names_find(&o->functions, function);
  return i != CPB_NO_NAME ? o->concrete[i] : (cpb_span){NULL, 0};
}
