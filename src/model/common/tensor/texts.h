/* The strings of a tensor, for values.c. */
#ifndef CPB_MODEL_COMMON_TENSOR_TEXTS_H
#define CPB_MODEL_COMMON_TENSOR_TEXTS_H

#include "model/common/tensor/values_state.h"

/* Whether strings with this total size may be padded to the longest: whether padding takes little extra memory. */
bool cpb_tensor_pads_texts(uint64_t count, uint64_t longest, uint64_t bytes);

/* Counts and measures the strings, and sets `size` and whether they are padded to a fixed width. Reads only the length
 * and the last byte of each. */
cpb_have cpb_tensor_measure_texts(cpb_tensor_values *values);
/* Then returns their next bytes. */
cpb_have cpb_tensor_next_text(cpb_tensor_values *values, cpb_span *data);

#endif
