/* Simple chunks: a compressed buffer with the sizes of the records, then one with their bytes, both with the same
 * codec.
 *
 * The sizes are kept, and checked before any record is returned. The records of a chunk of up to `whole` decoded bytes
 * are kept as well. Those of a larger one stream through a buffer of `window` bytes; or, if there are several records
 * in up to `shared` bytes, all are decoded together with the first. Uncompressed data is read in place. */
#ifndef CPB_RIEGELI_SIMPLE_DECODER_H
#define CPB_RIEGELI_SIMPLE_DECODER_H

#include "base/bytes.h"
#include "base/meter.h"
#include "riegeli/block.h"
#include "riegeli/chunk_source.h"
#include "riegeli/codec/decompressor.h"

/* --- sizes ------------------------------------------------------------------------------------ */

/* The sizes of a simple chunk's records: consecutive varints. Code that walks them one by one is optimized for speed in
 * the modules for JavaScript, where the rest of the decoder is optimized for size. */

/* NULL if the number of sizes is that of the records, and they add up to the size in the chunk header. */
const char *cpb_simple_sizes_fault(cpb_span varints, const cpb_chunk_header *header);

/* Reads the size of a record like cpb_varint_read(), but faster if it has one or two bytes, as almost all have. */
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

/* --- decoder ---------------------------------------------------------------------------------- */

typedef enum cpb_simple_state {
  CPB_SIMPLE_PREFIX,
  CPB_SIMPLE_SIZES,
  CPB_SIMPLE_VALUES,
  CPB_SIMPLE_OPEN
} cpb_simple_state;

typedef struct cpb_simple_decoder {
  cpb_allocator allocator;
  cpb_meter *meter; /* charged with decompressed bytes */
  size_t whole, shared;
  bool frugal;   /* prefers less memory over speed */
  size_t window; /* decoded bytes of a larger chunk that are kept at once */
  cpb_chunk_source *source;
  cpb_simple_state state;
  uint8_t codec;
  cpb_decompressor *decompressor;     /* kept from chunk to chunk */
  uint8_t prefix[1 + CPB_VARINT_MAX]; /* codec, size of the buffer with the sizes */
  size_t prefix_size;
  uint64_t in_left;  /* stored bytes of the current buffer not yet read */
  uint64_t out_left; /* decoded bytes still to come */
  bool is_whole;     /* the records are decoded as a whole, into `values` */
  bool stays;        /* the source's bytes stay valid until the end of the chunk */
  cpb_buffer sizes, values;
  cpb_span size_varints; /* as many as the chunk has records; their sum is correct */
} cpb_simple_decoder;

void cpb_simple_decoder_init(cpb_simple_decoder *d, const cpb_allocator *a, cpb_meter *meter, size_t whole,
                             cpb_chunk_source *source);
void cpb_simple_decoder_free(cpb_simple_decoder *d);

/* Call them at the first data byte of a chunk: the first begins the chunk, the second opens it up to its first record.
 * Failures are set in the source. */
void cpb_simple_decoder_begin(cpb_simple_decoder *d, bool stays);
cpb_have cpb_simple_decoder_open(cpb_simple_decoder *d);
/* Does both at once for a chunk without compression whose data is contiguous and stays valid: `*records` are the bytes
 * of its records. False if it is of another kind or invalid; sets no failure. */
bool cpb_simple_decoder_open_in_place(cpb_simple_decoder *d, cpb_span data, cpb_span *records);

/* Call it after opening: the bytes of all records, if the chunk has been decoded as a whole. Otherwise empty, and they
 * come in pieces: */
cpb_span cpb_simple_decoder_whole(const cpb_simple_decoder *d);
/* The next decoded bytes, at least one, valid until the next call. Some must be left. If they are not compressed, at
 * most `max` are requested. */
cpb_have cpb_simple_decoder_fill(cpb_simple_decoder *d, uint64_t max, cpb_span *ready);
/* Skips the next `size` bytes without requesting them. False if that is impossible. */
bool cpb_simple_decoder_jump(cpb_simple_decoder *d, uint64_t size);
/* Goes back to the first byte. False if that is impossible. */
bool cpb_simple_decoder_rewind(cpb_simple_decoder *d);
/* Whether all bytes of the records are in memory, or will be together with the first of them. */
bool cpb_simple_decoder_holds(const cpb_simple_decoder *d);
/* Call it after the last byte: checks that the stream ends there. */
cpb_have cpb_simple_decoder_finish(cpb_simple_decoder *d);

#endif
