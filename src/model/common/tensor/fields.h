/* Numbers of the fields that are read from TensorFlow's tensors, shapes and versions, in models and checkpoints
 * (framework/tensor.proto, tensor_shape.proto, versions.proto). */
#ifndef CPB_MODEL_COMMON_TENSOR_FIELDS_H
#define CPB_MODEL_COMMON_TENSOR_FIELDS_H

enum {
  TENSOR_DTYPE = 1,
  TENSOR_SHAPE = 2,
  TENSOR_CONTENT = 4,
  TENSOR_FLOATS = 5,
  TENSOR_DOUBLES = 6,
  TENSOR_INTS = 7,
  TENSOR_STRINGS = 8,
  TENSOR_COMPLEX64 = 9,
  TENSOR_INT64 = 10,
  TENSOR_BOOLS = 11,
  TENSOR_COMPLEX128 = 12,
  TENSOR_HALVES = 13,
  TENSOR_RESOURCES = 14,
  TENSOR_VARIANTS = 15,
  TENSOR_UINT32 = 16,
  TENSOR_UINT64 = 17,
  TENSOR_FLOAT8 = 18
};
enum { SHAPE_DIM = 2, SHAPE_UNKNOWN_RANK = 3, DIM_SIZE = 1 };
enum { VERSIONS_PRODUCER = 1, VERSIONS_MIN_CONSUMER = 2, VERSIONS_BAD_CONSUMERS = 3 };

#endif
