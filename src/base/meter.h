/* How much an engine has done, and whether it may go on: work and memory are bounded by
 * cpb_limits and the size of what is read, whatever the input claims.
 *
 * An engine has one meter, and lends it to the engines within it. Whoever does the work
 * charges for it first: a decoder for what it is about to give out, a scanner for what it
 * is about to pass, a table for an entry before it is made. */
#ifndef CPB_BASE_METER_H
#define CPB_BASE_METER_H

#include "base/budget.h"
#include "base/input.h"

/* CPB_WORK_DECODED and so on. */
typedef enum cpb_work_kind {
#define CPB_WORK_ENUM(NAME, name, unit) CPB_WORK_##NAME,
  CPB_WORKS(CPB_WORK_ENUM)
#undef CPB_WORK_ENUM
      CPB_NUM_WORKS
} cpb_work_kind;

typedef struct cpb_meter {
  cpb_limits limits; /* with a default for every zero */
  const cpb_input *input;
  uint64_t beside;                /* bytes of other files that are read along with the input */
  uint64_t seen;                  /* bytes of the input that the bounds were computed for */
  uint64_t done[CPB_NUM_WORKS];   /* for the present request */
  uint64_t before[CPB_NUM_WORKS]; /* for those before it */
  uint64_t most[CPB_NUM_WORKS];
  cpb_budget held;
} cpb_meter;

/* `input` is what limits grow with: its size, once that is known, and never what the host has
 * lent, so that an error does not depend on the host. NULL: they grow by cpb_meter_grow(). It must
 * outlive the meter. */
void cpb_meter_init(cpb_meter *m, const cpb_allocator *a, const cpb_limits *limits, const cpb_input *input);

/* What is taken from it counts as held. The meter must outlive every block, and stay where
 * it is. */
cpb_allocator cpb_meter_allocator(cpb_meter *m);

/* At the beginning of each step: more of the input may be known. */
void cpb_meter_update(cpb_meter *m);

/* The same with a size that is known otherwise, such as that of bytes in memory. */
void cpb_meter_grow(cpb_meter *m, uint64_t size);

/* Another file of this size is read along with the input. */
void cpb_meter_add(cpb_meter *m, uint64_t size);

/* Counts `amount`. False, with CPB_E_LIMIT and `offset` as the error, when that is more than
 * the limit allows, of as much of the input as is known. */
bool cpb_meter_charge(cpb_meter *m, cpb_work_kind kind, uint64_t amount, uint64_t offset, cpb_error *error);

/* Whether `amount` in all is within the limit; counts nothing. */
bool cpb_meter_allows(cpb_meter *m, cpb_work_kind kind, uint64_t amount, uint64_t offset, cpb_error *error);

/* The work of all requests so far. */
cpb_work cpb_meter_work(const cpb_meter *m);

/* The members of cpb_work are numbers, in the order of CPB_WORKS. */
static inline uint64_t *cpb_work_at(cpb_work *work, cpb_work_kind kind) { return (uint64_t *)(void *)work + kind; }

/* The host has asked for something new, such as another range: work counts from here on. */
void cpb_meter_renew(cpb_meter *m);

/* What a failed engine does with its error: lack of memory that was this limit's doing becomes
 * CPB_E_LIMIT. */
void cpb_meter_explain(const cpb_meter *m, cpb_error *error);

/* At the end of the engine: what was done is added to limits.work. */
void cpb_meter_free(cpb_meter *m);

#endif
