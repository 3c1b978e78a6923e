/* Transposed chunks: the protobuf fields of all records are stored sorted by tag, which compresses better, together
 * with a state machine that assembles them again. It writes the records from the last byte to the first, so the decoded
 * chunk is held in memory. (docs/riegeli-transposed.md) */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSE_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/projection.h"
#include "riegeli/transpose/program.h"

/* --- transposed ------------------------------------------------------------------------------- */

/* The records of a transposed chunk: their bytes, concatenated. Most were assembled in `values`; a large value may
 * instead be a part, which stays where it was decompressed or stored. */

typedef struct cpb_transposed_part {
  cpb_span bytes;
  size_t behind; /* number of bytes of `values` after it */
} cpb_transposed_part;

typedef struct cpb_transposed {
  cpb_buffer values;          /* the bytes are at its end; without parts and directly after decoding it has no others */
  cpb_transposed_part *parts; /* the last first */
  size_t num_parts, parts_capacity;
  uint64_t *ends; /* ends[i]: the end of record i; NULL without records */
  size_t num_records, ends_capacity;
  uint64_t unpacked; /* bytes decompressed for them; with a projection also those assembled */
  uint8_t codec;     /* as in the file */

  size_t parts_left, values_left; /* that cpb_transposed_next() has yet to return */
} cpb_transposed;

void cpb_transposed_init(cpb_transposed *transposed, const cpb_allocator *a);
void cpb_transposed_free(cpb_transposed *transposed);
/* Empties it. Keeps memory for the next chunk, but at most `keep` bytes of each kind. */
void cpb_transposed_reset(cpb_transposed *transposed, size_t keep);

/* Applies the projection to each record. There must be no parts. */
void cpb_transposed_filter(cpb_transposed *transposed, const cpb_projection *projection);

/* Iterate over the bytes of the records, span by span. No span is empty; false after the last. */
void cpb_transposed_rewind(cpb_transposed *transposed);
bool cpb_transposed_next(cpb_transposed *transposed, cpb_span *span);

/* --- transpose -------------------------------------------------------------------------------- */

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

/* --- machine ---------------------------------------------------------------------------------- */

/* The run of the state machine. */

/* Fills `out`, which is empty; after a failure it is to be reset. It uses up the buffers of the
 * program. */
bool cpb_transpose_run(cpb_transpose_program *program, cpb_transposed *out);

#endif
