/* A Zstd frame decoded block by block into a ring of our own: the least memory in
 * which it can stream. What libzstd takes for that by itself differs from version
 * to version, and is 128 KiB more in some. */
#ifndef CPB_RIEGELI_CODEC_ZSTD_BLOCKS_H
#define CPB_RIEGELI_CODEC_ZSTD_BLOCKS_H

#define ZSTD_STATIC_LINKING_ONLY /* decoding by blocks */
#include <zstd.h>

#include "riegeli/codec/decoder.h"

#define CPB_ZSTD_HEADER_MAX 18 /* of a frame (RFC 8878, 3.1.1.1) */

typedef struct cpb_zstd_blocks {
  cpb_codec_memory *memory;
  ZSTD_DCtx *context;
  uint8_t *in, *ring; /* one allocation; NULL before the frame's header was read */
  size_t block_size;  /* the most that a block has, stored or decoded */
  size_t ring_size;
  size_t in_have;   /* of what the context wants next */
  size_t at, given; /* ring[given, at) is still to be handed out */
  uint8_t header[CPB_ZSTD_HEADER_MAX];
  size_t header_size;
} cpb_zstd_blocks;

void cpb_zstd_blocks_init(cpb_zstd_blocks *b, cpb_codec_memory *memory, ZSTD_DCtx *context);
void cpb_zstd_blocks_free(cpb_zstd_blocks *b);

/* A new frame. */
size_t cpb_zstd_blocks_begin(cpb_zstd_blocks *b);

/* Decodes until the input is used up, the room is full or the frame ends. Returns 0
 * at the frame's end, libzstd's error, or 1. */
size_t cpb_zstd_blocks_read(cpb_zstd_blocks *b, cpb_decode_io *io);

#endif
