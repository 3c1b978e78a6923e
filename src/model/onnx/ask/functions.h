/* FUNCTIONS and FUNCTION: the functions of the model, and the graphs within nodes. */
#ifndef CPB_MODEL_ONNX_ASK_FUNCTIONS_H
#define CPB_MODEL_ONNX_ASK_FUNCTIONS_H

#include "model/onnx/state.h"

void cpb_onnx_functions(cpb_onnx_model *m);
void cpb_onnx_function(cpb_onnx_model *m);

#endif
