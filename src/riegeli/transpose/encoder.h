/* Makes the data of a transposed chunk (docs/riegeli-transposed.md). _add splits each record into the buffers of its
 * fields as it comes; _encode makes the state machine and compresses.
 *
 * A record is split only if it can be restored byte for byte: it is a well-formed message in canonical form. Any other
 * is stored whole. Work is linear in the bytes of the records, except for sorting the fields and the transitions.
 * Memory is linear as well: about three times the records if the same fields occur again and again, and at most 300
 * times if every field is a different one. */
#ifndef CPB_RIEGELI_TRANSPOSE_ENCODER_H
#define CPB_RIEGELI_TRANSPOSE_ENCODER_H

#include "riegeli/codec/compressor.h"
#include "riegeli/transpose/format.h"

/* NULL if memory is short. */
cpb_transpose_encoder *cpb_transpose_encoder_new(const cpb_allocator *a);
void cpb_transpose_encoder_free(cpb_transpose_encoder *e);

/* Begins a chunk. Frees a buffer with more than `keep` bytes. */
void cpb_transpose_encoder_reset(cpb_transpose_encoder *e, size_t keep);

/* Adds a copy of a record. Fails with CPB_E_MEMORY; or CPB_E_LIMIT, for a record of 4 GiB or more that is not a
 * message, and for 2^32 fields in a chunk. After a failure only _reset and _free may follow. */
bool cpb_transpose_encoder_add(cpb_transpose_encoder *e, cpb_span record, cpb_codec_error *error);

/* The number of records in the current chunk. */
uint64_t cpb_transpose_encoder_num_records(const cpb_transpose_encoder *e);
uint64_t cpb_transpose_encoder_decoded_size(const cpb_transpose_encoder *e);

/* The memory it holds, in bytes, approximately. */
size_t cpb_transpose_encoder_memory(const cpb_transpose_encoder *e);

/* Call it once for a chunk, after its last record. The data of the chunk are `*head` and then `*body`, valid until the
 * next reset. The buffers of a kind are put into buckets of about `bucket_size` bytes; with 1, each has its own, and
 * without compression they share one. Fails like _add. */
bool cpb_transpose_encoder_encode(cpb_transpose_encoder *e, cpb_compressor *compressor, uint64_t bucket_size,
                                  cpb_span *head, cpb_span *body, cpb_codec_error *error);

#endif
