/* How values of each dtype are stored in a TensorProto, and how they are returned. */
#ifndef CPB_MODEL_COMMON_TENSOR_FORMAT_H
#define CPB_MODEL_COMMON_TENSOR_FORMAT_H

#include <stdint.h>

#include "base/bytes.h"
#include "proto/wire.h"

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

#endif
