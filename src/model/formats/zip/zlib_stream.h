/* Shared by inflating and deflating: the host's allocator, and a single call of zlib. */
#ifndef CPB_MODEL_FORMATS_ZIP_ZLIB_STREAM_H
#define CPB_MODEL_FORMATS_ZIP_ZLIB_STREAM_H

#define ZLIB_CONST
#include <zlib.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"

#define CPB_ZLIB_CALL_MAX ((size_t)1 << 30) /* zlib counts in `unsigned` */

static inline void *cpb_zlib_allocate(void *allocator, unsigned items, unsigned size) {
  size_t bytes;
  return cpb_mul_size(items, size, &bytes) ? cpb_alloc(allocator, bytes) : NULL;
}

static inline void cpb_zlib_release(void *allocator, void *block) { cpb_release(allocator, block); }

/* Call it before the stream begins; `a` must outlive it. */
static inline void cpb_zlib_use(z_stream *z, const cpb_allocator *a) {
  z->zalloc = cpb_zlib_allocate;
  z->zfree = cpb_zlib_release;
  z->opaque = (void *)a;
}

/* Calls `inflate` or `deflate` once. Consumes bytes from the front of `in`; `*made` is the number of bytes written to
 * `out`. `flush` applies if all of `in` fits into the call. */
static inline int cpb_zlib_call(z_stream *z, int (*call)(z_stream *, int), int flush, cpb_span *in, uint8_t *out,
                                size_t room, size_t *made) {
  unsigned given = (unsigned)cpb_min_size(in->size, CPB_ZLIB_CALL_MAX);
  unsigned space = (unsigned)cpb_min_size(room, CPB_ZLIB_CALL_MAX);
  z->next_in = in->data;
  z->avail_in = given;
  z->next_out = out;
  z->avail_out = space;
  int result = call(z, given == in->size ? flush : Z_NO_FLUSH);
  size_t taken = given - z->avail_in;
  if (taken > 0) *in = (cpb_span){in->data + taken, in->size - taken};
  *made = space - z->avail_out;
  return result;
}

#endif
