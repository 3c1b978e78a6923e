/* DEFLATE (RFC 1951) by zlib, the other way: in pieces, with the host's allocator. */
#ifndef CPB_MODEL_FORMATS_ZIP_DEFLATE_H
#define CPB_MODEL_FORMATS_ZIP_DEFLATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_deflate cpb_deflate;

/* NULL if memory is short; takes about 270 KiB. `a` must outlive it. */
cpb_deflate *cpb_deflate_new(const cpb_allocator *a);
void cpb_deflate_free(cpb_deflate *state);

/* Consumes bytes from the front of `in`; nothing follows it if it is the `last`. `*made` is the number of bytes written
 * to `out`. Returns whether the stream has ended; until then, a full `out` means that there is more. */
bool cpb_deflate_write(cpb_deflate *state, cpb_span *in, bool last, uint8_t *out, size_t room, size_t *made);

/* No more bytes than this come of `size` bytes. */
uint64_t cpb_deflate_bound(uint64_t size);

#endif
