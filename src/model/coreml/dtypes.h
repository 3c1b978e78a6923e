/* Core ML's types of elements (MILSpec.DataType), under the names that users of TensorFlow and NumPy know. Weights of
 * neural networks have further types: quantized to any number of bits. */
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

/* Unsigned numbers of 1 to 8 bits that share bytes, highest bits first: numbers of our own, not in DataType. */
#define CPB_COREML_QUANTIZED 1000
static inline uint32_t cpb_coreml_quantized(unsigned bits) { return CPB_COREML_QUANTIZED + bits; }

/* The DataType of a feature's ArrayDataType; 0 if unknown. */
uint32_t cpb_coreml_array_dtype(uint64_t type);

/* Such as "float32"; "dtype 77" if it is unknown; null for 0, which means no type. */
void cpb_coreml_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* How it is stored as bytes; false if unknown. */
bool cpb_coreml_describe_dtype(uint64_t dtype, cpb_tensor_type *type);

/* Writes an element of format->size bytes; one that shares its byte comes as one byte. */
void cpb_coreml_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* The number of the type in a file of weights; 0 if it has none. */
uint32_t cpb_coreml_blob_dtype(uint64_t dtype);

#endif
