/* DEFLATE (RFC 1951) by zlib, both ways: in pieces, with the host's allocator. */
#ifndef CPB_MODEL_FORMATS_ZIP_DEFLATE_H
#define CPB_MODEL_FORMATS_ZIP_DEFLATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* --- deflate ---------------------------------------------------------------------------------- */

typedef struct cpb_deflate cpb_deflate;

/* NULL if memory is short; takes about 270 KiB. `a` must outlive it. */
cpb_deflate *cpb_deflate_new(const cpb_allocator *a);
void cpb_deflate_free(cpb_deflate *state);

/* Consumes bytes from the front of `in`; nothing follows it if it is the `last`. `*made` is the number of bytes written
 * to `out`. Returns whether the stream has ended; until then, a full `out` means that there is more. */
bool cpb_deflate_write(cpb_deflate *state, cpb_span *in, bool last, uint8_t *out, size_t room, size_t *made);

/* No more bytes than this come of `size` bytes. */
uint64_t cpb_deflate_bound(uint64_t size);

/* --- inflate ---------------------------------------------------------------------------------- */

/* DEFLATE (RFC 1951) by zlib, in pieces, with the host's allocator. */

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
