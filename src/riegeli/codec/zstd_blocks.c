#include "riegeli/codec/zstd_blocks.h"

#include <string.h>
#include <zstd_errors.h>

#include "base/checked.h"

enum {
  GO_ON = 1,
  OVERSHOOT = 64, /* libzstd copies 32 bytes at a time and may write past a block's end */
  LEAST_IN = 4    /* a block header, a checksum */
};

void cpb_zstd_blocks_init(cpb_zstd_blocks *b, cpb_codec_memory *memory, ZSTD_DCtx *context) {
  memset(b, 0, sizeof *b);
  b->memory = memory;
  b->context = context;
}

void cpb_zstd_blocks_free(cpb_zstd_blocks *b) {
  cpb_codec_release(b->memory, b->in);
  b->in = b->ring = NULL;
}

size_t cpb_zstd_blocks_begin(cpb_zstd_blocks *b) {
  cpb_zstd_blocks_free(b);
  b->in_have = b->at = b->given = b->header_size = 0;
  return ZSTD_decompressBegin(b->context);
}

/* The ring holds the window, the block being decoded, and as much again: libzstd puts a
 * block's literals past the end of its output first, where they must not reach the window
 * that begins there after the ring has wrapped. */
static size_t make_ring(cpb_zstd_blocks *b) {
  ZSTD_frameHeader header;
  size_t result = ZSTD_getFrameHeader(&header, b->header, b->header_size);
  if (ZSTD_isError(result)) return result;
  size_t in_size = cpb_max_size(header.blockSizeMax, LEAST_IN);
  uint64_t all, rest = 2 * (uint64_t)header.blockSizeMax + OVERSHOOT + in_size;
  bool fits = cpb_add_u64(header.windowSize, rest, &all) && all < SIZE_MAX; /* a window may claim 2^64 - 1 bytes */
  b->in = fits ? cpb_codec_allocate(b->memory, (size_t)all) : NULL;
  b->memory->refused |= !fits;
  if (!b->in) return (size_t)-ZSTD_error_memory_allocation;
  b->block_size = header.blockSizeMax;
  b->ring = b->in + in_size;
  b->ring_size = (size_t)all - in_size;
  return GO_ON;
}

/* The `need` bytes that the context wants next, or NULL while some are missing. They are
 * copied only if they come in pieces. */
static const uint8_t *gather(cpb_zstd_blocks *b, size_t need, cpb_decode_io *io) {
  bool in_header = !b->ring;
  uint8_t *to = in_header ? b->header + b->header_size : b->in;
  const uint8_t *from = io->in.data;
  size_t size = cpb_min_size(need - b->in_have, io->in.size);
  bool direct = !in_header && size == need;
  if (!direct && size > 0) memcpy(to + b->in_have, from, size);
  cpb_decode_advance(io, size, 0);
  b->in_have += size;
  if (b->in_have < need) return NULL;
  b->in_have = 0;
  if (in_header) b->header_size += need;
  return direct ? from : to;
}

static size_t hand_out(cpb_zstd_blocks *b, cpb_decode_io *io) {
  size_t size = cpb_min_size(b->at - b->given, io->room);
  if (size > 0) memcpy(io->out, b->ring + b->given, size);
  cpb_decode_advance(io, 0, size);
  b->given += size;
  return b->at - b->given;
}

/* Where to decode the next block to. The context sees a break in the addresses, and takes the bytes decoded before as
 * the window. */
static uint8_t *next_place(cpb_zstd_blocks *b) {
  if (!b->ring) return NULL;
  if (b->at + b->block_size > b->ring_size) b->at = b->given = 0;
  return b->ring + b->at;
}

static size_t decode_next(cpb_zstd_blocks *b, const uint8_t *from, size_t size) {
  bool in_header = !b->ring;
  uint8_t *place = next_place(b);
  size_t result = ZSTD_decompressContinue(b->context, place, in_header ? 0 : b->block_size, from, size);
  if (ZSTD_isError(result)) return result;
  bool has_header = in_header && b->header_size >= ZSTD_frameHeaderSize(b->header, b->header_size);
  if (has_header) return make_ring(b);
  b->at += result;
  return GO_ON;
}

size_t cpb_zstd_blocks_read(cpb_zstd_blocks *b, cpb_decode_io *io) {
  for (;;) {
    if (hand_out(b, io) > 0) return GO_ON;
    size_t need = ZSTD_nextSrcSizeToDecompress(b->context);
    if (need == 0) return 0;
    const uint8_t *from = gather(b, need, io);
    if (!from) return GO_ON;
    size_t result = decode_next(b, from, need);
    if (ZSTD_isError(result)) return result;
  }
}
