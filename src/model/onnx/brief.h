/* Reads a model without the tensors of its graph: only the parts before and after them, in a few requests however many
 * tensors there are. */
#ifndef CPB_MODEL_ONNX_BRIEF_H
#define CPB_MODEL_ONNX_BRIEF_H

#include "base/alloc.h"
#include "base/meter.h"
#include "model/common/part.h"

typedef struct cpb_onnx_brief {
  cpb_allocator allocator;
  cpb_meter *meter;
  bool tried;
  cpb_range unread; /* the skipped range; its length is 0 if nothing was skipped */
  /* The last `size` bytes of the graph while they come, of which `have` are there, with some that follow it: */
  cpb_buffer window;
  size_t size, have;
} cpb_onnx_brief;

/* It must stay where it is. `meter` must outlive it. */
void cpb_onnx_brief_init(cpb_onnx_brief *brief, const cpb_allocator *a, cpb_meter *meter);
void cpb_onnx_brief_free(cpb_onnx_brief *brief); /* empties it */

/* For the outline of a ModelProto, with a cpb_onnx_brief as their context. */
extern const cpb_outline_jumps cpb_onnx_brief_jumps;

#endif
