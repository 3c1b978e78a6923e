/* The records of a transposed chunk: their bytes, concatenated. Most were assembled in `values`; a large value may
 * instead be a part, which stays where it was decompressed or stored. */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "riegeli/projection.h"

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

#endif
