#include "model/common/entries.h"

#include <stdlib.h>

void cpb_entries_free(cpb_entries *e) {
  cpb_release(&e->allocator, e->items);
  *e = (cpb_entries){.allocator = e->allocator};
}

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
    void *items = e->items;
    if (!cpb_reserve(&e->allocator, &items, &e->capacity, e->count + 1, sizeof *e->items)) {
      cpb_entries_free(e);
      return false;
    }
    e->items = items;
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
