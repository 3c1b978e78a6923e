/* The layer tree. Objects say by their paths what they are in; the config of a
 * Functional or Sequential model names its layers in their order, also those that
 * stand elsewhere, since an object has one path only. */
#include "model/keras/tree.h"

#include "base/status.h"
#include "model/common/names.h"

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

static uint32_t add(growth *g, uint32_t parent, uint32_t object, yyjson_val *entry) {
  cpb_keras *k = g->k;
  void *drafts = g->drafts;
  g->ok = g->ok && cpb_reserve(&k->allocator, &drafts, &g->capacity, g->count + 1, sizeof *g->drafts);
  if (!g->ok) return CPB_KERAS_NONE;
  g->drafts = drafts;
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

/* The object that a model's config means: one of the model's own, or one of that name
 * and class that stands elsewhere. */
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
  for (const uint32_t *c = child; c < end; c++) {
    if (!cpb_keras_is_metric(&k->objects[*c])) g->ok = g->ok && cpb_names_add(&g->siblings, name_of(k, *c), *c);
  }
  cpb_names_sort(&g->siblings);
  if (g->ok && parent != CPB_KERAS_NONE) add_configured(g, parent);
  for (; g->ok && child < end; child++) {
    if (k->homes[*child] == CPB_KERAS_NONE && !cpb_keras_is_metric(&k->objects[*child])) add(g, parent, *child, NULL);
  }
}

static void grow(growth *g) {
  cpb_keras *k = g->k;
  for (uint32_t i = 0; g->ok && i < k->count; i++) {
    if (!cpb_keras_is_metric(&k->objects[i])) g->ok = cpb_names_add(&g->by_name, name_of(k, i), i);
  }
  cpb_names_sort(&g->by_name);
  add_children(g, CPB_KERAS_NONE, k->count);
  for (uint32_t i = 0; g->ok && i < g->count; i++) {
    const cpb_keras_layer *layer = &g->drafts[i].layer;
    if (layer->depth == CPB_KERAS_DEPTH) {
      cpb_problems_add(k->problems, CPB_NO_OFFSET, "layers are nested too deeply; the innermost are left out");
    } else if (!layer->shared) {
      add_children(g, i, layer->object == CPB_KERAS_NONE ? k->count + 1 : layer->object);
    }
  }
}

/* --- Order --------------------------------------------------------------------- */

static uint32_t place_of(const growth *g, uint32_t i) { return i == CPB_KERAS_NONE ? i : g->drafts[i].place; }

/* The layers in their order: each before what is in it. */
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

bool cpb_keras_grow_tree(cpb_keras *k) {
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
