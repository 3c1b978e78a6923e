#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* custom memory */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/checked.h"
#include "riegeli/codec/codec.h"
#include "riegeli/codec/zstd_blocks.h"

/* Whether frames are decoded block by block: 1, always, which takes less code and less memory,
 * but copies all output once; 0, only where memory is bounded. */
#ifndef CPB_ZSTD_BY_BLOCKS
#  define CPB_ZSTD_BY_BLOCKS 0
#endif

#define NO_FRAME "Zstd: no frame begins here"

typedef struct zstd_state {
  cpb_codec_memory *memory;
  ZSTD_DCtx *context;
  bool begun;        /* the context has got the first bytes of the frame */
  bool in_place;     /* the context uses the output as its window */
  bool hungry, full; /* the last call ended for want of input, or of room */
  uint8_t header[CPB_ZSTD_HEADER_MAX];
  size_t header_size;
  uint64_t produced;
  bool by_blocks; /* the frame is decoded with `blocks` */
  cpb_zstd_blocks blocks;
} zstd_state;

static void zstd_destroy(void *state) {
  zstd_state *s = state;
  cpb_zstd_blocks_free(&s->blocks);
  ZSTD_freeDCtx(s->context);
  cpb_release(&s->memory->allocator, s);
}

static void *zstd_create(cpb_codec_memory *memory) {
  zstd_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  if (!s) return NULL;
  s->memory = memory;
  s->context = ZSTD_createDCtx_advanced((ZSTD_customMem){cpb_codec_allocate, cpb_codec_release, memory});
  cpb_zstd_blocks_init(&s->blocks, memory, s->context);
  if (!s->context) {
    zstd_destroy(s);
    return NULL;
  }
  /* Any window is allowed here: its memory is limited by the codec memory (codec.h). */
  ZSTD_DCtx_setParameter(s->context, ZSTD_d_windowLogMax, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  return s;
}

static bool zstd_begin(void *state, cpb_codec_error *error) {
  zstd_state *s = state;
  (void)error;
  ZSTD_DCtx_reset(s->context, ZSTD_reset_session_only);
  cpb_zstd_blocks_free(&s->blocks);
  s->begun = s->full = s->in_place = s->by_blocks = false;
  s->hungry = true;
  s->header_size = 0;
  s->produced = 0;
  return true;
}

static cpb_decode zstd_failed(zstd_state *s, size_t result, cpb_codec_error *error) {
  static const struct {
    ZSTD_ErrorCode zstd;
    cpb_code code;
    const char *what;
  } errors[] = {
      {ZSTD_error_prefix_unknown, CPB_E_DAMAGED, NO_FRAME},
      {ZSTD_error_checksum_wrong, CPB_E_DAMAGED, "Zstd: the frame's checksum does not match"},
      {ZSTD_error_dictionary_wrong, CPB_E_UNSUPPORTED, "Zstd: the frame needs a dictionary"},
      {ZSTD_error_frameParameter_windowTooLarge, CPB_E_LIMIT, "Zstd: the window is larger than the limit"},
      {ZSTD_error_frameParameter_unsupported, CPB_E_DAMAGED, "Zstd: the frame header is damaged"},
      {ZSTD_error_dstSize_tooSmall, CPB_E_DAMAGED, "more decompressed data than expected"},
  };
  ZSTD_ErrorCode zstd = ZSTD_getErrorCode(result);
  if (zstd == ZSTD_error_memory_allocation) {
    cpb_codec_no_memory(s->memory, error, "Zstd: the window is larger than the limit");
    return CPB_DECODE_FAILED;
  }
  cpb_codec_fail(error, CPB_E_DAMAGED, "Zstd: the frame is damaged");
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].zstd == zstd) cpb_codec_fail(error, errors[i].code, errors[i].what);
  return CPB_DECODE_FAILED;
}

static void note_progress(zstd_state *s, const cpb_decode_io *io, size_t used, size_t produced) {
  size_t n = cpb_min_size(used, CPB_ZSTD_HEADER_MAX - s->header_size);
  if (n > 0) memcpy(s->header + s->header_size, io->in.data, n);
  s->header_size += n;
  s->produced += produced;
}

/* libzstd compares the size of the content with the frame header, but not if the last block
 * is empty and the input comes in pieces. */
static cpb_decode zstd_end(const zstd_state *s, cpb_codec_error *error) {
  unsigned long long size = ZSTD_getFrameContentSize(s->header, s->header_size);
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == s->produced) return CPB_DECODE_END;
  cpb_codec_fail(error, CPB_E_DAMAGED, "Zstd: the frame is damaged");
  return CPB_DECODE_FAILED;
}

/* The first piece of a frame for libzstd. With the whole frame it would decode everything at once without checking the
 * sizes of the blocks, which it checks if the frame comes in pieces. */
static size_t zstd_first_piece(const cpb_decode_io *io) { return cpb_min_size(io->in.size, 1); }

/* Decodes all of io->in, then the rest of the last call. Zero at the end of the frame. */
static size_t zstd_decompress(zstd_state *s, const cpb_decode_io *io, ZSTD_inBuffer *in, ZSTD_outBuffer *out) {
  size_t result;
  do {
    result = ZSTD_decompressStream(s->context, out, in);
    in->size = io->in.size;
  } while (result != 0 && !ZSTD_isError(result) && in->pos < in->size && out->pos < out->size);
  return result;
}

/* Whether a frame is complete, and there seems to be room for all of its content. False if its window would be rejected
 * in pieces. */
static bool zstd_is_whole(const zstd_state *s, const cpb_decode_io *io) {
  ZSTD_frameHeader header;
  if (!io->last || ZSTD_getFrameHeader(&header, io->in.data, io->in.size) != 0) return false;
  unsigned long long size = header.frameContentSize;
  if (!io->in_place && cpb_min_u64(header.windowSize, size) > s->memory->window) return false;
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) size = io->claimed;
  return size > 0 && size <= io->room && ZSTD_findFrameCompressedSize(io->in.data, io->in.size) == io->in.size;
}

/* Such a frame is decoded without a window of its own. CPB_DECODE_MORE when it is not one, when the
 * content does not fit, or when something is wrong: then it is decoded as any other. */
static cpb_decode zstd_read_whole(zstd_state *s, cpb_decode_io *io, cpb_codec_error *error) {
  if (!zstd_is_whole(s, io)) return CPB_DECODE_MORE;
  ZSTD_inBuffer in = {io->in.data, zstd_first_piece(io), 0};
  ZSTD_outBuffer out = {io->out, io->room, 0};
  cpb_codec_error spare = {CPB_OK, NULL};
  ZSTD_DCtx_setParameter(s->context, ZSTD_d_stableOutBuffer, 1);
  size_t result = zstd_decompress(s, io, &in, &out);
  note_progress(s, io, in.pos, out.pos);
  if (result == 0 && zstd_end(s, &spare) == CPB_DECODE_END) {
    cpb_decode_advance(io, in.pos, out.pos);
    return CPB_DECODE_END;
  }
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) return zstd_failed(s, result, error);
  zstd_begin(s, &spare);
  return CPB_DECODE_MORE;
}

/* If the output stays, it is the window. */
static void zstd_choose_window(zstd_state *s, const cpb_decode_io *io) {
  size_t result = ZSTD_DCtx_setParameter(s->context, ZSTD_d_stableOutBuffer, io->in_place);
  s->in_place = io->in_place && !ZSTD_isError(result);
}

/* libzstd reports an error after some calls without progress: they are not made. */
static bool zstd_cannot_go_on(const zstd_state *s, const cpb_decode_io *io) {
  return (s->hungry && io->in.size == 0) || (s->full && io->room == 0);
}

/* The first byte of a frame's magic number. libzstd may also know older formats, which begin
 * with another byte: Riegeli has none of them, and their decoders ignore our limits. */
static bool zstd_is_frame(const cpb_decode_io *io) { return io->in.data[0] == 0x28; }

static cpb_decode zstd_read_blocks(zstd_state *s, cpb_decode_io *io, cpb_codec_error *error) {
  const cpb_decode_io before = *io;
  size_t result = s->begun ? 1 : cpb_zstd_blocks_begin(&s->blocks);
  s->begun = s->by_blocks = true;
  if (!ZSTD_isError(result)) result = cpb_zstd_blocks_read(&s->blocks, io);
  note_progress(s, &before, before.in.size - io->in.size, before.room - io->room);
  if (ZSTD_isError(result)) return zstd_failed(s, result, error);
  return result == 0 ? zstd_end(s, error) : CPB_DECODE_MORE;
}

static cpb_decode zstd_read(void *state, cpb_decode_io *io, cpb_codec_error *error) {
  zstd_state *s = state;
  if (s->by_blocks) return zstd_read_blocks(s, io, error);
  if (zstd_cannot_go_on(s, io)) return CPB_DECODE_MORE;
  if (!s->begun && !zstd_is_frame(io)) {
    cpb_codec_fail(error, CPB_E_DAMAGED, NO_FRAME);
    return CPB_DECODE_FAILED;
  }
  cpb_decode whole = CPB_ZSTD_BY_BLOCKS || s->begun ? CPB_DECODE_MORE : zstd_read_whole(s, io, error);
  if (whole != CPB_DECODE_MORE) return whole;
  if (CPB_ZSTD_BY_BLOCKS || (!s->begun && s->memory->frugal && !io->in_place)) return zstd_read_blocks(s, io, error);
  if (!s->begun) zstd_choose_window(s, io);
  ZSTD_inBuffer in = {io->in.data, s->begun ? io->in.size : zstd_first_piece(io), 0};
  s->begun = true;
  size_t before = s->in_place ? (size_t)s->produced : 0;
  ZSTD_outBuffer out = {cpb_decode_back(io, before), before + io->room, before};
  size_t result = zstd_decompress(s, io, &in, &out);
  s->hungry = out.pos < out.size;
  size_t produced = out.pos - before;
  s->full = !s->hungry && in.pos == 0 && produced == 0;
  note_progress(s, io, in.pos, produced);
  cpb_decode_advance(io, in.pos, produced);
  if (ZSTD_isError(result)) return zstd_failed(s, result, error);
  return result == 0 ? zstd_end(s, error) : CPB_DECODE_MORE;
}

static uint64_t zstd_window(const void *state) {
  const zstd_state *s = state;
  ZSTD_frameHeader header;
  return ZSTD_getFrameHeader(&header, s->header, s->header_size) == 0 ? header.windowSize : 0;
}

const cpb_decoder cpb_decoder_zstd = {
    .codec = CPB_RIEGELI_ZSTD,
    .early_end = "Zstd: the frame ends early",
    .trailing = "Zstd: bytes after the end of the frame",
    .create = zstd_create,
    .destroy = zstd_destroy,
    .begin = zstd_begin,
    .read = zstd_read,
    .window = zstd_window,
};
