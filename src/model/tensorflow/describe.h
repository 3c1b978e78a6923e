/* Writes descriptions that several answers share. */
#ifndef CPB_MODEL_TENSORFLOW_DESCRIBE_H
#define CPB_MODEL_TENSORFLOW_DESCRIBE_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/tensorflow/state.h"

/* --- structured ------------------------------------------------------------------------------- */

/* Structured values, such as the arguments of a function in Python. */

/* A StructuredValue; how each kind looks is in docs/inspecting.md. */
/* Called within the object of each TensorSpec (`alone`) and of each other TypeSpec, where it may add members, with the
 * number of its tensors; 0 if unknown. */
typedef void (*cpb_structured_leaf)(void *user, cpb_json_writer *answer, bool alone, uint64_t tensors);
void cpb_write_structured_with(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span value,
                               cpb_structured_leaf leaf, void *user);

/* The same without. */
void cpb_write_structured(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span value);

/* --- tensors ---------------------------------------------------------------------------------- */

/* Tensors of a model, without their values. */

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

/* --- describe --------------------------------------------------------------------------------- */

/* Writes "node" and "path" of an object (a null path if it has none). */
void cpb_write_object_place(cpb_saved_model *m, uint32_t node);
/* Writes "kind" of an object, and the members of that kind. */
void cpb_write_object(cpb_saved_model *m, uint32_t node);

/* Writes "method", "inputs" and "outputs" of a SignatureDef. */
void cpb_write_signature(cpb_saved_model *m, cpb_span signature);

/* Writes "captures": the objects bound to the last arguments of a function. `signature` is its OpDef, `concrete` its
 * SavedConcreteFunction. */
void cpb_write_captures(cpb_saved_model *m, cpb_span signature, cpb_span concrete);

/* Writes "objects", "captures", "arguments" and "returns" of a function, from the object graph. `signature` is its
 * OpDef; `names` as for cpb_write_call_signature(). */
void cpb_write_concrete(cpb_saved_model *m, cpb_span signature, cpb_span function, const cpb_input_names *names);

#endif
