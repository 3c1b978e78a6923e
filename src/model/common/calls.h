/* Who calls whom, of the functions of a model. */
#ifndef CPB_MODEL_COMMON_CALLS_H
#define CPB_MODEL_COMMON_CALLS_H

#include "base/alloc.h"

typedef struct cpb_call {
  uint32_t caller; /* numbers of the owner's */
  uint32_t callee;
  uint32_t count; /* nodes of the caller that call it */
} cpb_call;

typedef struct cpb_calls {
  cpb_allocator allocator;
  cpb_call *items; /* by caller, then callee */
  size_t count, capacity;
  cpb_call *callers; /* the same by callee, then caller */
} cpb_calls;

void cpb_calls_init(cpb_calls *calls, const cpb_allocator *a);
void cpb_calls_free(cpb_calls *calls);

/* Notes that a node of the caller calls it. False if memory is short. */
bool cpb_calls_add(cpb_calls *calls, uint32_t caller, uint32_t callee);
/* Call it after the last was added: keeps one of each pair. False if memory is short. */
bool cpb_calls_sort(cpb_calls *calls);

/* The calls by a function, and the calls of it; they are contiguous. */
const cpb_call *cpb_calls_by(const cpb_calls *calls, uint32_t caller, size_t *count);
const cpb_call *cpb_calls_of(const cpb_calls *calls, uint32_t callee, size_t *count);

#endif
