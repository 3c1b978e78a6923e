/* SCOPES: nodes by the parts of their names. */
#ifndef CPB_MODEL_ONNX_ASK_SCOPES_H
#define CPB_MODEL_ONNX_ASK_SCOPES_H

#include "model/onnx/state.h"

void cpb_onnx_scopes(cpb_onnx_model *m);

#endif
