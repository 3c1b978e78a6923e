#include "riegeli/codec/decompressor.h"

#include "base/checked.h"
#include "base/limits.h"
#include "riegeli/codec/codec.h"

static const cpb_decoder none = {
    .codec = CPB_RIEGELI_NONE,
    .early_end = "the uncompressed data ends early",
    .trailing = "bytes after the end of the uncompressed data",
};

static const cpb_decoder *const decoders[] = {&none, &cpb_decoder_brotli, &cpb_decoder_zstd, &cpb_decoder_snappy};
enum { CODECS = sizeof decoders / sizeof *decoders };

struct cpb_decompressor {
  cpb_codec_memory memory;
  void *states[CODECS]; /* kept for the next buffer of that codec */
  const cpb_decoder *decoder;
  void *state;
  uint64_t in_size, in_used;
  uint64_t claimed;
  bool has_claimed; /* the varint was read */
  uint8_t varint[CPB_VARINT_MAX];
  size_t varint_size;
  bool ended, in_place;
  cpb_codec_error error;
};

static cpb_decode copy_uncompressed(cpb_decode_io *io) {
  size_t n = cpb_min_size(io->in.size, io->room);
  if (n > 0) memcpy(io->out, io->in.data, n);
  cpb_decode_advance(io, n, n);
  return io->last && io->in.size == 0 ? CPB_DECODE_END : CPB_DECODE_MORE;
}

cpb_decompressor *cpb_decompressor_new(const cpb_allocator *a, const cpb_limits *limits, uint8_t type, uint64_t in_size,
                                       cpb_codec_error *error) {
  cpb_limits all = cpb_limits_or_default(limits);
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_decompressor *d = cpb_alloc_zeroed(&allocator, sizeof *d);
  if (!d) return cpb_codec_fail(error, CPB_E_MEMORY, "out of memory"), NULL;
  cpb_codec_memory_init(&d->memory, &allocator, all.window);
  d->memory.whole = all.riegeli_chunk;
  if (!cpb_decompressor_reset(d, type, in_size, error)) {
    cpb_decompressor_free(d);
    return NULL;
  }
  return d;
}

void cpb_decompressor_free(cpb_decompressor *d) {
  if (!d) return;
  for (size_t i = 0; i < CODECS; i++)
    if (d->states[i]) decoders[i]->destroy(d->states[i]);
  cpb_codec_memory_free(&d->memory);
  cpb_release(&d->memory.allocator, d);
}

static const char size_missing[] = "the decompressed size is missing";

static bool select_decoder(cpb_decompressor *d, uint8_t type) {
  size_t i = 0;
  while (i < CODECS && decoders[i]->codec != type) i++;
  if (i == CODECS) {
    if (d->in_size > 0) cpb_codec_fail(&d->error, CPB_E_UNSUPPORTED, "unknown compression type");
    else cpb_codec_fail(&d->error, CPB_E_DAMAGED, size_missing); /* empty, for any codec */
    return false;
  }
  d->decoder = decoders[i];
  if (d->decoder == &none) return true;
  if (!d->states[i]) d->states[i] = d->decoder->create(&d->memory);
  d->state = d->states[i];
  if (d->state) return d->decoder->begin(d->state, &d->error);
  return cpb_codec_fail(&d->error, CPB_E_MEMORY, "out of memory"), false;
}

bool cpb_decompressor_waits(uint8_t type) {
  return type == CPB_RIEGELI_BROTLI && cpb_decoder_brotli.waits && cpb_decoder_brotli.waits();
}

bool cpb_decompressor_reset(cpb_decompressor *d, uint8_t type, uint64_t in_size, cpb_codec_error *error) {
  d->error = (cpb_codec_error){CPB_OK, NULL};
  d->memory.refused = false;
  d->in_size = in_size;
  d->in_used = 0;
  d->varint_size = 0;
  d->has_claimed = type == CPB_RIEGELI_NONE;
  d->claimed = d->has_claimed ? in_size : CPB_NO_OFFSET;
  d->ended = d->has_claimed && in_size == 0;
  d->in_place = false;
  if (select_decoder(d, type)) return true;
  *error = d->error;
  return false;
}

uint64_t cpb_decompressor_window(const cpb_decompressor *d) {
  return d->decoder->window ? d->decoder->window(d->state) : 0;
}

void cpb_decompressor_be_frugal(cpb_decompressor *d) { d->memory.frugal = true; }

void cpb_decompressor_in_place(cpb_decompressor *d) { d->in_place = true; }

/* Reads the varint; false while it is not complete or when it is wrong. */
static bool read_claimed(cpb_decompressor *d, cpb_span *in) {
  while (d->in_used < d->in_size && in->size > 0) {
    uint8_t byte = *in->data++;
    in->size--;
    d->in_used++;
    d->varint[d->varint_size++] = byte;
    if (byte < 0x80 || d->varint_size == CPB_VARINT_MAX) {
      d->has_claimed = cpb_varint_read(d->varint, d->varint + d->varint_size, &d->claimed) != NULL;
      if (!d->has_claimed) cpb_codec_fail(&d->error, CPB_E_DAMAGED, "the decompressed size is not a varint");
      return d->has_claimed;
    }
  }
  if (d->in_used == d->in_size) cpb_codec_fail(&d->error, CPB_E_DAMAGED, size_missing);
  return false;
}

static void check_end(cpb_decompressor *d, cpb_decode result, bool has_room) {
  d->ended = result == CPB_DECODE_END;
  bool all = d->in_used == d->in_size;
  if (d->ended && !all) cpb_codec_fail(&d->error, CPB_E_DAMAGED, d->decoder->trailing);
  if (result == CPB_DECODE_MORE && all && has_room) cpb_codec_fail(&d->error, CPB_E_DAMAGED, d->decoder->early_end);
}

size_t cpb_decompressor_read(cpb_decompressor *d, cpb_span *in, uint8_t *out, size_t out_size) {
  if (d->error.code != CPB_OK || d->ended) return 0;
  if (!d->has_claimed && !read_claimed(d, in)) return 0;
  uint64_t left = d->in_size - d->in_used;
  cpb_decode_io io = {
      .in = {in->data, (size_t)cpb_min_u64(in->size, left)},
      .last = in->size >= left,
      .out = out,
      .room = out_size,
      .claimed = d->claimed,
      .in_place = d->in_place,
  };
  cpb_decode result = d->decoder == &none ? copy_uncompressed(&io) : d->decoder->read(d->state, &io, &d->error);
  size_t used = (size_t)cpb_min_u64(in->size, left) - io.in.size;
  *in = (cpb_span){io.in.data, in->size - used};
  d->in_used += used;
  check_end(d, result, io.room > 0);
  return out_size - io.room;
}

bool cpb_decompressor_done(const cpb_decompressor *d) { return d->ended && d->error.code == CPB_OK; }

const cpb_codec_error *cpb_decompressor_error(const cpb_decompressor *d) { return &d->error; }

/* How much room to make: the claimed size, but not much more than the sizes of the input and of the output so far
 * suggest, so that a small input cannot claim much memory. */
static size_t next_piece(const cpb_decompressor *d, size_t produced, uint64_t max) {
  uint64_t likely = cpb_max_u64(65536, cpb_max_u64(produced, cpb_min_u64(d->in_size, SIZE_MAX / 8) * 8));
  uint64_t expected = d->claimed > produced ? d->claimed - produced : 65536;
  return (size_t)cpb_min_u64(cpb_min_u64(likely, expected), max - produced);
}

static void decompress_piece(cpb_decompressor *d, cpb_span *in, size_t piece, cpb_buffer *out) {
  size_t total;
  if (!cpb_add_size(out->size, piece, &total) || !cpb_buffer_reserve(out, total)) {
    cpb_codec_fail(&d->error, CPB_E_MEMORY, "out of memory");
    return;
  }
  out->size += cpb_decompressor_read(d, in, out->data + out->size, piece);
}

/* All expected output is there: only the end of the stream may follow. */
static void decompress_end(cpb_decompressor *d, cpb_span *in) {
  uint8_t beyond;
  if (cpb_decompressor_read(d, in, &beyond, 1) == 0) return;
  d->error = (cpb_codec_error){CPB_E_DAMAGED, "more decompressed data than expected"};
}

bool cpb_decompressor_all(cpb_decompressor *d, uint8_t type, cpb_span in, uint64_t max, cpb_buffer *out,
                          cpb_codec_error *error) {
  if (!cpb_decompressor_reset(d, type, in.size, error)) return false;
  size_t begin = out->size;
  cpb_decompressor_read(d, &in, NULL, 0);
  while (!d->ended && d->error.code == CPB_OK) {
    size_t piece = next_piece(d, out->size - begin, max);
    if (piece > 0) decompress_piece(d, &in, piece, out);
    else decompress_end(d, &in);
  }
  if (d->error.code == CPB_OK) return true;
  out->size = begin;
  *error = d->error;
  return false;
}

bool cpb_decompress_all(const cpb_allocator *a, const cpb_limits *limits, uint8_t type, cpb_span in, uint64_t max,
                        cpb_buffer *out, cpb_codec_error *error) {
  cpb_decompressor *d = cpb_decompressor_new(a, limits, type, in.size, error);
  if (!d) return false;
  bool ok = cpb_decompressor_all(d, type, in, max, out, error);
  cpb_decompressor_free(d);
  return ok;
}
