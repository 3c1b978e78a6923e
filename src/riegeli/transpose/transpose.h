/* Transposed chunks: the protobuf fields of all records are stored sorted by tag, which compresses
 * better, together with a state machine that puts them together again. It writes the records from
 * the last byte to the first, so the decoded chunk is held in memory.
 * (docs/riegeli-transposed.md) */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H

#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/projection.h"
#include "riegeli/transpose/program.h"
#include "riegeli/transpose/transposed.h"

/* What is said of a chunk: by its header, and by who reads it. */
typedef struct cpb_transpose_chunk {
  cpb_transpose_cursor data; /* all of it */
  bool stays;                /* it stays where it is as long as `out` is used */
  uint64_t num_records, decoded_size;
  const cpb_projection *projection; /* what of the records is wanted; NULL: all */
} cpb_transpose_chunk;

/* Decodes a chunk with the memory of the program and of `out`, which is what they keep for the next
 * one. Large values become parts of `out`: they are in the program's memory, or in chunk->data if that
 * stays. The numbers of records and bytes are checked against the limits and against what is decoded,
 * and no memory is taken because of them alone: buffers and output grow as data appears. With a projection
 * what is not needed for it is not decompressed, and not looked at. On failure
 * `error` is set, without an offset, and `out` is empty. */
bool cpb_transpose_read(cpb_transpose_program *program, const cpb_limits *limits, const cpb_transpose_chunk *chunk,
                        cpb_transposed *out, cpb_error *error);

/* The same with memory for this chunk only: all records are in out->values, which is the caller's. On
 * failure nothing is held. */
bool cpb_transpose_decode(const cpb_allocator *a, const cpb_limits *limits, cpb_span data, uint64_t num_records,
                          uint64_t decoded_size, cpb_transposed *out, cpb_error *error);

#endif
