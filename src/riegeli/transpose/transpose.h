/* Transposed chunks: the protobuf fields of all records are stored sorted by tag, which compresses
 * better, together with a state machine that puts them together again. It writes the records from
 * the last byte to the first, so the decoded chunk is held in memory.
 * (docs/riegeli-transposed.md) */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H

#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/transpose/transposed.h"

/* Decodes the whole data of a chunk. `num_records` and `decoded_size` are those of the chunk header;
 * they are checked against the limits and against what is decoded, and no memory is taken because
 * of them alone: buffers and output grow as data appears. On failure `error` is set, without an
 * offset, and nothing is held. */
bool cpb_transpose_decode(const cpb_allocator *a, const cpb_limits *limits, cpb_span data, uint64_t num_records,
                          uint64_t decoded_size, cpb_transposed *out, cpb_error *error);

#endif
