/* ONNX's types of elements (TensorProto.DataType), under the names that TensorFlow and NumPy's users
 * know, and its tensors' layout. */
#ifndef CPB_MODEL_ONNX_DTYPES_H
#define CPB_MODEL_ONNX_DTYPES_H

#include "base/json_writer.h"
#include "model/common/tensor/values_state.h"

/* Such as "float32"; "dtype 77" for one that is not known; null for 0, which is none. */
void cpb_onnx_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* How it is stored; false for one that is not known. */
bool cpb_onnx_describe_dtype(uint64_t dtype, cpb_tensor_type *type);

/* An element, of format->size bytes; of those that share bytes, as one byte. */
void cpb_onnx_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* Of TensorProto. */
extern const cpb_tensor_layout cpb_onnx_layout;

#endif
