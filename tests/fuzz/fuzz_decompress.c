/* The decompressors: [codec 1][piece size 1][compressed buffer]. Pieces of any
 * size give what one piece gives, and so does decoding in little memory. */
#include <string.h>

#include "base/limits.h"
#include "fuzz.h"
#include "riegeli/codec/decompressor.h"

static const uint8_t codecs[] = {CPB_RIEGELI_NONE, CPB_RIEGELI_BROTLI, CPB_RIEGELI_ZSTD, CPB_RIEGELI_SNAPPY};

/* Decodes piece by piece; returns whether it came to a good end. */
static int in_pieces(uint8_t codec, fuzz_in in, size_t piece, int frugal, cpb_buffer *out) {
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_limits limits = cpb_limits_or_default(&fuzz_limits);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(&system, &limits, codec, in.size, &error);
  if (d == NULL) return 0;
  if (frugal) cpb_decompressor_be_frugal(d);
  uint8_t room[257];
  size_t got = 1;
  while (out->size < 1 << 20 && (in.size > 0 || got > 0)) {
    fuzz_in now = fuzz_bytes(&in, piece);
    cpb_span span = {now.data, now.size};
    got = cpb_decompressor_read(d, &span, room, sizeof room);
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
  int good = cpb_decompress_all(&system, &limits, codec, (cpb_span){in.data, in.size}, 1 << 20, &whole, &error);
  fuzz_check(good == (error.code == CPB_OK));
  for (int frugal = 0; frugal < 2; frugal++) {
    cpb_buffer cut;
    cpb_buffer_init(&cut, &system);
    int good_cut = in_pieces(codec, in, piece, frugal, &cut);
    if (good)
      fuzz_check(good_cut && whole.size == cut.size &&
                 (whole.size == 0 || memcmp(whole.data, cut.data, whole.size) == 0));
    cpb_buffer_free(&cut);
  }
  cpb_buffer_free(&whole);
  return 0;
}
