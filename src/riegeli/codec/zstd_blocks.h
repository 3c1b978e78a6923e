/* A Zstd frame, decoded block by block into a ring buffer of our own, which is the least
 * memory in which it can stream: libzstd itself takes up to 128 KiB more, depending on its
 * version. */
#ifndef CPB_RIEGELI_CODEC_ZSTD_BLOCKS_H
#define CPB_RIEGELI_CODEC_ZSTD_BLOCKS_H

#define ZSTD_STATIC_LINKING_ONLY /* decoding by blocks */
#include <zstd.h>

#include "riegeli/codec/codec.h"

#define CPB_ZSTD_HEADER_MAX 18 /* bytes of a frame header (RFC 8878, section 3.1.1.1) */

typedef struct cpb_zstd_blocks {
  cpb_codec_memory *memory;
  ZSTD_DCtx *context;
  uint8_t *in, *ring; /* one allocation; NULL until the frame header was read */
  size_t block_size;  /* the largest block, stored or decoded */
  size_t ring_size;
  size_t in_have;   /* bytes collected of those that the context needs next */
  size_t at, given; /* ring[given, at) was decoded, but not yet returned */
  uint8_t header[CPB_ZSTD_HEADER_MAX];
  size_t header_size;
} cpb_zstd_blocks;

void cpb_zstd_blocks_init(cpb_zstd_blocks *b, cpb_codec_memory *memory, ZSTD_DCtx *context);
void cpb_zstd_blocks_free(cpb_zstd_blocks *b);

/* Begins a frame. Returns 0 or an error of libzstd. */
size_t cpb_zstd_blocks_begin(cpb_zstd_blocks *b);

/* Decodes until the input is used up, the room is full or the frame ends. Returns 0 at the
 * end of the frame, an error of libzstd, or 1. */
size_t cpb_zstd_blocks_read(cpb_zstd_blocks *b, cpb_decode_io *io);

#endif
