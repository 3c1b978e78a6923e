/* TensorFlow's TensorProto (framework/tensor.proto). */
#ifndef CPB_MODEL_COMMON_TENSOR_LAYOUT_H
#define CPB_MODEL_COMMON_TENSOR_LAYOUT_H

#include "model/common/tensor/values_state.h"

extern const cpb_tensor_layout cpb_tensorflow_layout;

#endif
