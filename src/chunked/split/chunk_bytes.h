/* The bytes of a planned chunk, from the input and from the plan's own bytes between. */
#ifndef CPB_CHUNKED_SPLIT_CHUNK_BYTES_H
#define CPB_CHUNKED_SPLIT_CHUNK_BYTES_H

#include "base/input.h"
#include "chunked/split/plan.h"

typedef struct cpb_split_bytes {
  cpb_plan_cursor cursor;
  cpb_plan_piece piece;
  bool open; /* not all of `piece` was returned */
} cpb_split_bytes;

void cpb_split_bytes_begin(cpb_split_bytes *b, const cpb_plan *plan, size_t chunk);

/* The next bytes, at most `most` of the input; empty at the chunk's end. They are valid until more of the input is
 * requested. CPB_WAIT; CPB_FAILED with the error set. */
cpb_have cpb_split_bytes_next(cpb_split_bytes *b, const cpb_plan *plan, cpb_input *input, size_t most, cpb_span *span,
                              cpb_error *error);

/* Returns the result, and sets the error, for an input that lacks bytes at `offset` which the plan has seen. */
cpb_have cpb_split_input_failed(const cpb_input *input, cpb_have have, uint64_t offset, cpb_error *error);

#endif
