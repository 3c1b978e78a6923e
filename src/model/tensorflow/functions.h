/* What the object graph says of a function of the library. */
#ifndef CPB_MODEL_TENSORFLOW_FUNCTIONS_H
#define CPB_MODEL_TENSORFLOW_FUNCTIONS_H

#include "model/tensorflow/arguments.h"

/* What the object graph says of a function: "objects", "captures", "arguments" and
 * "returns". `signature` is its OpDef; `names` as for cpb_write_call_signature(). */
void cpb_write_concrete(cpb_saved_model *m, cpb_span signature, cpb_span function, const cpb_input_names *names);
/* "objects" alone, which lead to the function; returns the FunctionSpec of the first. */
cpb_span cpb_write_function_objects(cpb_saved_model *m, cpb_span function);

#endif
