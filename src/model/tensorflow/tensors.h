/* Tensors of a model, without their values. */
#ifndef CPB_MODEL_TENSORFLOW_TENSORS_H
#define CPB_MODEL_TENSORFLOW_TENSORS_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* A TensorProto without its values. */
typedef struct cpb_tensor {
  const cpb_part *part;
  cpb_span message; /* TensorProto, in the part */
  uint64_t dtype;
  cpb_span shape;
  uint32_t field;   /* of TensorProto, with the values; 0: none */
  uint64_t parts;   /* number of such fields: 1 if they are packed */
  uint64_t size;    /* of the values in bytes */
  cpb_range values; /* of the first field */
  cpb_range tensor; /* the TensorProto itself */
} cpb_tensor;

/* Whether it has no values in a part that is incomplete. A merge puts values in their places by the numbers of nodes,
 * which are unknown if nodes are missing. (In a complete part, no values mean that all are 0.) */
static inline bool cpb_tensor_lacks_values(const cpb_tensor *t) { return t->size == 0 && t->part->lacks_some; }

cpb_tensor cpb_tensor_of(const cpb_part *part, cpb_span message);

/* Writes members of an object: "dtype", "shape", "size", the place of the values, and the first values if they are in
 * memory; only the first two if it lacks its values. */
void cpb_write_tensor(cpb_json_writer *answer, const cpb_tensor *tensor);

#endif
