/* The values of a tensor's message, streamed: of TensorFlow's TensorProto, or of ONNX's.
 *
 * They are in one field, as they lie in memory (tensor_content, raw_data), or in a repeated field for each group of
 * dtypes, packed or not; ONNX's may also be in another file. In TensorFlow's repeated fields the last value stands for
 * all that are missing at the end. Fields may come in any order. The reader first finds the fields by their tags and
 * lengths, and then reads the values once. */
#ifndef CPB_MODEL_COMMON_TENSOR_VALUES_H
#define CPB_MODEL_COMMON_TENSOR_VALUES_H

#include "model/common/tensor/values_state.h"

/* `input` and `error` belong to the caller. False if memory is short; free `values` then as well. */
bool cpb_tensor_values_init(cpb_tensor_values *values, const cpb_allocator *a, const cpb_tensor_layout *layout,
                            cpb_input *input, cpb_error *error, cpb_range tensor, bool exact_texts);

/* A tensor that is not stored as a tensor message, as its kind of model describes it. */
typedef struct cpb_tensor_known {
  cpb_tensor_type type; /* with a format; its field below CPB_TENSOR_FIELDS, 0 for `content` */
  const uint64_t *shape;
  uint32_t rank;     /* at most CPB_TENSOR_RANK_MAX */
  cpb_range message; /* whose field type.field has the values, */
  cpb_range content; /* or their range, as in memory; of length 0 if they are in the field */
  cpb_span file;     /* the file that has `content`; empty: the model */
} cpb_tensor_known;

/* Begins to read such a tensor. Only the layout's names count, and its field of strings. */
bool cpb_tensor_values_init_known(cpb_tensor_values *values, const cpb_allocator *a, const cpb_tensor_layout *layout,
                                  cpb_input *input, cpb_error *error, const cpb_tensor_known *known, bool exact_texts);
void cpb_tensor_values_free(cpb_tensor_values *values);

/* Like `next` in values_reader.h. */
cpb_have cpb_tensor_values_next(cpb_tensor_values *values, cpb_values_info *info, cpb_span *data);

#endif
