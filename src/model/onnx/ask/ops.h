/* OPS: how often each operation is used. */
#ifndef CPB_MODEL_ONNX_ASK_OPS_H
#define CPB_MODEL_ONNX_ASK_OPS_H

#include "model/onnx/state.h"

void cpb_onnx_ops(cpb_onnx_model *m);

#endif
