/* For a build without decoders, which reads only uncompressed data. */
#include "riegeli/codec/codec.h"

static void *absent_create(cpb_codec_memory *memory) { return memory; }

static void absent_destroy(void *state) { (void)state; }

static bool absent_begin(void *state, cpb_codec_error *error) {
  (void)state;
  return cpb_codec_fail(error, CPB_E_UNSUPPORTED, "this build of libcpb can only read what is not compressed"), false;
}

#define ABSENT(name, letter)               \
  const cpb_decoder cpb_decoder_##name = { \
      .codec = letter, .create = absent_create, .destroy = absent_destroy, .begin = absent_begin}

ABSENT(brotli, CPB_RIEGELI_BROTLI);
ABSENT(zstd, CPB_RIEGELI_ZSTD);
ABSENT(snappy, CPB_RIEGELI_SNAPPY);
