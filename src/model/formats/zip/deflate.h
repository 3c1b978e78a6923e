/* DEFLATE (RFC 1951) by zlib, the other way: in pieces, with the host's allocator. */
#ifndef CPB_MODEL_FORMATS_ZIP_DEFLATE_H
#define CPB_MODEL_FORMATS_ZIP_DEFLATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_deflate cpb_deflate;

/* NULL when memory is short; takes some 270 KiB. `a` must outlive it. */
cpb_deflate *cpb_deflate_new(const cpb_allocator *a);
void cpb_deflate_free(cpb_deflate *state);

/* Takes from the front of `in`, of which nothing follows when it is the `last`; `*made`
 * is how much of `out` was filled. Answers whether the stream has ended; until then there
 * is more to be made when `out` came to be full. */
bool cpb_deflate_write(cpb_deflate *state, cpb_span *in, bool last, uint8_t *out, size_t room, size_t *made);

/* No more bytes than this come of `size` bytes. */
uint64_t cpb_deflate_bound(uint64_t size);

#endif
