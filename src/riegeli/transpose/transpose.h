/* Transposed Riegeli chunks: the records' protobuf fields are stored sorted by
 * tag, in buckets, and a state machine says how to put them together again.
 * Decoding writes the records from the last byte to the first, so the decoded
 * chunk is held in memory. docs/riegeli-transposed.md describes the encoding. */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H

#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/transpose/transposed.h"

/* Decodes a chunk's whole data. `num_records` and `decoded_size` are the chunk
 * header's; both are checked against limits and against what is decoded, and
 * no memory is taken on their word alone: buckets and output grow as data
 * appears. On failure `error` is set (its offset is left CPB_NO_OFFSET, the
 * text names what was expected) and nothing is held. */
bool cpb_transpose_decode(const cpb_allocator *a, const cpb_limits *limits, cpb_span data, uint64_t num_records,
                          uint64_t decoded_size, cpb_transposed *out, cpb_error *error);

#endif
