/* Counts an engine's work and memory, and decides whether it may go on: cpb_limits and the size of the input bound
 * both, whatever the input claims.
 *
 * An engine has one meter, and lends it to the engines within it. The code that does the work charges for it first: a
 * decoder for its next output, a scanner for the bytes it will skip, a table for an entry before making it. */
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
  uint64_t beside;                /* bytes of other files that are read together with the input */
  uint64_t seen;                  /* bytes of the input that the bounds were computed for */
  uint64_t done[CPB_NUM_WORKS];   /* for the current request */
  uint64_t before[CPB_NUM_WORKS]; /* for the earlier ones */
  uint64_t most[CPB_NUM_WORKS];
  cpb_budget held;
} cpb_meter;

/* Limits grow with the size of `input`, once that is known, and never with the bytes that the host has lent, so that an
 * error does not depend on the host. NULL: they grow by cpb_meter_grow(). `input` must outlive the meter. */
void cpb_meter_init(cpb_meter *m, const cpb_allocator *a, const cpb_limits *limits, const cpb_input *input);

/* Its blocks count as held. The meter must outlive every block, and must not move. */
cpb_allocator cpb_meter_allocator(cpb_meter *m);

/* Call it at the beginning of each step: more of the input may be known. */
void cpb_meter_update(cpb_meter *m);

/* The same with a size from another source, such as that of bytes in memory. */
void cpb_meter_grow(cpb_meter *m, uint64_t size);

/* Another file of this size is read along with the input. */
void cpb_meter_add(cpb_meter *m, uint64_t size);

/* Counts `amount`. False, with CPB_E_LIMIT and `offset` as the error, if the total exceeds the limit for the part of
 * the input that is known. */
bool cpb_meter_charge(cpb_meter *m, cpb_work_kind kind, uint64_t amount, uint64_t offset, cpb_error *error);

/* Whether a total of `amount` is within the limit; counts nothing. */
bool cpb_meter_allows(cpb_meter *m, cpb_work_kind kind, uint64_t amount, uint64_t offset, cpb_error *error);

/* The work of all requests so far. */
cpb_work cpb_meter_work(const cpb_meter *m);

/* The members of cpb_work are numbers, in the order of CPB_WORKS. */
static inline uint64_t *cpb_work_at(cpb_work *work, cpb_work_kind kind) { return (uint64_t *)(void *)work + kind; }

/* The host has made a new request, such as another range: work counts from here on. */
void cpb_meter_renew(cpb_meter *m);

/* Adjusts the error of a failed engine: lack of memory that this limit caused becomes CPB_E_LIMIT. */
void cpb_meter_explain(const cpb_meter *m, cpb_error *error);

/* Call it at the end of the engine: adds the work to limits.work. */
void cpb_meter_free(cpb_meter *m);

#endif
