/* Returns a chunk's bytes in pieces whose sizes depend on the chunk alone, however the bytes arrive. The output of a
 * codec may depend on the sizes of its input pieces; otherwise the file would depend on how its host reads. Without a
 * codec, bytes are returned as they arrive, uncopied. */
#ifndef CPB_CHUNKED_SPLIT_EVENLY_H
#define CPB_CHUNKED_SPLIT_EVENLY_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_evenly {
  cpb_buffer held;
  size_t most;   /* bytes of a piece */
  uint64_t left; /* bytes of the chunk not added yet */
  cpb_span rest; /* added bytes that are still to be returned */
  bool even;     /* whether the pieces must have equal sizes */
  bool given;    /* the held piece was returned */
} cpb_evenly;

void cpb_evenly_init(cpb_evenly *p, const cpb_allocator *a, size_t buffer);
void cpb_evenly_free(cpb_evenly *p);

void cpb_evenly_begin(cpb_evenly *p, uint64_t chunk_size, bool even);

/* Whether added bytes remain to be returned. If not, more can be added. */
static inline bool cpb_evenly_wait(const cpb_evenly *p) { return p->rest.size > 0; }

/* Adds the next bytes, which must stay valid until the last piece with any of them was returned. */
static inline void cpb_evenly_add(cpb_evenly *p, cpb_span bytes) { p->rest = bytes; }

/* The next piece, valid until the next call; empty while it is incomplete. False if memory is short. */
bool cpb_evenly_next(cpb_evenly *p, cpb_span *piece);

#endif
