#include "model/common/names.h"

#include <stdlib.h>

#include "model/common/cursor.h"

void cpb_names_init(cpb_names *n, const cpb_allocator *a) { *n = (cpb_names){.allocator = *a}; }

void cpb_names_free(cpb_names *n) {
  cpb_release(&n->allocator, n->items);
  n->items = NULL;
  n->count = n->capacity = 0;
}

bool cpb_names_add(cpb_names *n, cpb_span text, uint32_t what) {
  void *items = n->items;
  if (!cpb_reserve(&n->allocator, &items, &n->capacity, n->count + 1, sizeof *n->items)) return false;
  n->items = items;
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
