/* What several answers say of the same things. */
#ifndef CPB_MODEL_TENSORFLOW_DESCRIBE_H
#define CPB_MODEL_TENSORFLOW_DESCRIBE_H

#include "model/tensorflow/state.h"

/* "node" and "path" of an object (path null where it has none). */
void cpb_write_object_place(cpb_saved_model *m, uint32_t node);
/* What an object is: "kind" and what its kind has to say. */
void cpb_write_object(cpb_saved_model *m, uint32_t node);

/* Of a SignatureDef: "method", "inputs" and "outputs". */
void cpb_write_signature(cpb_saved_model *m, cpb_span signature);

/* A TensorInfo's members: "tensor", "dtype", "shape", or "sparse", "composite". */
void cpb_write_tensor_info(cpb_saved_model *m, cpb_span info);

/* "captures": what the last arguments of a function are bound to. `signature` is its
 * OpDef, `concrete` its SavedConcreteFunction. */
void cpb_write_captures(cpb_saved_model *m, cpb_span signature, cpb_span concrete);
#endif
