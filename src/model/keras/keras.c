#include "model/keras/keras.h"

#include <stdlib.h>

#include "base/status.h"
#include "model/common/names.h"
#include "model/keras/tree.h"

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
  for (size_t i = 1; i < k->count; i++) {
    if (all[i].node == all[i - 1].node) complain(k, all[i].object, "%s: another object has the same node_id", NULL);
  }
  cpb_release(&k->allocator, all);
  return true;
}

/* --- Memory for JSON -------------------------------------------------------------- */

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
      read_metadata(k, max_memory, error) && cpb_keras_grow_tree(k) &&
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
  cpb_release(&a, k);
}
