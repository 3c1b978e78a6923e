/* Transposed chunks: the protobuf fields of all records are stored sorted by tag, which compresses better, together
 * with a state machine that assembles them again. It writes the records from the last byte to the first, so the decoded
 * chunk is held in memory. (docs/riegeli-transposed.md) */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H

#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/projection.h"
#include "riegeli/transpose/program.h"
#include "riegeli/transpose/transposed.h"

/* A chunk: the values in its header, and the reader's choices. */
typedef struct cpb_transpose_chunk {
  cpb_transpose_cursor data; /* all of it */
  bool stays;                /* it does not move while `out` is used */
  uint64_t num_records, decoded_size;
  const cpb_projection *projection; /* the selected fields of the records; NULL: all */
} cpb_transpose_chunk;

/* Decodes a chunk with the memory that the program and `out` keep from chunk to chunk. Large values become parts of
 * `out`: they are in the program's memory, or in chunk->data if that stays. The numbers of records and bytes are
 * checked against the limits and against the decoded data, and alone they cause no allocation: buffers and output grow
 * as data appears. With a projection, data that it does not need is neither decompressed nor validated. On failure
 * `error` is set, without an offset, and `out` is empty. */
bool cpb_transpose_read(cpb_transpose_program *program, const cpb_limits *limits, const cpb_transpose_chunk *chunk,
                        cpb_transposed *out, cpb_error *error);

/* The same with memory for this chunk only: all records are in out->values, which belongs to the caller. On failure it
 * holds no memory. */
bool cpb_transpose_decode(const cpb_allocator *a, const cpb_limits *limits, cpb_span data, uint64_t num_records,
                          uint64_t decoded_size, cpb_transposed *out, cpb_error *error);

#endif
