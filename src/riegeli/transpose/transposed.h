/* The records of a transposed chunk: their bytes, one record after the other. Most were put together
 * in `values`; a large value may be a part instead, which stays where it was decompressed or stored. */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "riegeli/projection.h"

typedef struct cpb_transposed_part {
  cpb_span bytes;
  size_t behind; /* how many bytes of `values` come after it */
} cpb_transposed_part;

typedef struct cpb_transposed {
  cpb_buffer values;          /* they are its last bytes; without parts and fresh from the decoder it has no others */
  cpb_transposed_part *parts; /* the last first */
  size_t num_parts, parts_capacity;
  uint64_t *ends; /* ends[i]: where record i ends; NULL if there are none */
  size_t num_records, ends_capacity;
  uint64_t unpacked; /* bytes that were decompressed for them; with a projection also those that were put together */
  uint8_t codec;     /* as in the file */

  size_t parts_left, values_left; /* to be given by cpb_transposed_next() */
} cpb_transposed;

void cpb_transposed_init(cpb_transposed *transposed, const cpb_allocator *a);
void cpb_transposed_free(cpb_transposed *transposed);
/* Empties it. Memory is kept for the next chunk, but no more than `keep` bytes of each kind. */
void cpb_transposed_reset(cpb_transposed *transposed, size_t keep);

/* Leaves of each record what the projection does. There must be no parts. */
void cpb_transposed_filter(cpb_transposed *transposed, const cpb_projection *projection);

/* To go through the bytes of the records, span by span. None is empty; false: that was the last. */
void cpb_transposed_rewind(cpb_transposed *transposed);
bool cpb_transposed_next(cpb_transposed *transposed, cpb_span *span);

#endif
