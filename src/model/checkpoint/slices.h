/* The slices of a partitioned variable, and the keys under which they are stored. */
#ifndef CPB_MODEL_CHECKPOINT_SLICES_H
#define CPB_MODEL_CHECKPOINT_SLICES_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "model/checkpoint/checkpoint.h"
#include "model/common/cursor.h"

/* Iterates over the slices of a tensor. All their keys have a common beginning, which is searched only once. */
typedef struct cpb_slices {
  const cpb_checkpoint *checkpoint;
  const cpb_stored *whole;
  cpb_cursor cursor;
  cpb_buffer key; /* of the slice */
  size_t skip, first, count;
  cpb_span message;         /* the slice's TensorSliceProto */
  const cpb_stored *stored; /* its entry, or NULL; always NULL in version 1 */
  bool failed;              /* memory was short */
} cpb_slices;

/* Like all that follow, it returns false if memory is short; close `slices` then as well. */
bool cpb_slices_open(cpb_slices *slices, const cpb_allocator *a, const cpb_checkpoint *checkpoint,
                     const cpb_stored *whole);
bool cpb_slices_next(cpb_slices *slices);
void cpb_slices_close(cpb_slices *slices);

/* The position of a slice in the tensor, and its shape, both with the tensor's rank. False if the slice exceeds the
 * tensor. */
bool cpb_slice_bounds(cpb_span slice, const cpb_stored *whole, uint64_t *begin, uint64_t *shape);

#endif
