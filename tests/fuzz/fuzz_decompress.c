/* The decompressors: [codec 1][piece size 1][compressed buffer]. Pieces of any
 * size give what one piece gives, good or bad, with room for little or for all;
 * and what is good is so in little memory, too. */
#include <string.h>

#include "base/limits.h"
#include "fuzz.h"
#include "riegeli/codec/decompressor.h"

static const uint8_t codecs[] = {CPB_RIEGELI_NONE, CPB_RIEGELI_BROTLI, CPB_RIEGELI_ZSTD, CPB_RIEGELI_SNAPPY};

enum { MOST = 1 << 20, SOME = 257 };
static uint8_t room[MOST + 1];

/* Decodes piece by piece, each to so many bytes; returns whether it came to a good end. */
static int in_pieces(uint8_t codec, fuzz_in in, size_t piece, size_t most, int frugal, cpb_buffer *out) {
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_limits limits = cpb_limits_or_default(&fuzz_limits);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(&system, &limits, codec, in.size, &error);
  if (d == NULL) return 0;
  if (frugal) cpb_decompressor_be_frugal(d);
  size_t got = 1;
  while (out->size < MOST && (in.size > 0 || got > 0)) {
    fuzz_in now = fuzz_bytes(&in, piece);
    cpb_span span = {now.data, now.size};
    got = cpb_decompressor_read(d, &span, room, most);
    in.data -= span.size;
    in.size += span.size;
    fuzz_check(cpb_buffer_append(out, room, got));
    if (cpb_decompressor_error(d)->code != CPB_OK) break;
    if (got == 0 && span.size == now.size && now.size > 0) break;
  }
  int good = cpb_decompressor_error(d)->code == CPB_OK && cpb_decompressor_done(d);
  cpb_decompressor_free(d);
  return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint8_t codec = codecs[fuzz_number(&in, 1) & 3];
  size_t piece = 1 + fuzz_number(&in, 1);
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_limits limits = cpb_limits_or_default(&fuzz_limits);
  cpb_buffer whole;
  cpb_buffer_init(&whole, &system);
  cpb_codec_error error = {CPB_OK, NULL};
  int good = cpb_decompress_all(&system, &limits, codec, (cpb_span){in.data, in.size}, MOST, &whole, &error);
  fuzz_check(good == (error.code == CPB_OK));
  for (int way = 0; way < 4; way++) {
    int frugal = way == 3;
    cpb_buffer cut;
    cpb_buffer_init(&cut, &system);
    int good_cut = in_pieces(codec, in, way == 1 ? SIZE_MAX : piece, way == 2 ? SOME : sizeof room, frugal, &cut);
    fuzz_check(good ? good_cut : frugal || !good_cut || cut.size > MOST);
    if (good) fuzz_check(whole.size == cut.size && (whole.size == 0 || memcmp(whole.data, cut.data, whole.size) == 0));
    cpb_buffer_free(&cut);
  }
  cpb_buffer_free(&whole);
  return 0;
}
