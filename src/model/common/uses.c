#include "model/common/uses.h"

#include <stdlib.h>

#include "model/common/spans.h"

void cpb_uses_init(cpb_uses *u, const cpb_allocator *a) { *u = (cpb_uses){.allocator = *a}; }

void cpb_uses_free(cpb_uses *u) {
  cpb_release(&u->allocator, u->items);
  cpb_uses_init(u, &u->allocator);
}

bool cpb_uses_add(cpb_uses *u, cpb_span domain, cpb_span op, bool in_graph) {
  void *items = u->items;
  if (!cpb_reserve(&u->allocator, &items, &u->capacity, u->count + 1, sizeof *u->items)) return false;
  u->items = items;
  u->items[u->count++] = (cpb_use){domain, op, in_graph, !in_graph};
  return true;
}

static int by_op(const void *a, const void *b) {
  const cpb_use *x = a, *y = b;
  int order = cpb_span_compare(x->op, y->op);
  return order != 0 ? order : cpb_span_compare(x->domain, y->domain);
}

static int most_first(const void *a, const void *b) {
  const cpb_use *x = a, *y = b;
  uint64_t n = x->graph + x->functions, k = y->graph + y->functions;
  return n != k ? (n < k ? 1 : -1) : by_op(a, b);
}

void cpb_uses_join(cpb_uses *u) {
  size_t kept = 0;
  if (u->count > 1) qsort(u->items, u->count, sizeof *u->items, by_op);
  for (size_t i = 0; i < u->count; i++) {
    cpb_use *last = kept > 0 ? &u->items[kept - 1] : NULL;
    if (last && by_op(last, &u->items[i]) == 0) {
      last->graph += u->items[i].graph;
      last->functions += u->items[i].functions;
    } else {
      u->items[kept++] = u->items[i];
    }
  }
  u->count = kept;
  if (kept > 1) qsort(u->items, kept, sizeof *u->items, most_first);
}
