/* The chunks that a store keeps in memory, in the order in which they were read, and a tree by chunk. */
#ifndef CPB_CHUNKED_READ_KEPT_H
#define CPB_CHUNKED_READ_KEPT_H

#include "base/alloc.h"
#include "base/ordered.h"

/* One, as far as it was read. */
typedef struct cpb_kept_chunk {
  cpb_ordered_links links;
  bool complete;
  bool forgotten;
  uint64_t chunk;
  cpb_buffer bytes;
} cpb_kept_chunk;

typedef struct cpb_kept_chunks {
  cpb_kept_chunk *items;
  size_t count, capacity;
  uint32_t root;
} cpb_kept_chunks;

void cpb_kept_free(cpb_kept_chunks *kept, const cpb_allocator *a);
/* NULL: it was never added. It may be forgotten. */
cpb_kept_chunk *cpb_kept_find(const cpb_kept_chunks *kept, uint64_t chunk);
/* Adds one that was never added. NULL if memory is short. */
cpb_kept_chunk *cpb_kept_add(cpb_kept_chunks *kept, const cpb_allocator *a, uint64_t chunk);

#endif
