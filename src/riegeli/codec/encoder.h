/* What compressor.c asks of a codec. An encoder writes the codec's own stream,
 * without the size that Riegeli puts in front. */
#ifndef CPB_RIEGELI_CODEC_ENCODER_H
#define CPB_RIEGELI_CODEC_ENCODER_H

#include "base/bytes.h"
#include "riegeli/codec/memory.h"

typedef struct cpb_encoder {
  uint8_t type;
  int level_min, level_max, level_default; /* as the library counts them */
  int window_min, window_max;
  /* NULL when this build has no such encoder; returns NULL without memory. */
  void *(*create)(cpb_codec_memory *memory, int level, int window_log);
  void (*destroy)(void *state);
  bool (*begin)(void *state, uint64_t size); /* false: no memory */
  /* `last`: the buffer ends with `in`. False: no memory. */
  bool (*write)(void *state, cpb_span in, bool last, cpb_buffer *out);
} cpb_encoder;

extern const cpb_encoder cpb_encoder_brotli, cpb_encoder_zstd;

#endif
