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

/* What a kind of model knows of a tensor that is no message by itself. */
typedef struct cpb_tensor_known {
  cpb_tensor_type type; /* with a format; its field below CPB_TENSOR_FIELDS, 0 for `content` */
  const uint64_t *shape;
  uint32_t rank;     /* at most CPB_TENSOR_RANK_MAX */
  cpb_range message; /* whose field type.field has the values, */
  cpb_range content; /* or where they lie, as in memory: of length 0 if it is that field */
  cpb_span file;     /* that `content` is of; empty: the model */
} cpb_tensor_known;

/* The same of such a tensor. Of the layout only the names count, and the field of strings. */
bool cpb_tensor_values_init_known(cpb_tensor_values *values, const cpb_allocator *a, const cpb_tensor_layout *layout,
                                  cpb_input *input, cpb_error *error, const cpb_tensor_known *known, bool exact_texts);
void cpb_tensor_values_free(cpb_tensor_values *values);

/* As the `next` of values_reader.h. */
cpb_have cpb_tensor_values_next(cpb_tensor_values *values, cpb_values_info *info, cpb_span *data);

#endif
