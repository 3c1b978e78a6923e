/* An allocator with a limit: no input can make it allocate more bytes at once. */
#ifndef CPB_BASE_BUDGET_H
#define CPB_BASE_BUDGET_H

#include "base/alloc.h"

typedef struct cpb_budget {
  cpb_allocator inner;
  size_t limit; /* SIZE_MAX: unlimited */
  size_t used, peak;
  uint64_t needed; /* the limit that would have allowed the last refused request; 0: none was refused */
} cpb_budget;

void cpb_budget_init(cpb_budget *b, const cpb_allocator *inner, size_t limit);

/* `b` must outlive every block. Each block has a header of a few bytes, which counts. */
cpb_allocator cpb_budget_allocator(cpb_budget *b);

/* Charges `size` bytes from another source, until they are credited. False, with `needed` set, if they exceed the
 * limit. */
bool cpb_budget_charge(cpb_budget *b, uint64_t size);
void cpb_budget_credit(cpb_budget *b, size_t size);
/* Whether this many bytes could be charged; also sets `needed`. */
bool cpb_budget_fits(cpb_budget *b, uint64_t size);

#endif
