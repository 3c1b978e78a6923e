#include "model/formats/zip_deflate.h"

#define ZLIB_CONST
#include <zlib.h>

#include "base/checked.h"

#define CALL_MAX ((size_t)1 << 30) /* zlib counts in unsigned */
#define MEMORY_LEVEL 8             /* zlib's default */

struct cpb_deflate {
  const cpb_allocator *allocator;
  z_stream stream;
};

static void *allocate(void *opaque, unsigned items, unsigned size) {
  size_t bytes;
  return cpb_mul_size(items, size, &bytes) ? cpb_alloc(opaque, bytes) : NULL;
}

static void release(void *opaque, void *block) { cpb_release(opaque, block); }

cpb_deflate *cpb_deflate_new(const cpb_allocator *a) {
  cpb_deflate *state = cpb_alloc_zeroed(a, sizeof *state);
  if (!state) return NULL;
  state->allocator = a;
  state->stream.zalloc = allocate;
  state->stream.zfree = release;
  state->stream.opaque = (void *)a;
  if (deflateInit2(&state->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
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
  z_stream *z = &state->stream;
  unsigned given = (unsigned)cpb_min_size(in->size, CALL_MAX);
  unsigned space = (unsigned)cpb_min_size(room, CALL_MAX);
  z->next_in = in->data;
  z->avail_in = given;
  z->next_out = out;
  z->avail_out = space;
  int result = deflate(z, last && given == in->size ? Z_FINISH : Z_NO_FLUSH);
  size_t taken = given - z->avail_in;
  if (taken > 0) *in = (cpb_span){in->data + taken, in->size - taken};
  *made = space - z->avail_out;
  return result == Z_STREAM_END;
}

/* zlib's own bound is below a part in 3000 and some bytes. */
uint64_t cpb_deflate_bound(uint64_t size) { return size + size / 1024 + 64; }
