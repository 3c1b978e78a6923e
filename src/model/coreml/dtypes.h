/* Core ML's types of elements (MILSpec.DataType), under the names that TensorFlow and NumPy's users know. Weights of
 * neural networks have further ones: quantized to any number of bits. */
#ifndef CPB_MODEL_COREML_DTYPES_H
#define CPB_MODEL_COREML_DTYPES_H

#include "base/json_writer.h"
#include "model/common/tensor/values_state.h"

enum {
  MIL_STRING = 2,
  MIL_FLOAT16 = 10,
  MIL_FLOAT32 = 11,
  MIL_FLOAT64 = 12,
  MIL_INT8 = 21,
  MIL_INT32 = 23,
  MIL_INT64 = 24
};

/* Unsigned numbers of 1 to 8 bits that share bytes, highest bits first: no DataType, but a number of ours. */
#define CPB_COREML_QUANTIZED 1000
static inline uint32_t cpb_coreml_quantized(unsigned bits) { return CPB_COREML_QUANTIZED + bits; }

/* The DataType of a feature's ArrayDataType; 0 for one that is not known. */
uint32_t cpb_coreml_array_dtype(uint64_t type);

/* Such as "float32"; "dtype 77" for one that is not known; null for 0, which is none. */
void cpb_coreml_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* How it is stored as bytes; false for one that is not known. */
bool cpb_coreml_describe_dtype(uint64_t dtype, cpb_tensor_type *type);

/* An element, of format->size bytes; of those that share bytes, as one byte. */
void cpb_coreml_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* The number by which a file of weights calls the type; 0 for none. */
uint32_t cpb_coreml_blob_dtype(uint64_t dtype);

#endif
