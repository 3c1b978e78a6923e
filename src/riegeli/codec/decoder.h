/* The interface of a decoder to decompressor.c. It decodes the codec's own stream, without
 * the size with which Riegeli prefixes it. */
#ifndef CPB_RIEGELI_CODEC_DECODER_H
#define CPB_RIEGELI_CODEC_DECODER_H

#include "base/bytes.h"
#include "riegeli/codec/memory.h"

typedef enum cpb_decode {
  CPB_DECODE_MORE, /* `in` is used up or `out` is full */
  CPB_DECODE_END,  /* of the stream */
  CPB_DECODE_FAILED
} cpb_decode;

/* Input and output of one call, which the decoder advances. */
typedef struct cpb_decode_io {
  cpb_span in;
  bool last; /* the input ends with `in` */
  uint8_t *out;
  size_t room;
  uint64_t claimed; /* the decompressed size that the prefix claims; it may be wrong */
  bool in_place;    /* all earlier output precedes `out`, unchanged, and no more than
                       `room` will follow: so it can serve as the window */
} cpb_decode_io;

typedef struct cpb_decoder {
  uint8_t codec;
  const char *early_end, *trailing;          /* error messages */
  void *(*create)(cpb_codec_memory *memory); /* NULL: no memory */
  void (*destroy)(void *state);
  bool (*begin)(void *state, cpb_codec_error *error); /* a new stream */
  cpb_decode (*read)(void *state, cpb_decode_io *io, cpb_codec_error *error);
  uint64_t (*window)(const void *state); /* of the current stream, in bytes; NULL: none */
  bool (*waits)(void);                   /* for its dictionary, without which it cannot begin; NULL: never */
} cpb_decoder;

extern const cpb_decoder cpb_decoder_brotli, cpb_decoder_zstd, cpb_decoder_snappy;

/* Where the last `size` bytes of output begin, for `in_place`. */
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
