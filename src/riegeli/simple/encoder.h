/* Makes the data of a simple chunk: the codec, the sizes of the records, their bytes. The sizes come first, so they are
 * encoded when all are known. There are two ways:
 *
 * - _add and _collect each record, then _encode;
 * - for a chunk of one record: _add its size, _begin, _compress its bytes as they come, and _finish. The caller may
 *   remove bytes from `body` in between, after writing them. Without compression the bytes are the body, and _compress
 *   is not called. */
#ifndef CPB_RIEGELI_SIMPLE_ENCODER_H
#define CPB_RIEGELI_SIMPLE_ENCODER_H

#include "riegeli/codec/compressor.h"

typedef struct cpb_simple_encoder {
  cpb_compressor *compressor; /* the caller's */
  cpb_buffer sizes;           /* a varint for each record */
  cpb_buffer collected;       /* bytes of the records */
  cpb_buffer head;            /* the codec and the compressed sizes */
  cpb_buffer body;            /* the compressed bytes */
  uint64_t num_records;
  uint64_t decoded_size;
} cpb_simple_encoder;

void cpb_simple_encoder_init(cpb_simple_encoder *e, const cpb_allocator *a);
void cpb_simple_encoder_free(cpb_simple_encoder *e);

/* Begins a chunk. Frees a buffer with more than `keep` bytes. */
void cpb_simple_encoder_reset(cpb_simple_encoder *e, cpb_compressor *compressor, size_t keep);

bool cpb_simple_encoder_add(cpb_simple_encoder *e, uint64_t size, cpb_codec_error *error);

/* The same for `count` records of `total` bytes. */
bool cpb_simple_encoder_add_several(cpb_simple_encoder *e, const size_t *sizes, size_t count, uint64_t total,
                                    cpb_codec_error *error);

bool cpb_simple_encoder_collect(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error);

/* The data of the chunk is then `head`, followed by `*body`. `records` are the bytes of all records: the collected
 * ones, unless the caller has them in one piece. */
bool cpb_simple_encoder_encode(cpb_simple_encoder *e, cpb_span records, cpb_span *body, cpb_codec_error *error);

bool cpb_simple_encoder_begin(cpb_simple_encoder *e, cpb_codec_error *error);
bool cpb_simple_encoder_compress(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error);
bool cpb_simple_encoder_finish(cpb_simple_encoder *e, cpb_codec_error *error);

#endif
