/* ONNX's types of elements (TensorProto.DataType), under the names that TensorFlow and NumPy's users
 * know, and its tensors' layout. */
#ifndef CPB_MODEL_ONNX_DTYPES_H
#define CPB_MODEL_ONNX_DTYPES_H

#include "base/json_writer.h"
#include "model/common/tensor/values_state.h"

/* Such as "float32"; "dtype 77" if it is unknown; null for 0, which means no type. */
void cpb_onnx_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* How it is stored; false if unknown. */
bool cpb_onnx_describe_dtype(uint64_t dtype, cpb_tensor_type *type);

/* Writes an element of format->size bytes; one that shares its byte comes as one byte. */
void cpb_onnx_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* The layout of TensorProto. */
extern const cpb_tensor_layout cpb_onnx_layout;

#endif
