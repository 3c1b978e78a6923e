/* The data of a simple Riegeli chunk: the codec, the records' sizes, their
 * bytes. The sizes come first, so they are encoded when all are known:
 *
 * - `collect` keeps the records' bytes until `encode`;
 * - for a chunk whose only record's size is known, `begin`, `compress` and
 *   `finish` encode its bytes as they come. What has gone to the file may be
 *   cut off `body` between them. Without compression the bytes are the body
 *   as they are, and `compress` is not called. */
#ifndef CPB_RIEGELI_SIMPLE_ENCODER_H
#define CPB_RIEGELI_SIMPLE_ENCODER_H

#include "riegeli/codec/compressor.h"

typedef struct cpb_simple_encoder {
  cpb_compressor *compressor; /* the caller's */
  cpb_buffer sizes;           /* a varint a record */
  cpb_buffer collected;       /* bytes of the records */
  cpb_buffer head;            /* what precedes the compressed values */
  cpb_buffer body;            /* the compressed values */
  uint64_t num_records;
  uint64_t decoded_size;
} cpb_simple_encoder;

void cpb_simple_encoder_init(cpb_simple_encoder *e, const cpb_allocator *a);
void cpb_simple_encoder_free(cpb_simple_encoder *e);

/* Begins a chunk. Memory beyond `keep` bytes a buffer is given back. */
void cpb_simple_encoder_reset(cpb_simple_encoder *e, cpb_compressor *compressor, size_t keep);

bool cpb_simple_encoder_add(cpb_simple_encoder *e, uint64_t size, cpb_codec_error *error);

/* The same for `count` records of `total` bytes. */
bool cpb_simple_encoder_add_several(cpb_simple_encoder *e, const size_t *sizes, size_t count, uint64_t total,
                                    cpb_codec_error *error);

bool cpb_simple_encoder_collect(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error);

/* The chunk's data is then `head` followed by `*body`. `records` holds all of
 * the records' bytes; it is what was collected unless the caller has them in
 * one place anyway. */
bool cpb_simple_encoder_encode(cpb_simple_encoder *e, cpb_span records, cpb_span *body, cpb_codec_error *error);

bool cpb_simple_encoder_begin(cpb_simple_encoder *e, cpb_codec_error *error);
bool cpb_simple_encoder_compress(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error);
bool cpb_simple_encoder_finish(cpb_simple_encoder *e, cpb_codec_error *error);

#endif
