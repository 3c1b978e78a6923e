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
  uint64_t left; /* bytes of the chunk that were not added yet */
  cpb_span rest; /* of what was added: the next pieces' */
  bool even;     /* whether the pieces have to be of one size */
  bool given;    /* what is held was given out */
} cpb_evenly;

void cpb_evenly_init(cpb_evenly *p, const cpb_allocator *a, size_t buffer);
void cpb_evenly_free(cpb_evenly *p);

void cpb_evenly_begin(cpb_evenly *p, uint64_t chunk_size, bool even);

/* Whether bytes that were added are not given out yet. Otherwise more can be added. */
static inline bool cpb_evenly_wait(const cpb_evenly *p) { return p->rest.size > 0; }

/* The next bytes, which must stay until the last piece that has any of them was given out. */
static inline void cpb_evenly_add(cpb_evenly *p, cpb_span bytes) { p->rest = bytes; }

/* The next piece, valid until the next call; empty while it is not complete. False when memory is
 * short. */
bool cpb_evenly_next(cpb_evenly *p, cpb_span *piece);

#endif
