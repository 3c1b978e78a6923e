/* The interface of an encoder to compressor.c. It writes the codec's own stream, without the size that precedes it in
 * Riegeli. */
#ifndef CPB_RIEGELI_CODEC_ENCODER_H
#define CPB_RIEGELI_CODEC_ENCODER_H

#include "base/bytes.h"
#include "riegeli/codec/memory.h"

typedef struct cpb_encoder {
  uint8_t type;
  int level_default;          /* in the library's own numbers */
  int window_min, window_max; /* 0: no choice of windows */
  uint64_t size_max;          /* largest size it can encode; 0: unbounded */
  /* NULL: this build lacks the encoder. Returns NULL if memory is short. */
  void *(*create)(cpb_codec_memory *memory, int level, int window_log);
  void (*destroy)(void *state);
  bool (*begin)(void *state, uint64_t size); /* false: memory is short */
  /* `last`: the stream ends with `in`. False: memory is short. */
  bool (*write)(void *state, cpb_span in, bool last, cpb_buffer *out);
} cpb_encoder;

extern const cpb_encoder cpb_encoder_brotli, cpb_encoder_snappy, cpb_encoder_zstd;

#endif
