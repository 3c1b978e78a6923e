/* Brotli and Zstd, decoded by the host (cpb/host_codec.h): a stream is collected, decoded at once, and returned.
 * Replaces decoder_brotli.c and decoder_zstd.c. */
#include "base/checked.h"
#include "cpb/host_codec.h"
#include "riegeli/codec/decoder.h"
#include "riegeli/codec/encoder.h"

typedef struct host_state {
  cpb_codec_memory *memory;
  cpb_buffer stored;  /* the stream so far, unless it came in one piece */
  cpb_buffer decoded; /* unless the caller had room for all of it */
  size_t given;       /* bytes of `decoded` returned so far */
  bool ready;
} host_state;

static void *host_create(cpb_codec_memory *memory) {
  host_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  if (!s) return NULL;
  s->memory = memory;
  cpb_buffer_init(&s->stored, &memory->allocator);
  cpb_buffer_init(&s->decoded, &memory->allocator);
  return s;
}

static void host_destroy(void *state) {
  host_state *s = state;
  cpb_buffer_free(&s->stored);
  cpb_buffer_free(&s->decoded);
  cpb_release(&s->memory->allocator, s);
}

/* Buffers up to this size are kept for the next stream. */
enum { KEEP = 2 << 20 };

static bool host_begin(void *state, cpb_codec_error *error) {
  host_state *s = state;
  (void)error;
  cpb_buffer_reset(&s->stored, KEEP);
  cpb_buffer_reset(&s->decoded, KEEP);
  s->given = 0;
  s->ready = false;
  return true;
}

static cpb_decode fail(cpb_codec_error *error, cpb_code code, const char *what) {
  cpb_codec_fail(error, code, what);
  return CPB_DECODE_FAILED;
}

static cpb_decode failed(uint8_t codec, int32_t result, cpb_codec_error *error) {
  bool brotli = codec == CPB_RIEGELI_BROTLI;
  switch (result) {
    case CPB_HOST_DECODE_UNSUPPORTED:
      return fail(error, CPB_E_UNSUPPORTED,
                  brotli ? "Brotli: the host has no decoder for it" : "Zstd: the host has no decoder for it");
    case CPB_HOST_DECODE_MEMORY: return fail(error, CPB_E_MEMORY, "out of memory");
    default:
      return fail(error, CPB_E_DAMAGED,
                  brotli ? "Brotli: the host's decoder reports a damaged stream"
                         : "Zstd: the host's decoder reports a damaged frame");
  }
}

static cpb_decode hand_out(host_state *s, cpb_decode_io *io) {
  size_t n = cpb_min_size(s->decoded.size - s->given, io->room);
  if (n > 0) memcpy(io->out, s->decoded.data + s->given, n);
  s->given += n;
  cpb_decode_advance(io, 0, n);
  return s->given == s->decoded.size ? CPB_DECODE_END : CPB_DECODE_MORE;
}

/* Decodes `stored` to `out`, which has room for `size` bytes. */
static bool decode(uint8_t codec, cpb_span stored, uint8_t *out, size_t size, size_t *decoded, cpb_codec_error *error) {
  int32_t result = cpb_host_decode(codec, stored.data, stored.size, out, size);
  if (result < 0 || (size_t)result > size) {
    failed(codec, result, error);
    return false;
  }
  *decoded = (size_t)result;
  return true;
}

/* The stream is complete: the stored bytes, followed by io->in. */
static cpb_decode decode_all(host_state *s, uint8_t codec, cpb_decode_io *io, cpb_codec_error *error) {
  cpb_span stored = io->in;
  if (io->claimed > cpb_min_u64(s->memory->whole, INT32_MAX))
    return fail(error, CPB_E_LIMIT, "the decompressed size exceeds the limit for decoding by the host");
  size_t size = (size_t)io->claimed, decoded;
  if (s->stored.size > 0) {
    if (!cpb_buffer_append(&s->stored, io->in.data, io->in.size)) return failed(codec, CPB_HOST_DECODE_MEMORY, error);
    stored = (cpb_span){s->stored.data, s->stored.size};
  }
  if (size > 0 && io->room >= size) {
    if (!decode(codec, stored, io->out, size, &decoded, error)) return CPB_DECODE_FAILED;
    cpb_decode_advance(io, io->in.size, decoded);
    return CPB_DECODE_END;
  }
  if (!cpb_buffer_reserve(&s->decoded, cpb_max_size(size, 1))) return failed(codec, CPB_HOST_DECODE_MEMORY, error);
  if (!decode(codec, stored, s->decoded.data, size, &s->decoded.size, error)) return CPB_DECODE_FAILED;
  s->ready = true;
  cpb_buffer_reset(&s->stored, KEEP);
  cpb_decode_advance(io, io->in.size, 0);
  return hand_out(s, io);
}

static cpb_decode read(host_state *s, uint8_t codec, cpb_decode_io *io, cpb_codec_error *error) {
  if (s->ready) return hand_out(s, io);
  if (io->last) {
    /* With some room it may go straight to the caller's memory: so it waits for that. */
    bool wait = io->room == 0 && io->claimed > 0;
    return wait ? CPB_DECODE_MORE : decode_all(s, codec, io, error);
  }
  if (!cpb_buffer_append(&s->stored, io->in.data, io->in.size)) return failed(codec, CPB_HOST_DECODE_MEMORY, error);
  cpb_decode_advance(io, io->in.size, 0);
  return CPB_DECODE_MORE;
}

static cpb_decode read_brotli(void *state, cpb_decode_io *io, cpb_codec_error *error) {
  return read(state, CPB_RIEGELI_BROTLI, io, error);
}

static cpb_decode read_zstd(void *state, cpb_decode_io *io, cpb_codec_error *error) {
  return read(state, CPB_RIEGELI_ZSTD, io, error);
}

/* The host checks that the stream ends where its input does. */
const cpb_decoder cpb_decoder_brotli = {
    .codec = CPB_RIEGELI_BROTLI,
    .early_end = "Brotli: the stream ends early",
    .trailing = "Brotli: bytes after the end of the stream",
    .create = host_create,
    .destroy = host_destroy,
    .begin = host_begin,
    .read = read_brotli,
};
const cpb_decoder cpb_decoder_zstd = {
    .codec = CPB_RIEGELI_ZSTD,
    .early_end = "Zstd: the frame ends early",
    .trailing = "Zstd: bytes after the end of the frame",
    .create = host_create,
    .destroy = host_destroy,
    .begin = host_begin,
    .read = read_zstd,
};

const cpb_encoder cpb_encoder_brotli = {.type = CPB_RIEGELI_BROTLI};
const cpb_encoder cpb_encoder_zstd = {.type = CPB_RIEGELI_ZSTD};
