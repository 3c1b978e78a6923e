/* The key under which a slice of a partitioned variable is stored. */
#ifndef CPB_MODEL_CHECKPOINT_SLICES_H
#define CPB_MODEL_CHECKPOINT_SLICES_H

#include "base/alloc.h"
#include "base/bytes.h"

/* Appends to `out` the key of the slice of tensor `name` that a TensorSliceProto describes.
 * False when memory is short. */
bool cpb_slice_key(cpb_buffer *out, cpb_span name, cpb_span slice);

#endif
