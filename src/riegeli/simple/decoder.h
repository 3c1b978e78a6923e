/* Simple chunks: a compressed buffer with the sizes of the records, then one with their
 * bytes, both under one codec.
 *
 * The sizes are held, and checked before any record is given out. So are the records of a
 * chunk of up to `whole` decoded bytes; those of a larger one stream through a buffer of
 * `window` bytes. What is not compressed is read where it is. */
#ifndef CPB_RIEGELI_SIMPLE_DECODER_H
#define CPB_RIEGELI_SIMPLE_DECODER_H

#include "base/meter.h"
#include "riegeli/chunk_source.h"
#include "riegeli/codec/decompressor.h"

typedef enum cpb_simple_state {
  CPB_SIMPLE_PREFIX,
  CPB_SIMPLE_SIZES,
  CPB_SIMPLE_VALUES,
  CPB_SIMPLE_OPEN
} cpb_simple_state;

typedef struct cpb_simple_decoder {
  cpb_allocator allocator;
  cpb_meter *meter; /* charged with what is decompressed */
  size_t whole;
  bool frugal;   /* to save memory counts more than speed */
  size_t window; /* decoded bytes of a larger chunk that are held at once */
  cpb_chunk_source *source;
  cpb_simple_state state;
  uint8_t codec;
  cpb_decompressor *decompressor;     /* kept from chunk to chunk */
  uint8_t prefix[1 + CPB_VARINT_MAX]; /* codec, size of the buffer with the sizes */
  size_t prefix_size;
  uint64_t in_left;  /* stored bytes of the current buffer still to be read */
  uint64_t out_left; /* decoded bytes still to come */
  bool stays;        /* what the source gives stays valid until the end of the chunk */
  cpb_buffer sizes, values;
  cpb_span size_varints; /* as many as the chunk has records; they add up */
} cpb_simple_decoder;

void cpb_simple_decoder_init(cpb_simple_decoder *d, const cpb_allocator *a, cpb_meter *meter, size_t whole,
                             cpb_chunk_source *source);
void cpb_simple_decoder_free(cpb_simple_decoder *d);

/* At the first data byte of a chunk: begins it, and then opens it, up to its first record.
 * Failures are set in the source. */
void cpb_simple_decoder_begin(cpb_simple_decoder *d, bool stays);
cpb_have cpb_simple_decoder_open(cpb_simple_decoder *d);
/* Both at once for a chunk without compression whose data is in one piece and stays valid:
 * `*records` are the bytes of its records. False when it is of another kind or wrong: no
 * failure is set. */
bool cpb_simple_decoder_open_in_place(cpb_simple_decoder *d, cpb_span data, cpb_span *records);

/* Reads the size of a record as cpb_varint_read() does, and faster if it has one or two bytes,
 * as nearly all have. */
static inline const uint8_t *cpb_record_size_read(const uint8_t *p, const uint8_t *end, uint64_t *size) {
  if (p < end && p[0] < 0x80) {
    *size = p[0];
    return p + 1;
  }
  if (end - p > 1 && p[1] < 0x80) {
    *size = (uint64_t)p[1] << 7 | (p[0] & 0x7f);
    return p + 2;
  }
  return cpb_varint_read(p, end, size);
}

/* Whether the chunk is decoded as a whole, into d->values. If not, its records come piece by
 * piece: */
bool cpb_simple_decoder_is_whole(const cpb_simple_decoder *d);
/* The next decoded bytes, at least one, valid until the next call. There must be some left. If
 * they are not compressed, no more than `max` are asked for. */
cpb_have cpb_simple_decoder_fill(cpb_simple_decoder *d, uint64_t max, cpb_span *ready);
/* Skips the next `size` bytes without asking for them. False when that is not possible. */
bool cpb_simple_decoder_jump(cpb_simple_decoder *d, uint64_t size);
/* After the last byte: checks that the stream ends there. */
cpb_have cpb_simple_decoder_finish(cpb_simple_decoder *d);

#endif
