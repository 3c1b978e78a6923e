/* What several answers say of the same things. */
#ifndef CPB_MODEL_TENSORFLOW_DESCRIBE_H
#define CPB_MODEL_TENSORFLOW_DESCRIBE_H

#include "model/tensorflow/arguments.h"

/* "node" and "path" of an object (path null where it has none). */
void cpb_write_object_place(cpb_saved_model *m, uint32_t node);
/* What an object is: "kind" and what its kind has to say. */
void cpb_write_object(cpb_saved_model *m, uint32_t node);

/* Of a SignatureDef: "method", "inputs" and "outputs". */
void cpb_write_signature(cpb_saved_model *m, cpb_span signature);

/* "captures": what the last arguments of a function are bound to. `signature` is its
 * OpDef, `concrete` its SavedConcreteFunction. */
void cpb_write_captures(cpb_saved_model *m, cpb_span signature, cpb_span concrete);

/* What the object graph says of a function: "objects", "captures", "arguments" and
 * "returns". `signature` is its OpDef; `names` as for cpb_write_call_signature(). */
void cpb_write_concrete(cpb_saved_model *m, cpb_span signature, cpb_span function, const cpb_input_names *names);

#endif
