#include "model/formats/zip/deflate.h"

#define ZLIB_CONST
#include <zlib.h>

#include "base/checked.h"

/* --- zlib stream ------------------------------------------------------------------------------ */

/* Shared by inflating and deflating: the host's allocator, and a single call of zlib. */

#define ZLIB_CALL_MAX ((size_t)1 << 30) /* zlib counts in `unsigned` */

static void *zlib_allocate(void *allocator, unsigned items, unsigned size) {
  size_t bytes;
  return cpb_mul_size(items, size, &bytes) ? cpb_alloc(allocator, bytes) : NULL;
}

static void zlib_release(void *allocator, void *block) { cpb_release(allocator, block); }

/* Call it before the stream begins; `a` must outlive it. */
static void zlib_use(z_stream *z, const cpb_allocator *a) {
  z->zalloc = zlib_allocate;
  z->zfree = zlib_release;
  z->opaque = (void *)a;
}

/* Calls `inflate` or `deflate` once. Consumes bytes from the front of `in`; `*made` is the number of bytes written to
 * `out`. `flush` applies if all of `in` fits into the call. */
static int zlib_call(z_stream *z, int (*call)(z_stream *, int), int flush, cpb_span *in, uint8_t *out, size_t room,
                     size_t *made) {
  unsigned given = (unsigned)cpb_min_size(in->size, ZLIB_CALL_MAX);
  unsigned space = (unsigned)cpb_min_size(room, ZLIB_CALL_MAX);
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

/* --- deflate ---------------------------------------------------------------------------------- */

#define MEMORY_LEVEL 8 /* zlib's default */

struct cpb_deflate {
  const cpb_allocator *allocator;
  z_stream stream;
};

cpb_deflate *cpb_deflate_new(const cpb_allocator *a) {
  cpb_deflate *state = cpb_alloc_zeroed(a, sizeof *state);
  if (!state) return NULL;
  state->allocator = a;
  zlib_use(&state->stream, a);
  if (deflateInit2(&state->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) ==
      Z_OK)
    return state; /* no zlib or gzip header */
  cpb_release(a, state);
  return NULL;
}

void cpb_deflate_free(cpb_deflate *state) {
  if (!state) return;
  deflateEnd(&state->stream);
  cpb_release(state->allocator, state);
}

bool cpb_deflate_write(cpb_deflate *state, cpb_span *in, bool last, uint8_t *out, size_t room, size_t *made) {
  int flush = last ? Z_FINISH : Z_NO_FLUSH;
  return zlib_call(&state->stream, deflate, flush, in, out, room, made) == Z_STREAM_END;
}

/* zlib's own bound is below a part in 3000 and some bytes. */
uint64_t cpb_deflate_bound(uint64_t size) { return size + size / 1024 + 64; }

/* --- inflate ---------------------------------------------------------------------------------- */

struct cpb_inflate {
  const cpb_allocator *allocator;
  z_stream stream;
};

cpb_inflate *cpb_inflate_new(const cpb_allocator *a) {
  cpb_inflate *state = cpb_alloc_zeroed(a, sizeof *state);
  if (!state) return NULL;
  state->allocator = a;
  zlib_use(&state->stream, a);
  if (inflateInit2(&state->stream, -15) == Z_OK) return state; /* no zlib or gzip header */
  cpb_release(a, state);
  return NULL;
}

void cpb_inflate_free(cpb_inflate *state) {
  if (!state) return;
  inflateEnd(&state->stream);
  cpb_release(state->allocator, state);
}

cpb_inflated cpb_inflate_read(cpb_inflate *state, cpb_span *in, uint8_t *out, size_t room, size_t *made) {
  switch (zlib_call(&state->stream, inflate, Z_NO_FLUSH, in, out, room, made)) {
    case Z_OK:
    case Z_BUF_ERROR: return CPB_INFLATE_MORE;
    case Z_STREAM_END: return CPB_INFLATE_END;
    case Z_MEM_ERROR: return CPB_INFLATE_MEMORY;
    default: return CPB_INFLATE_DAMAGED;
  }
}

uint32_t cpb_crc32(uint32_t crc, cpb_span data) {
  while (data.size > 0) {
    size_t n = cpb_min_size(data.size, ZLIB_CALL_MAX);
    crc = (uint32_t)crc32(crc, data.data, (unsigned)n);
    data = (cpb_span){data.data + n, data.size - n};
  }
  return crc;
}
