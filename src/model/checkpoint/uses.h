/* What the tensors of a checkpoint are to the model, by the object graph in it, or else by their names. */
#ifndef CPB_MODEL_CHECKPOINT_USES_H
#define CPB_MODEL_CHECKPOINT_USES_H

#include "model/checkpoint/checkpoint.h"
#include "model/common/parameters.h"

/* By the place of the tensor; to be released. Slices and the object graph have CPB_TENSOR_UNKNOWN. `graph` is the
 * TrackableObjectGraph, or empty. NULL when memory is short. */
uint8_t *cpb_checkpoint_uses(const cpb_allocator *a, const cpb_checkpoint *checkpoint, cpb_span graph);

/* The name in a key: without what TensorFlow 2 appends to the path of an object. */
cpb_span cpb_stored_name(const cpb_stored *stored);

/* Its elements; false where these are 2^64 or more. */
bool cpb_stored_elements(const cpb_stored *stored, uint64_t *elements);

#endif
