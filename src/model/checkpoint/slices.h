/* The key under which a slice of a partitioned variable is stored. */
#ifndef CPB_MODEL_CHECKPOINT_SLICES_H
#define CPB_MODEL_CHECKPOINT_SLICES_H

#include "base/alloc.h"
#include "base/bytes.h"

/* Appends to `out` what the keys of all slices of tensor `name` begin with. False when memory is
 * short. */
bool cpb_slice_key_begin(cpb_buffer *out, cpb_span name);
/* The rest of the key of the slice that a TensorSliceProto describes. */
bool cpb_slice_key_rest(cpb_buffer *out, cpb_span slice);

#endif
