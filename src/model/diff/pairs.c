#include <stdlib.h>
#include <string.h>

#include "model/diff/diff.h"

/* --- places ----------------------------------------------------------------------------------- */

void cpb_diff_places_init(cpb_diff_places *p, const cpb_allocator *a) {
  *p = (cpb_diff_places){.allocator = *a};
  cpb_buffer_init(&p->path, a);
  for (int side = 0; side < 2; side++) cpb_buffer_init(&p->seen[side], a);
}

void cpb_diff_places_free(cpb_diff_places *p) {
  cpb_allocator a = p->allocator;
  for (size_t i = 0; i < p->count; i++) cpb_release(&a, (void *)p->links[i].name.data);
  cpb_release(&a, p->list);
  cpb_release(&a, p->links);
  cpb_buffer_free(&p->path);
  for (int side = 0; side < 2; side++) cpb_buffer_free(&p->seen[side]);
  cpb_diff_places_init(p, &a);
}

/* --- Adding ------------------------------------------------------------------------------ */

/* A node has one bit for each side. Node numbers are below the number of objects of the model, because only children
 * that exist become places, so a bit for each costs less than any table. */

static bool is_seen(const cpb_buffer *seen, uint64_t node) {
  return node / 8 < seen->size && (seen->data[node / 8] >> node % 8 & 1) != 0;
}

static bool set_seen(cpb_buffer *seen, uint64_t node) {
  size_t before = seen->size;
  if (node / 8 >= SIZE_MAX) return false;
  size_t size = (size_t)(node / 8) + 1;
  if (size > before) {
    if (!cpb_buffer_reserve(seen, size)) return false;
    memset(seen->data + before, 0, size - before);
    seen->size = size;
  }
  seen->data[node / 8] |= (uint8_t)(1u << node % 8);
  return true;
}

static void link_to(cpb_diff_places *p, size_t i, size_t parent, cpb_span name) {
  if (parent == CPB_DIFF_NO_PLACE) cpb_link_root(p->links, (uint32_t)i, name);
  else cpb_link_child(p->links, (uint32_t)i, (uint32_t)parent, name);
}

/* Room for one more place, and for a link beyond it. */
static bool reserve(cpb_diff_places *p) {
  return p->count + 2 < CPB_NO_PARENT && CPB_RESERVE(&p->allocator, &p->list, &p->capacity, p->count + 1) &&
         CPB_RESERVE(&p->allocator, &p->links, &p->links_capacity, p->count + 2);
}

bool cpb_diff_places_add(cpb_diff_places *p, const uint64_t nodes[2], size_t parent, cpb_span name) {
  if (is_seen(&p->seen[0], nodes[0]) || is_seen(&p->seen[1], nodes[1])) return true;
  if (!set_seen(&p->seen[0], nodes[0]) || !set_seen(&p->seen[1], nodes[1]) || !reserve(p)) return false;
  uint8_t *copy = cpb_alloc(&p->allocator, name.size);
  if (!copy) return false;
  if (name.size > 0) memcpy(copy, name.data, name.size);
  link_to(p, p->count, parent, (cpb_span){copy, name.size});
  p->list[p->count++] = (cpb_diff_place){{nodes[0], nodes[1]}};
  return true;
}

/* --- Paths ------------------------------------------------------------------------------- */

cpb_span cpb_diff_places_path(cpb_diff_places *p, size_t parent, cpb_span name) {
  if (parent == CPB_DIFF_NO_PLACE) return name;
  p->path.size = 0;
  link_to(p, p->count, parent, name);
  bool done = cpb_buffer_reserve(&p->path, 1) && cpb_link_path(p->links, (uint32_t)p->count, &p->path);
  return done ? (cpb_span){p->path.data, p->path.size} : (cpb_span){NULL, 0};
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Equal names are paired first. TensorFlow numbers its functions in each run, so the rest is paired by stems, within a
 * stem in the order of the numbers. Names of pairs point into `bytes`: no name may be added once pairs were made. */

typedef struct cpb_diff_name {
  size_t at, size; /* in the bytes */
  cpb_span name;   /* once all were added */
  size_t stem;     /* its bytes before its number; all of it without a number */
  cpb_diff_pair *pair;
} name;

void cpb_diff_pairs_init(cpb_diff_pairs *p, const cpb_allocator *a) {
  *p = (cpb_diff_pairs){.allocator = *a};
  cpb_buffer_init(&p->bytes, a);
}

void cpb_diff_pairs_free(cpb_diff_pairs *p) {
  cpb_buffer_free(&p->bytes);
  for (int side = 0; side < 2; side++) {
    cpb_release(&p->allocator, p->names[side]);
    cpb_release(&p->allocator, p->by_name[side]);
  }
  for (size_t i = 0; i < p->count; i++) {
    if (p->list[i].arguments) cpb_diff_pairs_free(p->list[i].arguments);
    cpb_release(&p->allocator, p->list[i].arguments);
  }
  cpb_release(&p->allocator, p->list);
  cpb_diff_pairs_init(p, &p->allocator);
}

bool cpb_diff_pairs_add(cpb_diff_pairs *p, int side, cpb_span text) {
  if (!CPB_RESERVE(&p->allocator, &p->names[side], &p->capacities[side], p->counts[side] + 1)) return false;
  p->names[side][p->counts[side]++] = (name){.at = p->bytes.size, .size = text.size};
  return cpb_buffer_append(&p->bytes, text.data, text.size);
}

/* --- Stems ------------------------------------------------------------------------------ */

static size_t digits_at_end(cpb_span text) { return text.size - cpb_span_size_without_digits(text); }

/* "__inference_f_17" has 13 bytes before its number, with the line. */
static size_t stem_of(cpb_span text) {
  static const char *const starts[] = {"__inference_", "__forward_", "__backward_"};
  size_t digits = digits_at_end(text);
  bool numbered = digits > 0 && digits < text.size && text.data[text.size - 1 - digits] == '_';
  for (size_t i = 0; numbered && i < sizeof starts / sizeof *starts; i++)
    if (cpb_span_begins(text, cpb_span_of(starts[i]))) return text.size - digits;
  return text.size;
}

static cpb_span stem(const name *n) { return (cpb_span){n->name.data, n->stem}; }

static int compare_texts(const name *a, const name *b) { return cpb_span_compare(a->name, b->name); }

/* Those of the same name in the order in which they were added. */
static int by_text(const void *a, const void *b) {
  const name *x = a, *y = b;
  int order = compare_texts(x, y);
  return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* Numbers as numbers: a shorter one comes first. */
static int by_stem(const void *a, const void *b) {
  const name *x = a, *y = b;
  int order = cpb_span_compare(stem(x), stem(y));
  if (order != 0) return order;
  return x->size != y->size ? (x->size > y->size) - (x->size < y->size) : by_text(a, b);
}

/* --- Pairing ---------------------------------------------------------------------------- */

/* First by text, then by stem: a function that has kept its name must not be taken by another one with the same
 * stem. Names without a partner become pairs with one name. */

static void pair(cpb_diff_pairs *p, name *a, name *b) {
  cpb_diff_pair *made = &p->list[p->count++];
  *made = (cpb_diff_pair){.names = {{NULL, 0}, {NULL, 0}}};
  if (a) a->pair = made, made->names[0] = a->name;
  if (b) b->pair = made, made->names[1] = b->name;
}

typedef int compare_names(const name *a, const name *b);

static int compare_stems(const name *a, const name *b) { return cpb_span_compare(stem(a), stem(b)); }

static name *next_free(const cpb_diff_pairs *p, int side, size_t *at) {
  while (*at < p->counts[side] && p->names[side][*at].pair) ++*at;
  return *at < p->counts[side] ? &p->names[side][*at] : NULL;
}

/* Pairs equal ones in two sorted lists. */
static void pair_equal(cpb_diff_pairs *p, compare_names *compare) {
  size_t i = 0, j = 0;
  name *a, *b;
  while ((a = next_free(p, 0, &i)) && (b = next_free(p, 1, &j))) {
    int order = compare(a, b);
    if (order == 0) pair(p, a, b);
    else if (order < 0) i++;
    else j++;
  }
}

static void sort_names(cpb_diff_pairs *p, int (*order)(const void *, const void *)) {
  for (int side = 0; side < 2; side++)
    if (p->counts[side] > 1) qsort(p->names[side], p->counts[side], sizeof **p->names, order);
}

static int by_stems(const void *a, const void *b) {
  const cpb_diff_pair *x = a, *y = b;
  cpb_span p = x->names[!x->names[0].data], q = y->names[!y->names[0].data];
  int order = cpb_span_compare((cpb_span){p.data, stem_of(p)}, (cpb_span){q.data, stem_of(q)});
  return order != 0 ? order : cpb_span_compare(p, q);
}

static int by_first(const void *a, const void *b) {
  return cpb_span_compare((*(cpb_diff_pair *const *)a)->names[0], (*(cpb_diff_pair *const *)b)->names[0]);
}

static int by_second(const void *a, const void *b) {
  return cpb_span_compare((*(cpb_diff_pair *const *)a)->names[1], (*(cpb_diff_pair *const *)b)->names[1]);
}

/* For finding a pair by a name of it. */
static bool index_names(cpb_diff_pairs *p, int side) {
  size_t count = 0;
  if (p->counts[side] == 0) return true;
  p->by_name[side] = cpb_alloc(&p->allocator, p->counts[side] * sizeof **p->by_name);
  if (!p->by_name[side]) return false;
  for (size_t i = 0; i < p->count; i++)
    if (p->list[i].names[side].data) p->by_name[side][count++] = &p->list[i];
  qsort(p->by_name[side], count, sizeof **p->by_name, side == 0 ? by_first : by_second);
  return true;
}

static void settle_names(cpb_diff_pairs *p) {
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < p->counts[side]; i++) {
      name *n = &p->names[side][i];
      n->name = (cpb_span){p->bytes.data + n->at, n->size};
      n->stem = stem_of(n->name);
    }
  }
}

/* Makes room for the pairs; false if memory is short. */
static bool begin_pairing(cpb_diff_pairs *p) {
  if (!cpb_buffer_reserve(&p->bytes, 1)) return false; /* a name's data is not NULL */
  settle_names(p);
  p->list = cpb_alloc(&p->allocator, (p->counts[0] + p->counts[1]) * sizeof *p->list);
  return p->list != NULL;
}

bool cpb_diff_pairs_make_in_order(cpb_diff_pairs *p) {
  if (p->counts[0] == 0) return true;
  if (!begin_pairing(p)) return false;
  for (size_t i = 0; i < p->counts[0]; i++) pair(p, &p->names[0][i], &p->names[1][i]);
  return index_names(p, 0) && index_names(p, 1);
}

bool cpb_diff_pairs_make(cpb_diff_pairs *p) {
  if (p->counts[0] + p->counts[1] == 0) return true;
  if (!begin_pairing(p)) return false;
  sort_names(p, by_text);
  pair_equal(p, compare_texts);
  sort_names(p, by_stem);
  pair_equal(p, compare_stems);
  for (int side = 0; side < 2; side++) {
    size_t at = 0;
    for (name *n; (n = next_free(p, side, &at));) pair(p, side == 0 ? n : NULL, side == 0 ? NULL : n);
  }
  qsort(p->list, p->count, sizeof *p->list, by_stems);
  return index_names(p, 0) && index_names(p, 1);
}

const cpb_diff_pair *cpb_diff_pairs_find(const cpb_diff_pairs *p, int side, cpb_span wanted) {
  size_t low = 0, high = p->by_name[side] ? p->counts[side] : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = cpb_span_compare(p->by_name[side][middle]->names[side], wanted);
    if (order == 0) return p->by_name[side][middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

/* --- Texts -------------------------------------------------------------------------------- */

static bool is_gradient(cpb_span text) {
  static const char *const starts[] = {"CustomGradient-", "PartitionedCall-", "PartitionedCallUnused-"};
  size_t rest = text.size - digits_at_end(text);
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (rest == strlen(starts[i]) && rest < text.size && cpb_span_begins(text, cpb_span_of(starts[i]))) return true;
  return false;
}

cpb_span cpb_diff_common_text(const cpb_diff_pairs *p, int side, cpb_span text) {
  const cpb_diff_pair *pair = side == 1 ? cpb_diff_pairs_find(p, side, text) : NULL;
  if (is_gradient(text)) return (cpb_span){text.data, text.size - digits_at_end(text)};
  return pair && pair->names[0].data ? pair->names[0] : text;
}

bool cpb_diff_same_text(const cpb_diff_pairs *p, cpb_span a, cpb_span b) {
  if (cpb_span_equal(a, b)) return true;
  const cpb_diff_pair *found = cpb_diff_pairs_find(p, 0, a);
  if (found && found->names[1].data && cpb_span_equal(found->names[1], b)) return true;
  cpb_span x = {a.data, a.size - digits_at_end(a)}, y = {b.data, b.size - digits_at_end(b)};
  return cpb_span_equal(x, y) && is_gradient(a) && is_gradient(b);
}
