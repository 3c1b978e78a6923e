#include "model/formats/zip/inflate.h"

#include "model/formats/zip/zlib_stream.h"

struct cpb_inflate {
  const cpb_allocator *allocator;
  z_stream stream;
};

cpb_inflate *cpb_inflate_new(const cpb_allocator *a) {
  cpb_inflate *state = cpb_alloc_zeroed(a, sizeof *state);
  if (!state) return NULL;
  state->allocator = a;
  cpb_zlib_use(&state->stream, a);
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
  switch (cpb_zlib_call(&state->stream, inflate, Z_NO_FLUSH, in, out, room, made)) {
    case Z_OK:
    case Z_BUF_ERROR: return CPB_INFLATE_MORE;
    case Z_STREAM_END: return CPB_INFLATE_END;
    case Z_MEM_ERROR: return CPB_INFLATE_MEMORY;
    default: return CPB_INFLATE_DAMAGED;
  }
}

uint32_t cpb_crc32(uint32_t crc, cpb_span data) {
  while (data.size > 0) {
    size_t n = cpb_min_size(data.size, CPB_ZLIB_CALL_MAX);
    crc = (uint32_t)crc32(crc, data.data, (unsigned)n);
    data = (cpb_span){data.data + n, data.size - n};
  }
  return crc;
}
