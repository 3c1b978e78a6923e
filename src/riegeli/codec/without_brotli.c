/* For a build without Brotli. */
#include "riegeli/codec/codec.h"

static void *absent_create(cpb_codec_memory *memory) { return memory; }

static void absent_destroy(void *state) { (void)state; }

static bool absent_begin(void *state, cpb_codec_error *error) {
  (void)state;
  return cpb_codec_fail(error, CPB_E_UNSUPPORTED,
                        "this build of libcpb has no Brotli (CPB_WITH_BROTLI=OFF); use one with it"),
         false;
}

const cpb_decoder cpb_decoder_brotli = {
    .codec = CPB_RIEGELI_BROTLI,
    .create = absent_create,
    .destroy = absent_destroy,
    .begin = absent_begin,
};
const cpb_encoder cpb_encoder_brotli = {.type = CPB_RIEGELI_BROTLI};
