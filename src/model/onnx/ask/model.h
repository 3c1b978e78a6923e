/* Answers questions about ONNX models. */
#ifndef CPB_MODEL_ONNX_ASK_MODEL_H
#define CPB_MODEL_ONNX_ASK_MODEL_H

#include "model/common/model_reader.h"

extern const cpb_model_reader cpb_onnx_reader;

#endif
