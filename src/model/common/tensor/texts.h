/* The texts of a tensor, for values.c. */
#ifndef CPB_MODEL_COMMON_TENSOR_TEXTS_H
#define CPB_MODEL_COMMON_TENSOR_TEXTS_H

#include "model/common/tensor/values_state.h"

/* Finds how many texts there are, and how long: `size`, and whether they come in a fixed
 * width. Of each only the length and the last byte are read. */
cpb_have cpb_tensor_measure_texts(cpb_tensor_values *values);
/* Then the next bytes of them. */
cpb_have cpb_tensor_next_text(cpb_tensor_values *values, cpb_span *data);

#endif
