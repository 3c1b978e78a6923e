/* DEFLATE (RFC 1951) by zlib, in pieces, with the host's allocator. */
#ifndef CPB_MODEL_FORMATS_ZIP_INFLATE_H
#define CPB_MODEL_FORMATS_ZIP_INFLATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_inflate cpb_inflate;

typedef enum cpb_inflated {
  CPB_INFLATE_MORE, /* the input is used up, or the output is full */
  CPB_INFLATE_END,  /* of the stream */
  CPB_INFLATE_DAMAGED,
  CPB_INFLATE_MEMORY
} cpb_inflated;

/* NULL if memory is short; takes about 40 KiB. `a` must outlive it. */
cpb_inflate *cpb_inflate_new(const cpb_allocator *a);
void cpb_inflate_free(cpb_inflate *state);

/* Consumes bytes from the front of `in`; `*made` is the number of bytes written to `out`. */
cpb_inflated cpb_inflate_read(cpb_inflate *state, cpb_span *in, uint8_t *out, size_t room, size_t *made);

/* Extends a zip CRC-32 `crc` of earlier bytes (0 at first) by `data`. */
uint32_t cpb_crc32(uint32_t crc, cpb_span data);

#endif
