/* Simple chunks: a compressed buffer with the sizes of the records, then one with their
 * bytes, both under one codec.
 *
 * The sizes are held, and checked before any record is given out. So are the records of a
 * chunk of up to `whole` decoded bytes; those of a larger one stream through a buffer of
 * `window` bytes, or, if there are several, are decoded all with the first of up to `shared` bytes. What is
 * not compressed is read where it is. */
#ifndef CPB_RIEGELI_SIMPLE_DECODER_H
#define CPB_RIEGELI_SIMPLE_DECODER_H

#include "base/meter.h"
#include "riegeli/chunk_source.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/simple/sizes.h"

typedef enum cpb_simple_state {
  CPB_SIMPLE_PREFIX,
  CPB_SIMPLE_SIZES,
  CPB_SIMPLE_VALUES,
  CPB_SIMPLE_OPEN
} cpb_simple_state;

typedef struct cpb_simple_decoder {
  cpb_allocator allocator;
  cpb_meter *meter; /* charged with what is decompressed */
  size_t whole, shared;
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
  bool is_whole;     /* the records are decoded as a whole, into `values` */
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

/* After it was opened: the bytes of all records, where the chunk is decoded as a whole. Else, or until it
 * is, nothing, and they come piece by piece: */
cpb_span cpb_simple_decoder_whole(const cpb_simple_decoder *d);
/* The next decoded bytes, at least one, valid until the next call. There must be some left. If
 * they are not compressed, no more than `max` are asked for. */
cpb_have cpb_simple_decoder_fill(cpb_simple_decoder *d, uint64_t max, cpb_span *ready);
/* Skips the next `size` bytes without asking for them. False when that is not possible. */
bool cpb_simple_decoder_jump(cpb_simple_decoder *d, uint64_t size);
/* Goes back to the first byte. False when that is not possible. */
bool cpb_simple_decoder_rewind(cpb_simple_decoder *d);
/* Whether all bytes of the records are in memory, or will be with the first of them. */
bool cpb_simple_decoder_holds(const cpb_simple_decoder *d);
/* After the last byte: checks that the stream ends there. */
cpb_have cpb_simple_decoder_finish(cpb_simple_decoder *d);

#endif
