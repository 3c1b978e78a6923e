/* LAYERS: parameters by the name scopes of the nodes that take them. */
#ifndef CPB_MODEL_ONNX_ASK_LAYERS_H
#define CPB_MODEL_ONNX_ASK_LAYERS_H

#include "model/onnx/state.h"

void cpb_onnx_layers(cpb_onnx_model *m);

#endif
