/* The values of a tensor's message, streamed: of TensorFlow's TensorProto, or of ONNX's.
 *
 * They are in one field, as they lie in memory (tensor_content, raw_data), or in a repeated field
 * for each kind of dtype, packed or not; of ONNX's also in another file. In TensorFlow's, what is
 * missing at the end of a repeated field is its last value again. Fields may come in any order.
 * First tags and lengths are looked at; then the values are read, once. */
#ifndef CPB_MODEL_COMMON_TENSOR_VALUES_H
#define CPB_MODEL_COMMON_TENSOR_VALUES_H

#include "model/common/tensor/values_state.h"

/* `input` and `error` are the owner's. False when memory is short; to be freed then too. */
bool cpb_tensor_values_init(cpb_tensor_values *values, const cpb_allocator *a, const cpb_tensor_layout *layout,
                            cpb_input *input, cpb_error *error, cpb_range tensor, bool exact_texts);
void cpb_tensor_values_free(cpb_tensor_values *values);

/* As the `next` of values_reader.h. */
cpb_have cpb_tensor_values_next(cpb_tensor_values *values, cpb_values_info *info, cpb_span *data);

#endif
