/* What decompressor.c asks of a codec. A decoder sees the codec's own stream,
 * without the size that Riegeli puts in front. */
#ifndef CPB_RIEGELI_CODEC_DECODER_H
#define CPB_RIEGELI_CODEC_DECODER_H

#include "base/bytes.h"
#include "riegeli/codec/memory.h"

typedef enum cpb_decode {
  CPB_DECODE_MORE, /* `in` is used up or `out` is full */
  CPB_DECODE_END,  /* of the stream */
  CPB_DECODE_FAILED
} cpb_decode;

/* Input and output of one call, advanced by the decoder. */
typedef struct cpb_decode_io {
  cpb_span in;
  bool last; /* `in` reaches the end of the input */
  uint8_t *out;
  size_t room;
  uint64_t claimed; /* the size in front: a hint, it may lie */
  bool in_place;    /* all output before stays in front of `out`, unchanged, and
                       no more than `room` will follow: it serves as the window */
} cpb_decode_io;

typedef struct cpb_decoder {
  uint8_t codec;
  const char *early_end, *trailing;          /* error texts */
  void *(*create)(cpb_codec_memory *memory); /* NULL: no memory */
  void (*destroy)(void *state);
  bool (*begin)(void *state, cpb_codec_error *error); /* a new stream */
  cpb_decode (*read)(void *state, cpb_decode_io *io, cpb_codec_error *error);
  uint64_t (*window)(const void *state); /* of the stream that was begun; NULL: none */
} cpb_decoder;

extern const cpb_decoder cpb_decoder_brotli, cpb_decoder_zstd, cpb_decoder_snappy;

/* Where the last `size` bytes of output begin. */
static inline uint8_t *cpb_decode_back(const cpb_decode_io *io, size_t size) {
  return size > 0 ? io->out - size : io->out; /* nothing can be added to NULL */
}

static inline void cpb_decode_advance(cpb_decode_io *io, size_t taken, size_t given) {
  if (taken > 0) io->in.data += taken;
  if (given > 0) io->out += given;
  io->in.size -= taken;
  io->room -= given;
}

#endif
