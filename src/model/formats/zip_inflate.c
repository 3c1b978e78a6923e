#include "model/formats/zip_inflate.h"

#define ZLIB_CONST
#include <zlib.h>

#include "base/checked.h"

#define CALL_MAX ((size_t)1 << 30) /* zlib counts in unsigned */

struct cpb_inflate {
  const cpb_allocator *allocator;
  z_stream stream;
};

static void *allocate(void *opaque, unsigned items, unsigned size) {
  size_t bytes;
  return cpb_mul_size(items, size, &bytes) ? cpb_alloc(opaque, bytes) : NULL;
}

static void release(void *opaque, void *block) { cpb_release(opaque, block); }

cpb_inflate *cpb_inflate_new(const cpb_allocator *a) {
  cpb_inflate *state = cpb_alloc_zeroed(a, sizeof *state);
  if (!state) return NULL;
  state->allocator = a;
  state->stream.zalloc = allocate;
  state->stream.zfree = release;
  state->stream.opaque = (void *)a;
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
  z_stream *z = &state->stream;
  unsigned given = (unsigned)cpb_min_size(in->size, CALL_MAX);
  unsigned space = (unsigned)cpb_min_size(room, CALL_MAX);
  z->next_in = in->data;
  z->avail_in = given;
  z->next_out = out;
  z->avail_out = space;
  int result = inflate(z, Z_NO_FLUSH);
  *in = (cpb_span){in->data + (given - z->avail_in), in->size - (given - z->avail_in)};
  *made = space - z->avail_out;
  switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return CPB_INFLATE_MORE;
    case Z_STREAM_END: return CPB_INFLATE_END;
    case Z_MEM_ERROR: return CPB_INFLATE_MEMORY;
    default: return CPB_INFLATE_DAMAGED;
  }
}

uint32_t cpb_crc32(uint32_t crc, cpb_span data) {
  while (data.size > 0) {
    size_t n = cpb_min_size(data.size, CALL_MAX);
    crc = (uint32_t)crc32(crc, data.data, (unsigned)n);
    data = (cpb_span){data.data + n, data.size - n};
  }
  return crc;
}
