/* The values of a tensor of an ONNX model, streamed. */
#ifndef CPB_MODEL_ONNX_INITIALIZER_VALUES_H
#define CPB_MODEL_ONNX_INITIALIZER_VALUES_H

#include "model/common/values_reader.h"

extern const cpb_values_reader cpb_onnx_values;

#endif
