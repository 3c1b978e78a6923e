/* What follows a graph's tensors, found from its end.
 *
 * A field says only how long it is, so whoever passes over many large ones waits for one length after the other. But
 * writers put the fields of a GraphProto in the order of their numbers, and behind the initializers there are only
 * descriptions: inputs, outputs, the types of values. They are found in the last bytes of the graph as the longest
 * row of such fields that ends where the graph does.
 *
 * This is a guess: the last bytes of a tensor may look like a description, by accident or on purpose. */
#ifndef CPB_MODEL_ONNX_TAIL_H
#define CPB_MODEL_ONNX_TAIL_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* Where the row begins in `bytes`, which end where the graph does: CPB_NO_TAIL if there is none with an input or
 * output, or if it may begin before `bytes`. Takes a time of O(bytes). False when memory is short. */
#define CPB_NO_TAIL SIZE_MAX
bool cpb_onnx_tail_find(const cpb_allocator *a, cpb_span bytes, size_t *begin);

#endif
