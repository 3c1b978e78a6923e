/* DEFLATE (RFC 1951) by zlib, in pieces, with the host's allocator. */
#ifndef CPB_MODEL_FORMATS_ZIP_INFLATE_H
#define CPB_MODEL_FORMATS_ZIP_INFLATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_inflate cpb_inflate;

typedef enum cpb_inflated {
  CPB_INFLATE_MORE, /* there is no more input, or no more room */
  CPB_INFLATE_END,  /* of the stream */
  CPB_INFLATE_DAMAGED,
  CPB_INFLATE_MEMORY
} cpb_inflated;

/* NULL when memory is short; takes some 40 KiB. `a` must outlive it. */
cpb_inflate *cpb_inflate_new(const cpb_allocator *a);
void cpb_inflate_free(cpb_inflate *state);

/* Takes from the front of `in`; `*made` is how much of `out` was filled. */
cpb_inflated cpb_inflate_read(cpb_inflate *state, cpb_span *in, uint8_t *out, size_t room, size_t *made);

/* CRC-32 as zip has it, of what `crc` (0 at first) stands for and then `data`. */
uint32_t cpb_crc32(uint32_t crc, cpb_span data);

#endif
