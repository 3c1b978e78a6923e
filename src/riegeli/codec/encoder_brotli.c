#include <brotli/encode.h>

#include "base/checked.h"
#include "riegeli/codec/encoder.h"

/* As it is built by default, libbrotlienc calls exit() when memory is short. So the allocator
 * leaves it with longjmp() instead, and takes back all of its memory. If it was built with
 * BROTLI_ENCODER_CLEANUP_ON_OOM, CPB_BROTLI_CLEANS_UP says that none of this is needed. */
#ifndef CPB_BROTLI_CLEANS_UP
#  include <setjmp.h>
#endif

typedef struct brotli_state {
  cpb_codec_memory *memory;
  BrotliEncoderState *stream;
  int level, window_log;
#ifndef CPB_BROTLI_CLEANS_UP
  jmp_buf before;
#endif
} brotli_state;

static void *brotli_create(cpb_codec_memory *memory, int level, int window_log) {
  brotli_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  if (!s) return NULL;
  s->memory = memory;
  s->level = level;
  s->window_log = window_log;
  return s;
}

static void brotli_close(brotli_state *s) {
  if (s->stream) BrotliEncoderDestroyInstance(s->stream);
  s->stream = NULL;
}

static void brotli_destroy(void *state) {
  brotli_state *s = state;
  brotli_close(s);
  cpb_release(&s->memory->allocator, s);
}

/* The smallest window that spans the content, but at most the default. Brotli's windows reach
 * 16 bytes less than their power of two. */
static int fitting_window(uint64_t size) {
  int log = BROTLI_MIN_WINDOW_BITS;
  while (log < BROTLI_DEFAULT_WINDOW && ((uint64_t)1 << log) - 16 < size) log++;
  return log;
}

static bool brotli_begin(void *state, uint64_t size) {
  brotli_state *s = state;
  brotli_close(s);
  s->stream = BrotliEncoderCreateInstance(cpb_codec_allocate, cpb_codec_release, s->memory);
  if (!s->stream) return false;
  int window_log = s->window_log != 0 ? s->window_log : fitting_window(size);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_QUALITY, (uint32_t)s->level);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_LARGE_WINDOW, window_log > BROTLI_MAX_WINDOW_BITS);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_LGWIN, (uint32_t)window_log);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_SIZE_HINT, (uint32_t)cpb_min_u64(size, 1u << 30));
  return true;
}

#ifdef CPB_BROTLI_CLEANS_UP
#  define compress_some compress
#else
static bool compress_some(brotli_state *s, BrotliEncoderOperation operation, cpb_span *in);

static void leave(void *user) { longjmp(((brotli_state *)user)->before, 1); }

static bool compress(brotli_state *s, BrotliEncoderOperation operation, cpb_span *in) {
  if (setjmp(s->before) != 0) {
    cpb_codec_memory_abandon(s->memory);
    s->memory->escape = NULL;
    s->stream = NULL;
    return false;
  }
  s->memory->escape = leave;
  s->memory->escape_user = s;
  bool ok = compress_some(s, operation, in);
  s->memory->escape = NULL;
  return ok;
}
#endif

static bool compress_some(brotli_state *s, BrotliEncoderOperation operation, cpb_span *in) {
  size_t no_room = 0;
  return BrotliEncoderCompressStream(s->stream, operation, &in->size, &in->data, &no_room, NULL, NULL);
}

static bool brotli_write(void *state, cpb_span in, bool last, cpb_buffer *out) {
  brotli_state *s = state;
  BrotliEncoderOperation operation = last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS;
  do {
    if (!s->stream || !compress(s, operation, &in)) return false;
    size_t ready = 0;
    const uint8_t *bytes = BrotliEncoderTakeOutput(s->stream, &ready);
    if (!cpb_buffer_append(out, bytes, ready)) return false;
  } while (in.size > 0 || BrotliEncoderHasMoreOutput(s->stream) || (last && !BrotliEncoderIsFinished(s->stream)));
  return true;
}

const cpb_encoder cpb_encoder_brotli = {
    .type = CPB_RIEGELI_BROTLI,
    .level_min = BROTLI_MIN_QUALITY,
    .level_max = BROTLI_MAX_QUALITY,
    .level_default = 6,
    .window_min = BROTLI_MIN_WINDOW_BITS,
    .window_max = BROTLI_LARGE_MAX_WINDOW_BITS,
    .create = brotli_create,
    .destroy = brotli_destroy,
    .begin = brotli_begin,
    .write = brotli_write,
};
