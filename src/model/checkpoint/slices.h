/* The key under which a part of a tensor is stored. */
#ifndef CPB_MODEL_CHECKPOINT_SLICES_H
#define CPB_MODEL_CHECKPOINT_SLICES_H

#include "base/alloc.h"
#include "base/bytes.h"

/* Appends it: of the tensor `name`, the part that a TensorSliceProto describes. False when
 * memory is short. */
bool cpb_slice_key(cpb_buffer *out, cpb_span name, cpb_span slice);

#endif
