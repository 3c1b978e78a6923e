/* The slices of a partitioned variable, and the keys under which they are stored. */
#ifndef CPB_MODEL_CHECKPOINT_SLICES_H
#define CPB_MODEL_CHECKPOINT_SLICES_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "model/checkpoint/checkpoint.h"
#include "model/common/cursor.h"

/* The slices of a tensor, one after the other. All keys of slices begin in the same way, so that is looked for once. */
typedef struct cpb_slices {
  const cpb_checkpoint *checkpoint;
  const cpb_stored *whole;
  cpb_cursor cursor;
  cpb_buffer key; /* of the slice */
  size_t skip, first, count;
  cpb_span message;         /* the slice's TensorSliceProto */
  const cpb_stored *stored; /* its entry, or NULL; of version 1 there is none */
  bool failed;              /* memory was short */
} cpb_slices;

/* False, as all that follows, when memory is short; to be closed then, too. */
bool cpb_slices_open(cpb_slices *slices, const cpb_allocator *a, const cpb_checkpoint *checkpoint,
                     const cpb_stored *whole);
bool cpb_slices_next(cpb_slices *slices);
void cpb_slices_close(cpb_slices *slices);

/* Where a slice begins in the tensor, and its shape: as many numbers as that has dimensions. False if it does not lie
 * within. */
bool cpb_slice_bounds(cpb_span slice, const cpb_stored *whole, uint64_t *begin, uint64_t *shape);

#endif
