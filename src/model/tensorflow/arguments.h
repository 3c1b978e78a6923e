/* What Python calls a function with, and which tensors of the function that becomes. */
#ifndef CPB_MODEL_TENSORFLOW_ARGUMENTS_H
#define CPB_MODEL_TENSORFLOW_ARGUMENTS_H

#include "model/tensorflow/state.h"

/* What a signature calls the tensors that a function takes, in their order; NULL data where it has no name. */
typedef struct cpb_input_names {
  cpb_span *items;
  size_t count, capacity;
} cpb_input_names;

/* "arguments", a list of {"name", "value"}, and "returns". `signature` is the function's OpDef, `spec` a
 * FunctionSpec or empty, `names` NULL or what a signature calls the tensors. Each TensorSpec among the
 * values has the function's "argument" beside it, each other TypeSpec "arguments"; and with `names` the
 * signature's "input" or "inputs". They are left out if values and tensors do not match. */
void cpb_write_call_signature(cpb_saved_model *m, cpb_span signature, cpb_span concrete, cpb_span spec,
                              const cpb_input_names *names);

#endif
