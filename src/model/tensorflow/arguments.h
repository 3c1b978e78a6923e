/* Maps the arguments of a Python call to the tensors of the function. */
#ifndef CPB_MODEL_TENSORFLOW_ARGUMENTS_H
#define CPB_MODEL_TENSORFLOW_ARGUMENTS_H

#include "model/tensorflow/state.h"

/* A signature's names for the tensors that a function takes, in order; NULL data for a tensor without a name. */
typedef struct cpb_input_names {
  cpb_span *items;
  size_t count, capacity;
} cpb_input_names;

/* Writes "arguments", a list of {"name", "value"}, and "returns". `signature` is the function's OpDef, `spec` a
 * FunctionSpec or empty, `names` NULL or a signature's names of the tensors. Each TensorSpec among the values also gets
 * the function's "argument", each other TypeSpec "arguments"; with `names`, also the signature's "input" or "inputs".
 * These are left out if values and tensors do not match. */
void cpb_write_call_signature(cpb_saved_model *m, cpb_span signature, cpb_span concrete, cpb_span spec,
                              const cpb_input_names *names);

#endif
