#include "model/formats/zip/deflate.h"

#include "model/formats/zip/zlib_stream.h"

#define MEMORY_LEVEL 8 /* zlib's default */

struct cpb_deflate {
  const cpb_allocator *allocator;
  z_stream stream;
};

cpb_deflate *cpb_deflate_new(const cpb_allocator *a) {
  cpb_deflate *state = cpb_alloc_zeroed(a, sizeof *state);
  if (!state) return NULL;
  state->allocator = a;
  cpb_zlib_use(&state->stream, a);
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
  return cpb_zlib_call(&state->stream, deflate, flush, in, out, room, made) == Z_STREAM_END;
}

/* zlib's own bound is below a part in 3000 and some bytes. */
uint64_t cpb_deflate_bound(uint64_t size) { return size + size / 1024 + 64; }
