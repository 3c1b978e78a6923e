#include "model/keras/keras.h"

#include <stdlib.h>

#include "base/status.h"
#include "model/common/lists.h"

/* --- The layer tree, of objects and the configs of the models that hold them ------------------- */

/* A layer while the tree grows: found breadth first, with the next of its siblings. */
typedef struct draft {
  cpb_keras_layer layer;
  uint32_t first, last, next; /* drafts */
  uint32_t place;             /* in the tree */
} draft;

typedef struct growth {
  cpb_keras *k;
  draft *drafts;
  size_t count, capacity;
  uint32_t *children, *begins; /* objects by parent: those of p are children[begins[p]..begins[p + 1]] */
  cpb_names by_name;           /* objects that are layers */
  cpb_names siblings;          /* of the layer that is grown */
  bool ok;                     /* false: memory is short */
} growth;

/* --- Objects ------------------------------------------------------------------ */

static yyjson_val *said_of(const cpb_keras *k, uint32_t object) {
  yyjson_val *root = k->docs[object] ? yyjson_doc_get_root(k->docs[object]) : NULL;
  return yyjson_is_obj(root) ? root : NULL;
}

static cpb_span name_of(const cpb_keras *k, uint32_t object) {
  cpb_span name = {0};
  cpb_json_text(cpb_keras_member(&k->members, said_of(k, object), "name"), &name);
  return name;
}

/* By counting: a list of each object's children, in the objects' order. Layers at the
 * top are the children of `count`. */
static bool sort_children(growth *g) {
  cpb_keras *k = g->k;
  size_t n = k->count;
  g->children = cpb_alloc_zeroed(&k->allocator, (n + 1) * sizeof *g->children);
  g->begins = cpb_alloc_zeroed(&k->allocator, (n + 3) * sizeof *g->begins);
  if (!g->children || !g->begins) return false;
  uint32_t *next = g->begins + 1; /* where the next child of each goes; in the end where they all end */
#define PARENT(i) (k->parents[i] == CPB_KERAS_NONE ? n : k->parents[i])
  for (size_t i = 0; i < n; i++) next[PARENT(i) + 1]++;
  for (size_t p = 0; p <= n; p++) next[p + 1] += next[p];
  for (size_t i = 0; i < n; i++) g->children[next[PARENT(i)]++] = (uint32_t)i;
#undef PARENT
  return true;
}

/* --- Growing ------------------------------------------------------------------- */

/* A layer may have two sources: its object, with a path and metadata, and an entry in the config of the model around
 * it. The entries come first, since they have the order of the model; objects that no entry names follow.
 *
 * An object is expanded only at its first place (`homes`). Later places are `shared` and have no nested layers. The
 * number of objects and entries therefore bounds the tree. */

static uint32_t add(growth *g, uint32_t parent, uint32_t object, yyjson_val *entry) {
  cpb_keras *k = g->k;
  g->ok = g->ok && CPB_RESERVE(&k->allocator, &g->drafts, &g->capacity, g->count + 1);
  if (!g->ok) return CPB_KERAS_NONE;
  uint32_t self = (uint32_t)g->count++;
  draft *d = &g->drafts[self], *p = parent == CPB_KERAS_NONE ? NULL : &g->drafts[parent];
  *d = (draft){.first = CPB_KERAS_NONE, .last = CPB_KERAS_NONE, .next = CPB_KERAS_NONE};
  d->layer = (cpb_keras_layer){.object = object,
                               .depth = p ? p->layer.depth + 1 : 0,
                               .parent = parent,
                               .before = CPB_KERAS_NONE,
                               .said = object == CPB_KERAS_NONE ? NULL : said_of(k, object),
                               .entry = entry,
                               .members = &k->members};
  if (object != CPB_KERAS_NONE) {
    d->layer.shared = k->homes[object] != CPB_KERAS_NONE;
    if (!d->layer.shared) k->homes[object] = self;
  }
  if (!p) return self;
  if (p->last == CPB_KERAS_NONE) p->first = self;
  else g->drafts[p->last].next = self;
  p->last = self;
  return self;
}

/* The object for an entry of a model's config: one of the model's own, or one of that name and class elsewhere. */
static uint32_t find_object(growth *g, yyjson_val *entry) {
  cpb_span name, class, other = {0};
  const cpb_keras_members *m = &g->k->members;
  if (!cpb_json_text(cpb_keras_member(m, entry, "name"), &name) &&
      !cpb_json_text(cpb_keras_member(m, cpb_keras_member(m, entry, "config"), "name"), &name))
    return CPB_KERAS_NONE;
  uint32_t object = cpb_names_find(&g->siblings, name);
  if (object != CPB_NO_NAME) return object;
  object = cpb_names_find(&g->by_name, name);
  if (object == CPB_NO_NAME || !cpb_json_text(cpb_keras_member(m, entry, "class_name"), &class)) return CPB_KERAS_NONE;
  cpb_json_text(cpb_keras_member(m, said_of(g->k, object), "class_name"), &other);
  return cpb_span_equal(class, other) ? object : CPB_KERAS_NONE;
}

static void add_configured(growth *g, uint32_t parent) {
  const cpb_keras_layer *layer = &g->drafts[parent].layer;
  yyjson_val *list = cpb_keras_config(layer, "layers"), *entry;
  bool in_order =
      cpb_span_is(cpb_keras_class(layer), "Sequential") ||
      (layer->object != CPB_KERAS_NONE && cpb_span_is(g->k->objects[layer->object].identifier, "_tf_keras_sequential"));
  uint32_t before = CPB_KERAS_NONE;
  yyjson_arr_iter all;
  if (!yyjson_arr_iter_init(list, &all)) return;
  while (g->ok && (entry = yyjson_arr_iter_next(&all)) != NULL) {
    if (!yyjson_is_obj(entry)) continue;
    uint32_t self = add(g, parent, find_object(g, entry), entry);
    if (in_order && g->ok) g->drafts[self].layer.before = before;
    before = self;
  }
}

static void add_children(growth *g, uint32_t parent, size_t owner) {
  cpb_keras *k = g->k;
  const uint32_t *child = g->children + g->begins[owner], *end = g->children + g->begins[owner + 1];
  g->siblings.count = 0;
  for (const uint32_t *c = child; c < end; c++)
    if (!cpb_keras_is_metric(&k->objects[*c])) g->ok = g->ok && cpb_names_add(&g->siblings, name_of(k, *c), *c);
  cpb_names_sort(&g->siblings);
  if (g->ok && parent != CPB_KERAS_NONE) add_configured(g, parent);
  for (; g->ok && child < end; child++)
    if (k->homes[*child] == CPB_KERAS_NONE && !cpb_keras_is_metric(&k->objects[*child])) add(g, parent, *child, NULL);
}

static void grow(growth *g) {
  cpb_keras *k = g->k;
  for (uint32_t i = 0; g->ok && i < k->count; i++)
    if (!cpb_keras_is_metric(&k->objects[i])) g->ok = cpb_names_add(&g->by_name, name_of(k, i), i);
  cpb_names_sort(&g->by_name);
  add_children(g, CPB_KERAS_NONE, k->count);
  for (uint32_t i = 0; g->ok && i < g->count; i++) {
    const cpb_keras_layer *layer = &g->drafts[i].layer;
    if (layer->depth == CPB_KERAS_DEPTH)
      cpb_problems_add(k->problems, CPB_NO_OFFSET, "layers are nested too deeply; the innermost are left out");
    else if (!layer->shared) add_children(g, i, layer->object == CPB_KERAS_NONE ? k->count + 1 : layer->object);
  }
}

/* --- Order --------------------------------------------------------------------- */

/* The tree grew breadth first, so each draft comes after its parent. Answers want each layer directly before its
 * nested ones: then these are the range up to `end`. */

static uint32_t place_of(const growth *g, uint32_t i) { return i == CPB_KERAS_NONE ? i : g->drafts[i].place; }

/* The layers in order: each before its nested layers. */
static bool put_in_order(growth *g) {
  cpb_keras *k = g->k;
  k->layers = cpb_alloc(&k->allocator, (g->count + 1) * sizeof *k->layers);
  if (!k->layers) return false;
  for (uint32_t root = 0; root < g->count && g->drafts[root].layer.depth == 0; root++) {
    for (uint32_t i = root; i != CPB_KERAS_NONE;) {
      draft *d = &g->drafts[i];
      d->place = k->num_layers++;
      k->layers[d->place] = d->layer;
      if (d->first != CPB_KERAS_NONE) {
        i = d->first;
        continue;
      }
      for (;; i = g->drafts[i].layer.parent) { /* up to one that has a sibling */
        k->layers[g->drafts[i].place].end = k->num_layers;
        if (g->drafts[i].next != CPB_KERAS_NONE || g->drafts[i].layer.depth == 0) break;
      }
      i = g->drafts[i].next;
    }
  }
  for (uint32_t i = 0; i < k->num_layers; i++) {
    cpb_keras_layer *layer = &k->layers[i];
    layer->parent = place_of(g, layer->parent);
    layer->before = place_of(g, layer->before);
  }
  for (size_t i = 0; i < k->count; i++) k->homes[i] = place_of(g, k->homes[i]);
  return true;
}

/* Makes keras->layers. False if memory is short. */
static bool keras_grow_tree(cpb_keras *k) {
  growth g = {.k = k, .ok = true};
  cpb_names_init(&g.by_name, &k->allocator);
  cpb_names_init(&g.siblings, &k->allocator);
  g.ok = sort_children(&g);
  if (g.ok) grow(&g);
  if (g.ok) g.ok = put_in_order(&g);
  cpb_release(&k->allocator, g.drafts);
  cpb_release(&k->allocator, g.children);
  cpb_release(&k->allocator, g.begins);
  cpb_names_free(&g.by_name);
  cpb_names_free(&g.siblings);
  return g.ok;
}

/* --- Problems ------------------------------------------------------------------- */

/* Adds a problem. `text` has a %s for the object's path, and perhaps a second one for `more`. */
static void complain(cpb_keras *k, size_t object, const char *text, const char *more) {
  char path[81], line[192];
  const cpb_keras_object *o = &k->objects[object];
  cpb_quote(path, sizeof path, o->path.data, o->path.size);
  cpb_format(line, sizeof line, text, path, more);
  cpb_problems_add(k->problems, o->offset, line);
}

typedef struct numbered {
  int64_t node;
  size_t object;
} numbered;

static int by_number(const void *a, const void *b) {
  const numbered *x = a, *y = b;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  return (x->object > y->object) - (x->object < y->object);
}

static bool check_numbers(cpb_keras *k) {
  numbered *all = cpb_alloc(&k->allocator, k->count * sizeof *all);
  if (!all) return false;
  bool ordered = true;
  for (size_t i = 0; i < k->count; i++) {
    all[i] = (numbered){k->objects[i].node, i};
    if (k->objects[i].node < 0) complain(k, i, "%s: node_id is negative", NULL);
    else if (k->graph && k->objects[i].node >= k->graph->nodes)
      complain(k, i, "%s: node_id is not that of an object in the object graph", NULL);
    if (ordered && i > 0 && k->objects[i].node < k->objects[i - 1].node) {
      complain(k, i, "%s: node_id is less than that of the object before it", NULL);
      ordered = false;
    }
  }
  if (k->count > 1) qsort(all, k->count, sizeof *all, by_number);
  for (size_t i = 1; i < k->count; i++)
    if (all[i].node == all[i - 1].node) complain(k, all[i].object, "%s: another object has the same node_id", NULL);
  cpb_release(&k->allocator, all);
  return true;
}

/* --- Memory for JSON -------------------------------------------------------------- */

/* All documents share one budget. Memory that yyjson releases is not given back to it, so the limit is on the safe
 * side. */
static bool take(cpb_keras *k, size_t size) {
  k->json_too_large = k->json_too_large || size > k->json_left;
  if (!k->json_too_large) k->json_left -= size;
  return !k->json_too_large;
}

static void *json_allocate(void *user, size_t size) {
  cpb_keras *k = user;
  return take(k, size) ? cpb_alloc(&k->allocator, size) : NULL;
}

static void *json_resize(void *user, void *block, size_t old_size, size_t size) {
  cpb_keras *k = user;
  bool may = size <= old_size || take(k, size - old_size);
  return may ? cpb_realloc(&k->allocator, block, old_size, size) : NULL;
}

static void json_release(void *user, void *block) { cpb_release(&((cpb_keras *)user)->allocator, block); }

/* --- Paths and metadata ------------------------------------------------------------ */

/* The object whose path is the longest prefix of this one. It need not be the direct parent:
 * names of attributes may contain dots, and objects that are not Keras's are not listed. */
static uint32_t find_parent(const cpb_names *paths, cpb_span path) {
  for (int dots = 0; dots < CPB_KERAS_DEPTH; dots++) {
    while (path.size > 0 && path.data[path.size - 1] != '.') path.size--;
    if (path.size == 0) break;
    path.size--;
    uint32_t object = cpb_names_find(paths, path);
    if (object != CPB_NO_NAME) return object;
  }
  return CPB_KERAS_NONE;
}

static bool find_parents(cpb_keras *k) {
  cpb_names paths;
  bool ok = true;
  cpb_names_init(&paths, &k->allocator);
  for (uint32_t i = 0; ok && i < k->count; i++) ok = cpb_names_add(&paths, k->objects[i].path, i);
  cpb_names_sort(&paths);
  for (uint32_t i = 0; ok && i < k->count; i++) {
    k->parents[i] = find_parent(&paths, k->objects[i].path);
    if (!k->objects[i].path_is_cut && cpb_names_find(&paths, k->objects[i].path) != i)
      complain(k, i, "%s: another object has the same node_path", NULL);
  }
  cpb_names_free(&paths);
  return ok;
}

static bool charge(const cpb_keras *k, cpb_meter *meter, cpb_error *error) {
  uint64_t walked = 0;
  for (size_t i = 0; i < k->count; i++) walked += 4 * ((uint64_t)k->objects[i].metadata.size + k->objects[i].path.size);
  return cpb_meter_charge(meter, CPB_WORK_WALKED, walked, CPB_NO_OFFSET, error) &&
         cpb_meter_charge(meter, CPB_WORK_ENTRIES, k->count, CPB_NO_OFFSET, error);
}

static bool read_metadata(cpb_keras *k, uint64_t max_memory, cpb_error *whole) {
  k->json = (cpb_allocator){k, json_allocate, json_resize, json_release};
  k->json_left = max_memory;
  for (size_t i = 0; i < k->count; i++) {
    cpb_error error = {.code = CPB_OK};
    if (k->objects[i].metadata.size == 0) continue;
    k->docs[i] = cpb_json_read(&k->json, k->objects[i].metadata, CPB_KERAS_DEPTH, &error);
    if (k->json_too_large)
      cpb_fail(whole, CPB_E_LIMIT, k->objects[i].offset,
               "the JSON metadata of the objects takes more than max_memory, %llu bytes",
               (unsigned long long)max_memory);
    if (error.code == CPB_E_MEMORY || (k->docs[i] && !cpb_keras_members_add(&k->members, k->docs[i]))) return false;
    if (!k->docs[i]) complain(k, i, "%s: metadata: %s", error.message);
    else if (!yyjson_is_obj(yyjson_doc_get_root(k->docs[i]))) complain(k, i, "%s: metadata is not a JSON object", NULL);
  }
  cpb_keras_members_sort(&k->members);
  return true;
}

/* --- Creation ------------------------------------------------------------------------- */

static bool make_room(cpb_keras *k, const cpb_keras_object *objects) {
  size_t n = k->count;
  k->objects = cpb_alloc(&k->allocator, n * sizeof *objects);
  k->docs = cpb_alloc_zeroed(&k->allocator, n * sizeof *k->docs);
  k->parents = cpb_alloc(&k->allocator, n * sizeof *k->parents);
  k->homes = cpb_alloc(&k->allocator, n * sizeof *k->homes);
  k->stamps = cpb_alloc_zeroed(&k->allocator, n * sizeof *k->stamps);
  if (!k->objects || !k->docs || !k->parents || !k->homes || !k->stamps) return false;
  if (n > 0) memcpy(k->objects, objects, n * sizeof *objects);
  for (size_t i = 0; i < n; i++) k->homes[i] = CPB_KERAS_NONE;
  return true;
}

cpb_keras *cpb_keras_new(const cpb_allocator *a, const cpb_keras_object *objects, size_t count,
                         const cpb_keras_graph *graph, uint64_t max_memory, cpb_problems *problems, cpb_meter *meter,
                         cpb_error *error) {
  cpb_keras *k = cpb_alloc_zeroed(a, sizeof *k);
  if (k) *k = (cpb_keras){.allocator = *a, .graph = graph, .problems = problems};
  if (k) cpb_keras_members_init(&k->members, a);
  if (k && count < CPB_KERAS_NONE) k->count = count;
  if (k && make_room(k, objects) && charge(k, meter, error) && check_numbers(k) && find_parents(k) &&
      read_metadata(k, max_memory, error) && keras_grow_tree(k) &&
      cpb_meter_charge(meter, CPB_WORK_ENTRIES, k->num_layers, CPB_NO_OFFSET, error))
    return k;
  cpb_keras_free(k);
  if (error->code == CPB_OK) cpb_fail_memory(error);
  return NULL;
}

void cpb_keras_free(cpb_keras *k) {
  if (!k) return;
  cpb_allocator a = k->allocator;
  for (size_t i = 0; k->docs && i < k->count; i++) yyjson_doc_free(k->docs[i]);
  cpb_keras_members_free(&k->members);
  cpb_release(&a, k->objects);
  cpb_release(&a, k->docs);
  cpb_release(&a, k->parents);
  cpb_release(&a, k->homes);
  cpb_release(&a, k->stamps);
  cpb_release(&a, k->layers);
  cpb_release(&a, k->owners);
  cpb_release(&a, k->listed);
  cpb_release(&a, k->metrics);
  cpb_release(&a, k);
}
