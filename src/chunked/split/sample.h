/* Does a chunk compress? Tried on some of its beginning and, for a large
 * value, of its middle. */
#ifndef CPB_CHUNKED_SPLIT_SAMPLE_H
#define CPB_CHUNKED_SPLIT_SAMPLE_H

#include "base/input.h"
#include "chunked/split/plan.h"
#include "riegeli/codec/compressor.h"

typedef struct cpb_split_sample {
  cpb_allocator allocator;
  cpb_compressor *compressor; /* made when first used */
  cpb_buffer bytes, packed;
  size_t chunk; /* that the sample is of; CPB_SAMPLE_NONE */
  bool in_middle;
  cpb_plan_cursor cursor;
  cpb_plan_piece piece;
  bool piece_open; /* not all of `piece` was taken */
} cpb_split_sample;

#define CPB_SAMPLE_NONE SIZE_MAX

void cpb_split_sample_init(cpb_split_sample *s, const cpb_allocator *a);
void cpb_split_sample_free(cpb_split_sample *s);

/* CPB_HAVE: `*codec` is Zstd when it saves a tenth or more, otherwise none.
 * CPB_WAIT: for input. CPB_FAILED: with `error` set. */
cpb_have cpb_split_sample_codec(cpb_split_sample *s, const cpb_plan *plan, size_t chunk, cpb_input *input,
                                cpb_codec *codec, cpb_error *error);

#endif
