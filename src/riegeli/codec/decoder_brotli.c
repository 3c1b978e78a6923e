#include <brotli/decode.h>

#include "riegeli/codec/codec.h"

typedef struct brotli_state {
  cpb_codec_memory *memory;
  BrotliDecoderState *stream;
  uint8_t first[2]; /* the first bytes of the stream, which give its window */
  size_t num_first;
} brotli_state;

static void *brotli_create(cpb_codec_memory *memory) {
  brotli_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  if (s) s->memory = memory;
  return s;
}

static void brotli_close(brotli_state *s) {
  if (s->stream) BrotliDecoderDestroyInstance(s->stream);
  s->stream = NULL;
}

static void brotli_destroy(void *state) {
  brotli_state *s = state;
  brotli_close(s);
  cpb_release(&s->memory->allocator, s);
}

static bool brotli_begin(void *state, cpb_codec_error *error) {
  brotli_state *s = state;
  brotli_close(s);
  s->num_first = 0;
  s->stream = BrotliDecoderCreateInstance(cpb_codec_allocate, cpb_codec_release, s->memory);
  if (!s->stream) return cpb_codec_fail(error, CPB_E_MEMORY, "out of memory"), false;
  BrotliDecoderSetParameter(s->stream, BROTLI_DECODER_PARAM_LARGE_WINDOW, 1);
  return true;
}

static cpb_decode brotli_failed(brotli_state *s, cpb_codec_error *error) {
  BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(s->stream);
  if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
    cpb_codec_no_memory(s->memory, error, "Brotli: the window is larger than the limit");
  else if (code == BROTLI_DECODER_ERROR_FORMAT_DISTANCE)
    cpb_codec_fail(error, CPB_E_DAMAGED, "Brotli: a distance goes back past the beginning");
  else if (code == BROTLI_DECODER_ERROR_FORMAT_WINDOW_BITS)
    cpb_codec_fail(error, CPB_E_DAMAGED, "Brotli: the window size is invalid");
  else cpb_codec_fail(error, CPB_E_DAMAGED, "Brotli: the stream is damaged");
  return CPB_DECODE_FAILED;
}

static cpb_decode brotli_read(void *state, cpb_decode_io *io, cpb_codec_error *error) {
  brotli_state *s = state;
  size_t in_left = io->in.size, room = io->room;
  const uint8_t *in = io->in.data;
  uint8_t *out = io->out;
  for (size_t i = 0; i < in_left && s->num_first < sizeof s->first; i++) s->first[s->num_first++] = in[i];
  BrotliDecoderResult result = BrotliDecoderDecompressStream(s->stream, &in_left, &in, &room, &out, NULL);
  cpb_decode_advance(io, io->in.size - in_left, io->room - room);
  if (result == BROTLI_DECODER_RESULT_ERROR) return brotli_failed(s, error);
  return result == BROTLI_DECODER_RESULT_SUCCESS ? CPB_DECODE_END : CPB_DECODE_MORE;
}

/* WBITS, in the first bits of the stream (RFC 7932, section 9.1). A large window has an invalid
 * code there, and then 6 bits of its own. */
static unsigned window_bits(const brotli_state *s) {
  unsigned bits = s->num_first > 0 ? s->first[0] : 0;
  if ((bits & 1) == 0) return 16;
  if ((bits >> 1 & 7) != 0) return 17 + (bits >> 1 & 7);
  if ((bits >> 4 & 7) == 0) return 17;
  if ((bits >> 4 & 7) != 1) return 8 + (bits >> 4 & 7);
  return s->num_first > 1 ? s->first[1] & 63 : 0;
}

static uint64_t brotli_window(const void *state) { return (uint64_t)1 << window_bits(state); }

#ifdef CPB_BROTLI_DICTIONARY_LATER
#  include <common/dictionary.h>
static bool brotli_waits(void) { return !BrotliGetDictionary()->data; }
#else
#  define brotli_waits NULL
#endif

const cpb_decoder cpb_decoder_brotli = {
    .codec = CPB_RIEGELI_BROTLI,
    .early_end = "Brotli: the stream ends early",
    .trailing = "Brotli: bytes after the end of the stream",
    .create = brotli_create,
    .destroy = brotli_destroy,
    .begin = brotli_begin,
    .read = brotli_read,
    .window = brotli_window,
    .waits = brotli_waits,
};
