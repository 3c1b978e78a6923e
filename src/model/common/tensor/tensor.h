/* Tensors: their fields, types and shapes, and elements as text. */
#ifndef CPB_MODEL_COMMON_TENSOR_TENSOR_H
#define CPB_MODEL_COMMON_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/json_writer.h"
#include "proto/wire.h"

/* --- fields ----------------------------------------------------------------------------------- */

/* Numbers of the fields that are read from TensorFlow's tensors, shapes and versions, in models and checkpoints
 * (framework/tensor.proto, tensor_shape.proto, versions.proto). */

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

/* --- dtypes ----------------------------------------------------------------------------------- */

/* TensorFlow's types of elements (framework/types.proto). */

/* Such as "float32", or "float32_ref"; "dtype 77" for one that is not known. */
#define CPB_DTYPE_NAME 40
void cpb_dtype_name(uint64_t dtype, char *out, size_t size);
void cpb_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* Bits of an element; 0 where elements have no fixed size. */
unsigned cpb_dtype_bits(uint64_t dtype);
/* Floating-point, complex or quantized numbers, which the values of weights are. */
bool cpb_dtype_is_weight_like(uint64_t dtype);

/* --- shapes ----------------------------------------------------------------------------------- */

/* The product; false if it is 2^64 or more. */
bool cpb_elements_of(const uint64_t *shape, uint32_t rank, uint64_t *elements);
/* The size of elements of so many bits, which may share bytes; false if they have 2^64 bits or more. */
bool cpb_elements_bytes(uint64_t elements, unsigned bits, uint64_t *bytes);

/* TensorFlow's shapes (framework/tensor_shape.proto). */

/* The shape in field `number`. A message without one has a scalar's; NULL data without a message. */
cpb_span cpb_get_shape(cpb_span message, uint32_t number);
/* The number of elements of a TensorShapeProto; false when it is not known or beyond
 * 2^64. */
bool cpb_shape_elements(cpb_span shape, uint64_t *elements);

/* A TensorShapeProto: a list of sizes, null for an unknown one; null for a shape of unknown rank and for NULL data. */
void cpb_write_shape(cpb_json_writer *answer, const char *key, cpb_span shape);

/* --- format ----------------------------------------------------------------------------------- */

/* How values of each dtype are stored in a TensorProto, and how they are returned. */

#define CPB_TENSOR_FIELDS 19 /* one more than the last field of TensorProto */

typedef struct cpb_tensor_format {
  const char *numpy; /* NULL: not in NumPy */
  uint8_t field;     /* of TensorProto, with the values if there is no tensor_content; 0: cannot be read */
  uint8_t size;      /* bytes of an element as it comes; 0: texts */
  uint8_t bits;      /* of the element that are used, if not all; 1 is a bool */
  uint8_t is_signed; /* of those bits */
} cpb_tensor_format;

/* NULL when values of that dtype are not read. */
const cpb_tensor_format *cpb_tensor_format_of(uint64_t dtype);

/* How an element of the field is encoded: VARINT, FIXED32, FIXED64, or LEN for bytes. */
cpb_wire_type cpb_tensor_field_type(uint32_t field);

/* The byte of an element that has fewer bits than a byte. */
uint8_t cpb_tensor_small(const cpb_tensor_format *format, uint64_t value);

/* --- element ---------------------------------------------------------------------------------- */

/* One element of a tensor as JSON. */

/* `bytes` are format->size bytes of an element of `dtype`, as cpb_tensor_format_of() describes them. Writes a number,
 * true or false, or [real, imaginary] for a complex element. A number that JSON readers would round or reject is
 * written as a string. */
void cpb_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* A float of less than 4 bytes; false if `dtype` is another type. */
bool cpb_small_float_of(uint64_t dtype, uint32_t bits, double *value);

/* A float with a sign bit, exponent and fraction of the given widths, and without infinity or NaN. */
double cpb_small_float(unsigned exponent, unsigned fraction, unsigned bias, uint32_t bits);

#endif
