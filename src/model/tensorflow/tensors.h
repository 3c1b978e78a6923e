/* Tensors of a model, without their values. */
#ifndef CPB_MODEL_TENSORFLOW_TENSORS_H
#define CPB_MODEL_TENSORFLOW_TENSORS_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* What is known of a TensorProto without its values. */
typedef struct cpb_tensor {
  const cpb_part *part;
  cpb_span message; /* TensorProto, in the part */
  uint64_t dtype;
  cpb_span shape;
  uint32_t field;   /* of TensorProto, that has the values; 0 for none */
  uint64_t parts;   /* how many such fields there are: 1 where they are packed */
  uint64_t size;    /* of their bytes */
  cpb_range values; /* of the first */
  cpb_range tensor; /* the TensorProto itself */
} cpb_tensor;

/* Whether it has no values in a part that lacks some: a merge puts values in their places by the numbers of nodes,
 * which nobody knows if nodes are missing. (Else no values mean that all of them are 0.) */
static inline bool cpb_tensor_lacks_values(const cpb_tensor *t) { return t->size == 0 && t->part->lacks_some; }

cpb_tensor cpb_tensor_of(const cpb_part *part, cpb_span message);

/* Members of an object: "dtype", "shape", "size", where it lies, and its first values if they are in memory; of one
 * that lacks its values the first two. */
void cpb_write_tensor(cpb_json_writer *answer, const cpb_tensor *tensor);

#endif
