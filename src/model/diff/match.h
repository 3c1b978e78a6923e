/* Pairs the elements of two lists: those with the same key, the n-th of the one list with the n-th of the other. They
 * are sorted, so that no input can make it slow. */
#ifndef CPB_MODEL_DIFF_MATCH_H
#define CPB_MODEL_DIFF_MATCH_H

#include "base/alloc.h"
#include "model/common/spans.h"

typedef struct cpb_diff_element {
  cpb_span key;
  void *value;
  void *other; /* its partner, or NULL */
} cpb_diff_element;

typedef struct cpb_diff_elements {
  cpb_diff_element *list; /* in the list's order */
  size_t count;
} cpb_diff_elements;

/* Makes `count` elements, which the caller sets. False if memory is short. */
bool cpb_diff_elements_make(cpb_diff_elements *elements, const cpb_allocator *a, size_t count);
void cpb_diff_elements_free(cpb_diff_elements *elements, const cpb_allocator *a);

/* Sets `other` in both. False if memory is short. */
bool cpb_diff_match(const cpb_allocator *a, const cpb_diff_elements sides[2]);

#endif
