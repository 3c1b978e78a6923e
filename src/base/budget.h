/* An allocator with a ceiling: what is taken from it is never more than a number
 * of bytes at once, however the input is made. */
#ifndef CPB_BASE_BUDGET_H
#define CPB_BASE_BUDGET_H

#include "base/alloc.h"

typedef struct cpb_budget {
  cpb_allocator inner;
  size_t limit; /* SIZE_MAX: none */
  size_t used, peak;
  uint64_t needed; /* after a request that was refused: the limit that would have met it; else 0 */
} cpb_budget;

void cpb_budget_init(cpb_budget *b, const cpb_allocator *inner, size_t limit);

/* `b` must outlive what it hands out. Each block costs a few bytes more than was
 * asked for, which count too. */
cpb_allocator cpb_budget_allocator(cpb_budget *b);

/* Counts memory that comes from elsewhere. False, with `needed` set, when there is
 * not so much left. */
bool cpb_budget_charge(cpb_budget *b, uint64_t size);
void cpb_budget_credit(cpb_budget *b, size_t size);
/* Whether so much could be charged. */
bool cpb_budget_fits(cpb_budget *b, uint64_t size);

#endif
