/* The texts of a tensor, for values.c. */
#ifndef CPB_MODEL_COMMON_TENSOR_TEXTS_H
#define CPB_MODEL_COMMON_TENSOR_TEXTS_H

#include "model/common/tensor/values_state.h"

/* Whether texts of so many bytes in all may come in as many bytes as the longest: that takes not far more room. */
bool cpb_tensor_pads_texts(uint64_t count, uint64_t longest, uint64_t bytes);

/* Finds how many texts there are, and how long: `size`, and whether they come in a fixed
 * width. Of each only the length and the last byte are read. */
cpb_have cpb_tensor_measure_texts(cpb_tensor_values *values);
/* Then the next bytes of them. */
cpb_have cpb_tensor_next_text(cpb_tensor_values *values, cpb_span *data);

#endif
