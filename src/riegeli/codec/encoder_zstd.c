#define ZSTD_STATIC_LINKING_ONLY /* custom memory */
#include <zstd.h>

#include "riegeli/codec/codec.h"

/* Up to this size a buffer that comes in one piece is compressed at once, which saves a copy
 * into the context, but takes room for the worst case in the output. */
#define WHOLE ((size_t)4 << 20)

typedef struct zstd_state {
  cpb_codec_memory *memory;
  ZSTD_CCtx *context;
  bool begun;
} zstd_state;

static void zstd_destroy(void *state) {
  zstd_state *s = state;
  ZSTD_freeCCtx(s->context);
  cpb_release(&s->memory->allocator, s);
}

static void *zstd_create(cpb_codec_memory *memory, int level, int window_log) {
  zstd_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  if (!s) return NULL;
  s->memory = memory;
  s->context = ZSTD_createCCtx_advanced((ZSTD_customMem){cpb_codec_allocate, cpb_codec_release, memory});
  if (!s->context) {
    zstd_destroy(s);
    return NULL;
  }
  ZSTD_CCtx_setParameter(s->context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(s->context, ZSTD_c_windowLog, window_log);
  return s;
}

static bool zstd_begin(void *state, uint64_t size) {
  zstd_state *s = state;
  s->begun = false;
  ZSTD_CCtx_reset(s->context, ZSTD_reset_session_only);
  return !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(s->context, size));
}

static bool zstd_write_whole(zstd_state *s, cpb_span in, cpb_buffer *out) {
  size_t bound = ZSTD_compressBound(in.size);
  if (!cpb_buffer_reserve(out, out->size + bound)) return false;
  size_t n = ZSTD_compress2(s->context, out->data + out->size, bound, in.data, in.size);
  if (ZSTD_isError(n)) return false;
  out->size += n;
  return true;
}

/* With enough room for all that is left, the library compresses it where it is, and then finds other matches. So the
 * room is always the same: `out` may have more, depending on what it held before. */
static bool zstd_write(void *state, cpb_span in, bool last, cpb_buffer *out) {
  zstd_state *s = state;
  const size_t room = ZSTD_CStreamOutSize();
  if (!s->begun && last && in.size <= WHOLE) return zstd_write_whole(s, in, out);
  s->begun = true;
  ZSTD_inBuffer input = {in.data, in.size, 0};
  size_t left;
  do {
    if (!cpb_buffer_reserve(out, out->size + room)) return false;
    ZSTD_outBuffer output = {out->data, out->size + room, out->size};
    left = ZSTD_compressStream2(s->context, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) return false;
    out->size = output.pos;
  } while (input.pos < input.size || (last && left > 0));
  return true;
}

const cpb_encoder cpb_encoder_zstd = {
    .type = CPB_RIEGELI_ZSTD,
    .level_default = 3,
    .window_min = 10,
    .window_max = sizeof(size_t) == 4 ? 30 : 31,
    .create = zstd_create,
    .destroy = zstd_destroy,
    .begin = zstd_begin,
    .write = zstd_write,
};
