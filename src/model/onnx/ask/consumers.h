/* CONSUMERS: what takes a node's outputs, or a value. */
#ifndef CPB_MODEL_ONNX_ASK_CONSUMERS_H
#define CPB_MODEL_ONNX_ASK_CONSUMERS_H

#include "model/onnx/state.h"

void cpb_onnx_consumers(cpb_onnx_model *m);

#endif
