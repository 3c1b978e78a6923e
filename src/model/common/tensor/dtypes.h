/* TensorFlow's types of elements (framework/types.proto). */
#ifndef CPB_MODEL_COMMON_TENSOR_DTYPES_H
#define CPB_MODEL_COMMON_TENSOR_DTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include "base/json_writer.h"

/* Such as "float32", or "float32_ref"; "dtype 77" for one that is not known. */
#define CPB_DTYPE_NAME 40
void cpb_dtype_name(uint64_t dtype, char *out, size_t size);
void cpb_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* Bits of an element; 0 where elements have no fixed size. */
unsigned cpb_dtype_bits(uint64_t dtype);
/* Floating-point, complex or quantized numbers, which the values of weights are. */
bool cpb_dtype_is_weight_like(uint64_t dtype);

#endif
