/* The shape of a tensor whose values are streamed, for values.c. */
#ifndef CPB_MODEL_COMMON_TENSOR_DIMENSIONS_H
#define CPB_MODEL_COMMON_TENSOR_DIMENSIONS_H

#include "model/common/tensor/values_state.h"

/* Reads it: `shape`, `rank` and `count`. */
cpb_have cpb_tensor_read_shape(cpb_tensor_values *values);

#endif
