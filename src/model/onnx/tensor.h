/* A tensor of a model, without its values. */
#ifndef CPB_MODEL_ONNX_TENSOR_H
#define CPB_MODEL_ONNX_TENSOR_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/common/tensor/external.h"

/* A TensorProto without its values. */
typedef struct cpb_onnx_tensor {
  const cpb_part *part;
  cpb_span message; /* TensorProto, in the part */
  uint64_t dtype;
  cpb_tensor_type type; /* its `format` is NULL if the dtype is unknown */
  bool has_elements;    /* `elements` and `bytes` are valid */
  uint64_t elements;
  uint64_t bytes;   /* by shape and type; elements that share bytes count as one; 0 for strings */
  uint32_t field;   /* of TensorProto, with the values; 0: none */
  uint64_t parts;   /* number of such fields: 1 if they are packed */
  uint64_t size;    /* of the values in bytes, here or in another file */
  cpb_range values; /* of the first field, if the values are in the model */
  cpb_range tensor; /* the TensorProto itself */
  bool is_external; /* the values are in another file */
  cpb_external external;
} cpb_onnx_tensor;

cpb_onnx_tensor cpb_onnx_tensor_of(const cpb_part *part, cpb_span message);

/* Writes members of an object: "dtype", "shape", "elements", "bytes", "size", the place of the values, and the first
 * values if they are in memory. */
void cpb_onnx_write_tensor(cpb_json_writer *answer, const cpb_onnx_tensor *tensor);

/* Writes members for a SparseTensorProto: for its dense shape, the number of values, and the two tensors. */
void cpb_onnx_write_sparse(cpb_json_writer *answer, const cpb_part *part, cpb_span message);

#endif
