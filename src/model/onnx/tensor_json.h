/* Tensors of a model in JSON. */
#ifndef CPB_MODEL_ONNX_TENSOR_JSON_H
#define CPB_MODEL_ONNX_TENSOR_JSON_H

#include "base/json_writer.h"
#include "model/onnx/tensor.h"

/* Members of an object: "dtype", "shape", "elements", "bytes", "size", where it lies, and its first values
 * if they are in memory. */
void cpb_onnx_write_tensor(cpb_json_writer *answer, const cpb_onnx_tensor *tensor);

/* Members for a SparseTensorProto: those of its dense shape, the numbers of values, and both tensors. */
void cpb_onnx_write_sparse(cpb_json_writer *answer, const cpb_part *part, cpb_span message);

#endif
