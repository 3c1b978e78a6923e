/* CONSTANTS: initializers, and the values of Constant nodes. */
#ifndef CPB_MODEL_ONNX_ASK_INITIALIZERS_H
#define CPB_MODEL_ONNX_ASK_INITIALIZERS_H

#include "model/common/names.h"
#include "model/onnx/state.h"
#include "model/onnx/tensor.h"

void cpb_onnx_constants(cpb_onnx_model *m);

/* The name of an initializer, sparse or not. */
cpb_span cpb_onnx_initializer_name(uint32_t field, cpb_span message);

/* The names of a graph's initializers, sorted, numbered in their order. False when memory is short. */
bool cpb_onnx_name_initializers(cpb_span graph, cpb_names *names);

/* "parameters": how many elements and bytes the initializers of the model's graph have, "external_data": how many
 * bytes of these in which files. */
void cpb_onnx_write_parameters(cpb_onnx_model *m);

#endif
