/* How often each operation is used. */
#ifndef CPB_MODEL_COMMON_USES_H
#define CPB_MODEL_COMMON_USES_H

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_use {
  cpb_span domain; /* empty where operations have none */
  cpb_span op;
  uint64_t graph, functions; /* how often, in the graph itself and elsewhere */
} cpb_use;

typedef struct cpb_uses {
  cpb_allocator allocator;
  cpb_use *items;
  size_t count, capacity;
} cpb_uses;

void cpb_uses_init(cpb_uses *uses, const cpb_allocator *a);
void cpb_uses_free(cpb_uses *uses);
/* Counts one. False when memory is short. */
bool cpb_uses_add(cpb_uses *uses, cpb_span domain, cpb_span op, bool in_graph);
/* After the last was added: one of each, the most frequent first. */
void cpb_uses_join(cpb_uses *uses);

#endif
