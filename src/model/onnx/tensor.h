/* A tensor of a model, without its values. */
#ifndef CPB_MODEL_ONNX_TENSOR_H
#define CPB_MODEL_ONNX_TENSOR_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/common/tensor/external.h"

/* What is known of a TensorProto without its values. */
typedef struct cpb_onnx_tensor {
  const cpb_part *part;
  cpb_span message; /* TensorProto, in the part */
  uint64_t dtype;
  cpb_tensor_type type; /* its `format` is NULL if the dtype is not known */
  bool has_elements;    /* its sizes are no error: */
  uint64_t elements;
  uint64_t bytes;   /* by shape and type, elements that share bytes as one; 0 for strings */
  uint32_t field;   /* of TensorProto, that has the values; 0 for none */
  uint64_t parts;   /* how many such fields there are: 1 where they are packed */
  uint64_t size;    /* of their bytes, or of those in another file */
  cpb_range values; /* of the first, if they are in the model */
  cpb_range tensor; /* the TensorProto itself */
  bool is_external; /* in another file: */
  cpb_external external;
} cpb_onnx_tensor;

cpb_onnx_tensor cpb_onnx_tensor_of(const cpb_part *part, cpb_span message);

/* Members of an object: "dtype", "shape", "elements", "bytes", "size", where it lies, and its first values
 * if they are in memory. */
void cpb_onnx_write_tensor(cpb_json_writer *answer, const cpb_onnx_tensor *tensor);

/* Members for a SparseTensorProto: those of its dense shape, the numbers of values, and both tensors. */
void cpb_onnx_write_sparse(cpb_json_writer *answer, const cpb_part *part, cpb_span message);

#endif
