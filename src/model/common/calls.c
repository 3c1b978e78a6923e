#include "model/common/calls.h"

#include <stdlib.h>
#include <string.h>

void cpb_calls_init(cpb_calls *c, const cpb_allocator *a) { *c = (cpb_calls){.allocator = *a}; }

void cpb_calls_free(cpb_calls *c) {
  cpb_release(&c->allocator, c->items);
  cpb_release(&c->allocator, c->callers);
  cpb_calls_init(c, &c->allocator);
}

bool cpb_calls_add(cpb_calls *c, uint32_t caller, uint32_t callee) {
  void *items = c->items;
  cpb_call *last = c->count > 0 ? &c->items[c->count - 1] : NULL;
  if (last && last->caller == caller && last->callee == callee && last->count < UINT32_MAX) {
    last->count++;
    return true;
  }
  if (!cpb_reserve(&c->allocator, &items, &c->capacity, c->count + 1, sizeof *c->items)) return false;
  c->items = items;
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
  for (size_t i = 0; i < c->count; i++) {
    if (kept > 0 && by_caller(&c->items[kept - 1], &c->items[i]) == 0) {
      c->items[kept - 1].count += c->items[i].count;
    } else {
      c->items[kept++] = c->items[i];
    }
  }
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
