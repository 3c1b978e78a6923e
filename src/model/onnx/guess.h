/* How an ONNX model begins. */
#ifndef CPB_MODEL_ONNX_GUESS_H
#define CPB_MODEL_ONNX_GUESS_H

#include "base/bytes.h"

int cpb_onnx_guess(cpb_span begin);

#endif
