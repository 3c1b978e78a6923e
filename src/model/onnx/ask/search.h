/* SEARCH: a text in the names of anything. */
#ifndef CPB_MODEL_ONNX_ASK_SEARCH_H
#define CPB_MODEL_ONNX_ASK_SEARCH_H

#include "model/onnx/state.h"

void cpb_onnx_search(cpb_onnx_model *m);

#endif
