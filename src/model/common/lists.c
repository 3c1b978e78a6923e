#include "model/common/lists.h"

#include <stdlib.h>
#include <string.h>

#include "model/common/cursor.h"

/* --- calls ------------------------------------------------------------------------------------ */

void cpb_calls_init(cpb_calls *c, const cpb_allocator *a) { *c = (cpb_calls){.allocator = *a}; }

void cpb_calls_free(cpb_calls *c) {
  cpb_release(&c->allocator, c->items);
  cpb_release(&c->allocator, c->callers);
  cpb_calls_init(c, &c->allocator);
}

/* Only a repetition of the last call is joined here. The others wait for cpb_calls_sort(), which sorts once. */
bool cpb_calls_add(cpb_calls *c, uint32_t caller, uint32_t callee) {
  cpb_call *last = c->count > 0 ? &c->items[c->count - 1] : NULL;
  if (last && last->caller == caller && last->callee == callee && last->count < UINT32_MAX) {
    last->count++;
    return true;
  }
  if (!CPB_RESERVE(&c->allocator, &c->items, &c->capacity, c->count + 1)) return false;
  c->items[c->count++] = (cpb_call){caller, callee, 1};
  return true;
}

static int compare(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a != b ? (a > b) - (a < b) : (c > d) - (c < d);
}

static int by_caller(const void *a, const void *b) {
  const cpb_call *x = a, *y = b;
  return compare(x->caller, y->caller, x->callee, y->callee);
}

static int by_callee(const void *a, const void *b) {
  const cpb_call *x = a, *y = b;
  return compare(x->callee, y->callee, x->caller, y->caller);
}

static void join(cpb_calls *c) {
  size_t kept = 0;
  if (c->count > 1) qsort(c->items, c->count, sizeof *c->items, by_caller);
  for (size_t i = 0; i < c->count; i++)
    if (kept > 0 && by_caller(&c->items[kept - 1], &c->items[i]) == 0) c->items[kept - 1].count += c->items[i].count;
    else c->items[kept++] = c->items[i];
  c->count = kept;
}

bool cpb_calls_sort(cpb_calls *c) {
  join(c);
  size_t size = c->count * sizeof *c->items;
  if (size == 0) return true;
  c->callers = cpb_alloc(&c->allocator, size);
  if (!c->callers) return false;
  memcpy(c->callers, c->items, size);
  qsort(c->callers, c->count, sizeof *c->callers, by_callee);
  return true;
}

/* The run in a sorted list that belongs to one function. */
static const cpb_call *find_run(const cpb_call *list, size_t total, uint32_t function, bool callers, size_t *count) {
  size_t low = 0, high = total;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    uint32_t at = callers ? list[middle].callee : list[middle].caller;
    if (at < function) low = middle + 1;
    else high = middle;
  }
  for (high = low; high < total && (callers ? list[high].callee : list[high].caller) == function;) high++;
  *count = high - low;
  return list ? list + low : NULL;
}

const cpb_call *cpb_calls_by(const cpb_calls *c, uint32_t caller, size_t *count) {
  return find_run(c->items, c->count, caller, false, count);
}

const cpb_call *cpb_calls_of(const cpb_calls *c, uint32_t callee, size_t *count) {
  return find_run(c->callers, c->count, callee, true, count);
}

/* --- entries ---------------------------------------------------------------------------------- */

void cpb_entries_free(cpb_entries *e) {
  cpb_release(&e->allocator, e->items);
  *e = (cpb_entries){.allocator = e->allocator};
}

/* All values lie in one message, so their addresses have the order of the entries. An entry without a value counts
 * as the earliest. */
/* The later one of two with the same key comes first. */
static int by_key(const void *a, const void *b) {
  const cpb_entry *x = a, *y = b;
  int order = cpb_span_compare(x->key, y->key);
  return order != 0 ? order : (x->value.data < y->value.data) - (x->value.data > y->value.data);
}

static void sort(cpb_entries *e) {
  size_t kept = 0;
  if (e->count > 1) qsort(e->items, e->count, sizeof *e->items, by_key);
  for (size_t i = 0; i < e->count; i++) {
    if (kept > 0 && cpb_span_equal(e->items[kept - 1].key, e->items[i].key)) continue;
    e->items[kept++] = e->items[i];
  }
  e->count = kept;
}

bool cpb_entries_read(cpb_entries *e, const cpb_allocator *a, cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  *e = (cpb_entries){.allocator = *a};
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    if (!CPB_RESERVE(&e->allocator, &e->items, &e->capacity, e->count + 1)) {
      cpb_entries_free(e);
      return false;
    }
    e->items[e->count++] = (cpb_entry){cpb_get_bytes(c.bytes, 1), cpb_get_bytes(c.bytes, 2)};
  }
  sort(e);
  return true;
}

cpb_span cpb_entries_find(const cpb_entries *e, cpb_span key) {
  size_t low = 0, high = e->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = cpb_span_compare(e->items[middle].key, key);
    if (order == 0) return e->items[middle].value;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return (cpb_span){NULL, 0};
}

/* --- joined ----------------------------------------------------------------------------------- */

#define WORTH 1024 /* items, for which joining is worth it */

void cpb_joined_free(cpb_joined *l) { cpb_release(&l->allocator, l->items); }

/* qsort() is not stable, so `join` may meet equal items in any order; it must not depend on the order. */
void cpb_joined_join(cpb_joined *l) {
  size_t kept = 0;
  char *items = l->items;
  if (l->count > 1) qsort(items, l->count, l->each, l->compare);
  for (size_t i = 0; i < l->count; i++) {
    char *last = kept > 0 ? items + (kept - 1) * l->each : NULL, *item = items + i * l->each;
    if (last && l->compare(last, item) == 0) l->join(last, item);
    else memmove(items + kept++ * l->each, item, l->each);
  }
  l->count = l->joined = kept;
}

/* At least three quarters of the items that a join sorts were added after the join before it. Sorting therefore
 * costs O(log n) for each added item on average. Repetitions of the last item, such as a graph's runs of equal
 * nodes, take no room at all. */
bool cpb_joined_add(cpb_joined *l, const void *item) {
  char *last = l->count > 0 ? (char *)l->items + (l->count - 1) * l->each : NULL;
  if (last && !l->late && l->compare(last, item) == 0) return l->join(last, item), true;
  if (!l->late && l->count / 4 > l->joined && l->count >= WORTH) cpb_joined_join(l);
  if (!cpb_reserve(&l->allocator, &l->items, &l->capacity, l->count + 1, l->each)) return false;
  memcpy((char *)l->items + l->count++ * l->each, item, l->each);
  return true;
}

/* --- names ------------------------------------------------------------------------------------ */

void cpb_names_init(cpb_names *n, const cpb_allocator *a) { *n = (cpb_names){.allocator = *a}; }

void cpb_names_free(cpb_names *n) {
  cpb_release(&n->allocator, n->items);
  n->items = NULL;
  n->count = n->capacity = 0;
}

bool cpb_names_add(cpb_names *n, cpb_span text, uint32_t what) {
  if (!CPB_RESERVE(&n->allocator, &n->items, &n->capacity, n->count + 1)) return false;
  n->items[n->count++] = (cpb_name){text, what};
  return true;
}

static int by_text(const void *a, const void *b) {
  const cpb_name *x = a, *y = b;
  int order = cpb_span_compare(x->text, y->text);
  return order != 0 ? order : (x->what > y->what) - (x->what < y->what);
}

void cpb_names_sort(cpb_names *n) {
  if (n->count > 1) qsort(n->items, n->count, sizeof *n->items, by_text);
}

/* The first that is not less than the text, or with `beyond` the first that is greater. */
static size_t bound(const cpb_names *n, cpb_span text, bool beyond) {
  size_t low = 0, high = n->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cpb_span_compare(n->items[middle].text, text) < (beyond ? 1 : 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const cpb_name *cpb_names_all(const cpb_names *n, cpb_span text, size_t *count) {
  size_t first = bound(n, text, false);
  *count = bound(n, text, true) - first;
  return n->items ? n->items + first : NULL;
}

uint32_t cpb_names_find(const cpb_names *n, cpb_span text) {
  size_t low = bound(n, text, false);
  bool found = low < n->count && cpb_span_equal(n->items[low].text, text);
  return found ? n->items[low].what : CPB_NO_NAME;
}
