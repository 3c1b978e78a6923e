/* An allocator with a limit: no input can make it hand out more bytes at once than
 * that. */
#ifndef CPB_BASE_BUDGET_H
#define CPB_BASE_BUDGET_H

#include "base/alloc.h"

typedef struct cpb_budget {
  cpb_allocator inner;
  size_t limit; /* SIZE_MAX: none */
  size_t used, peak;
  uint64_t needed; /* the limit that would have met the last request that was refused; 0: none was */
} cpb_budget;

void cpb_budget_init(cpb_budget *b, const cpb_allocator *inner, size_t limit);

/* `b` must outlive every block. Each has a header of a few bytes, which count. */
cpb_allocator cpb_budget_allocator(cpb_budget *b);

/* Counts `size` bytes that are taken from elsewhere, until they are credited. False,
 * with `needed` set, when they exceed the limit. */
bool cpb_budget_charge(cpb_budget *b, uint64_t size);
void cpb_budget_credit(cpb_budget *b, size_t size);
/* Whether so many bytes could be charged; sets `needed`, too. */
bool cpb_budget_fits(cpb_budget *b, uint64_t size);

#endif
