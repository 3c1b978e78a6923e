/* Simple Riegeli chunks: a buffer with the record sizes, then one with the
 * records' bytes, both under one codec.
 *
 * The sizes are held; so are the records of a chunk of up to `whole` decoded
 * bytes, which is then known to be good before any is handed out. Those of a
 * larger one stream through a window, and uncompressed ones stay where they
 * are. */
#ifndef CPB_RIEGELI_SIMPLE_DECODER_H
#define CPB_RIEGELI_SIMPLE_DECODER_H

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
  cpb_limits limits;
  size_t whole;
  bool frugal;
  size_t window; /* decoded bytes of a chunk that streams which are held at once */
  cpb_chunk_source *source;
  cpb_simple_state state;
  uint8_t codec;
  cpb_decompressor *decompressor;     /* kept from chunk to chunk */
  uint8_t prefix[1 + CPB_VARINT_MAX]; /* codec, size of the sizes buffer */
  size_t prefix_size;
  uint64_t in_left;  /* stored bytes of the current buffer still to be read */
  uint64_t out_left; /* decoded bytes still to come */
  bool stays;        /* what the source gives stays until the chunk's end */
  cpb_buffer sizes, values;
  cpb_span size_varints; /* checked: exactly the chunk's number of records */
} cpb_simple_decoder;

void cpb_simple_decoder_init(cpb_simple_decoder *d, const cpb_allocator *a, const cpb_limits *limits, size_t whole,
                             cpb_chunk_source *source);
void cpb_simple_decoder_free(cpb_simple_decoder *d);

/* At the first data byte of a chunk. `stays`: the bytes that the source gives
 * stay valid until the chunk's end. Failures are the source's. */
void cpb_simple_decoder_begin(cpb_simple_decoder *d, bool stays);
cpb_have cpb_simple_decoder_open(cpb_simple_decoder *d);
/* Both at once for a chunk without compression whose data lies together and stays:
 * puts out the records' bytes. False, without a failure, when it is another or wrong. */
bool cpb_simple_decoder_open_in_place(cpb_simple_decoder *d, cpb_span data, cpb_span *records);

/* Reads a record's size as cpb_varint_read does. Nearly all have one or two
 * bytes. */
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

/* The chunk was small enough: all its bytes are in d->values. Otherwise: */
bool cpb_simple_decoder_is_whole(const cpb_simple_decoder *d);
/* The next decoded bytes, at least one, valid until the next call; at most `max`
 * are asked for when they are not compressed. There must be some left. */
cpb_have cpb_simple_decoder_fill(cpb_simple_decoder *d, uint64_t max, cpb_span *ready);
/* Leaves out the next `size` bytes without asking for them, if that can be. */
bool cpb_simple_decoder_jump(cpb_simple_decoder *d, uint64_t size);
/* After the last byte: nothing follows it. */
cpb_have cpb_simple_decoder_finish(cpb_simple_decoder *d);

#endif
