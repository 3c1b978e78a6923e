/* Writes descriptions that several answers share. */
#ifndef CPB_MODEL_TENSORFLOW_DESCRIBE_H
#define CPB_MODEL_TENSORFLOW_DESCRIBE_H

#include "model/tensorflow/arguments.h"

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
