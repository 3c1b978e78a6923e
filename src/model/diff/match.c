#include "model/diff/match.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"

bool cpb_diff_elements_make(cpb_diff_elements *elements, const cpb_allocator *a, size_t count) {
  size_t size;
  *elements = (cpb_diff_elements){NULL, 0};
  if (count == 0) return true;
  if (cpb_mul_size(count, sizeof *elements->list, &size)) elements->list = cpb_alloc_zeroed(a, size);
  if (elements->list) elements->count = count;
  return elements->list != NULL;
}

void cpb_diff_elements_free(cpb_diff_elements *elements, const cpb_allocator *a) {
  cpb_release(a, elements->list);
  *elements = (cpb_diff_elements){NULL, 0};
}

/* Elements with the same key stay in the list's order, which is their order in memory. */
static int by_key(const void *a, const void *b) {
  const cpb_diff_element *x = *(cpb_diff_element *const *)a, *y = *(cpb_diff_element *const *)b;
  int order = cpb_span_compare(x->key, y->key);
  return order != 0 ? order : (x > y) - (x < y);
}

/* Pointers to them, sorted; `to` has room. */
static void sort(cpb_diff_element **to, const cpb_diff_elements *elements) {
  for (size_t i = 0; i < elements->count; i++) to[i] = &elements->list[i];
  if (elements->count > 1) qsort(to, elements->count, sizeof *to, by_key);
}

static void join(cpb_diff_element *const *x, size_t num_x, cpb_diff_element *const *y, size_t num_y) {
  for (size_t i = 0, j = 0; i < num_x && j < num_y;) {
    int order = cpb_span_compare(x[i]->key, y[j]->key);
    if (order == 0) {
      x[i]->other = y[j]->value;
      y[j]->other = x[i]->value;
    }
    i += order <= 0;
    j += order >= 0;
  }
}

bool cpb_diff_match(const cpb_allocator *a, const cpb_diff_elements sides[2]) {
  size_t count, size;
  if (sides[0].count == 0 || sides[1].count == 0) return true;
  bool fits =
      cpb_add_size(sides[0].count, sides[1].count, &count) && cpb_mul_size(count, sizeof(cpb_diff_element *), &size);
  cpb_diff_element **sorted = fits ? cpb_alloc(a, size) : NULL;
  if (!sorted) return false;
  sort(sorted, &sides[0]);
  sort(sorted + sides[0].count, &sides[1]);
  join(sorted, sides[0].count, sorted + sides[0].count, sides[1].count);
  cpb_release(a, sorted);
  return true;
}
