#include <brotli/encode.h>

#include "base/checked.h"
#include "riegeli/codec/codec.h"

/* As it is built by default, libbrotlienc calls exit() when memory is short. So the allocator
 * leaves it with longjmp() instead, and takes back all of its memory. If it was built with
 * BROTLI_ENCODER_CLEANUP_ON_OOM, CPB_BROTLI_CLEANS_UP says that none of this is needed. */
#ifndef CPB_BROTLI_CLEANS_UP
#  include <setjmp.h>
#endif

/* Noise in a buffer of so many bytes is stored, as the library would do at these levels in the end,
 * but a tenth as fast. Whether it is noise does not depend on the pieces in which it comes: so
 * these are put together. */
enum { NOISE_LEAST = 64 << 10, NOISE_MOST = 4 << 20, NOISE_LEVEL = 9 };

typedef struct brotli_state {
  cpb_codec_memory *memory;
  BrotliEncoderState *stream; /* NULL before anything is compressed */
  uint64_t size;              /* of the buffer */
  bool undecided;             /* it may be noise */
  cpb_buffer gathered;        /* its beginning, while that is undecided */
  int level, window_log;
#ifndef CPB_BROTLI_CLEANS_UP
  jmp_buf before;
#endif
} brotli_state;

static void *brotli_create(cpb_codec_memory *memory, int level, int window_log) {
  brotli_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  if (!s) return NULL;
  s->memory = memory;
  cpb_buffer_init(&s->gathered, &memory->allocator);
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
  cpb_buffer_free(&s->gathered);
  cpb_release(&s->memory->allocator, s);
}

/* The smallest window that spans the content, but at most the default. Brotli's windows reach
 * 16 bytes less than their power of two. */
static int fitting_window(uint64_t size) {
  int log = BROTLI_MIN_WINDOW_BITS;
  while (log < BROTLI_DEFAULT_WINDOW && ((uint64_t)1 << log) - 16 < size) log++;
  return log;
}

/* From 1 MiB on, the library looks for matches of five bytes and not of four, which for messages takes
 * longer and finds less. Riegeli gives it no hint: then that of the first piece counts. */
#define MOST_HINT ((1u << 20) - 1)

static bool brotli_begin(void *state, uint64_t size) {
  brotli_state *s = state;
  brotli_close(s);
  s->size = size;
  s->undecided = s->level <= NOISE_LEVEL && size >= NOISE_LEAST && size <= NOISE_MOST;
  cpb_buffer_reset(&s->gathered, NOISE_MOST);
  return true;
}

/* At the highest levels the library computes for minutes, in memory that it gives back after each block of input and
 * gets again. So the host's allocator is asked each time: one that refuses ends what is under way. */
#define ASK_LEAST ((size_t)64 << 10)

static void *brotli_allocate(void *opaque, size_t size) {
  cpb_codec_memory *memory = opaque;
  if (size >= ASK_LEAST) {
    void *one = cpb_alloc(&memory->allocator, 1);
    if (!one && memory->escape) memory->escape(memory->escape_user);
    if (!one) return NULL;
    cpb_release(&memory->allocator, one);
  }
  return cpb_codec_allocate(memory, size);
}

static bool open_stream(brotli_state *s) {
  s->stream = BrotliEncoderCreateInstance(brotli_allocate, cpb_codec_release, s->memory);
  if (!s->stream) return false;
  int window_log = s->window_log != 0 ? s->window_log : fitting_window(s->size);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_QUALITY, (uint32_t)s->level);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_LARGE_WINDOW, window_log > BROTLI_MAX_WINDOW_BITS);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_LGWIN, (uint32_t)window_log);
  BrotliEncoderSetParameter(s->stream, BROTLI_PARAM_SIZE_HINT, (uint32_t)cpb_min_u64(s->size, MOST_HINT));
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

static bool write_stream(brotli_state *s, cpb_span in, bool last, cpb_buffer *out) {
  BrotliEncoderOperation operation = last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS;
  do {
    if (!s->stream || !compress(s, operation, &in)) return false;
    size_t ready = 0;
    const uint8_t *bytes = BrotliEncoderTakeOutput(s->stream, &ready);
    if (!cpb_buffer_append(out, bytes, ready)) return false;
  } while (in.size > 0 || BrotliEncoderHasMoreOutput(s->stream) || (last && !BrotliEncoderIsFinished(s->stream)));
  return true;
}

/* The smallest window, an uncompressed meta-block and an empty last one (RFC 7932, section 9). */
static bool store(cpb_span in, cpb_buffer *out) {
  static const uint8_t last = 3;
  uint8_t head[4];
  const unsigned length = (unsigned)in.size - 1;
  const unsigned nibbles = length < 1u << 16 ? 4 : length < 1u << 20 ? 5 : 6;
  cpb_store32(head, (nibbles - 4) << 2 | length << 4 | 1u << (4 + 4 * nibbles));
  return cpb_buffer_append(out, head, nibbles == 4 ? 3 : 4) && cpb_buffer_append(out, in.data, in.size) &&
         cpb_buffer_append(out, &last, 1);
}

/* False: memory is short. */
static bool find_noise(brotli_state *s, cpb_span in, bool *noise) {
  uint32_t *table = cpb_alloc(&s->memory->allocator, cpb_noise_table(in.size) * sizeof *table);
  if (!table) return false;
  *noise = cpb_is_noise(in, table);
  cpb_release(&s->memory->allocator, table);
  return true;
}

static bool brotli_write(void *state, cpb_span in, bool last, cpb_buffer *out) {
  brotli_state *s = state;
  if (s->undecided && in.size < s->size) {
    if (!cpb_buffer_append(&s->gathered, in.data, in.size)) return false;
    if (!last) return true;
    in = (cpb_span){s->gathered.data, s->gathered.size};
  }
  if (s->undecided) {
    bool noise;
    s->undecided = false;
    if (!find_noise(s, in, &noise)) return false;
    if (noise) return store(in, out);
  }
  if (!s->stream && !open_stream(s)) return false;
  return write_stream(s, in, last, out);
}

const cpb_encoder cpb_encoder_brotli = {
    .type = CPB_RIEGELI_BROTLI,
    .level_default = 6,
    .window_min = BROTLI_MIN_WINDOW_BITS,
    .window_max = BROTLI_LARGE_MAX_WINDOW_BITS,
    .create = brotli_create,
    .destroy = brotli_destroy,
    .begin = brotli_begin,
    .write = brotli_write,
};
