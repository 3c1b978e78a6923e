/* OVERVIEW: what the model is and takes, and how much there is of it. */
#ifndef CPB_MODEL_ONNX_ASK_OVERVIEW_H
#define CPB_MODEL_ONNX_ASK_OVERVIEW_H

#include "model/onnx/state.h"

void cpb_onnx_overview(cpb_onnx_model *m);

#endif
