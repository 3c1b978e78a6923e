#include "model/common/tensor/format.h"

#include <stddef.h>

#include "model/common/tensor/fields.h"

#define NUMBERS(numpy, field, size) {numpy, field, size, 0, 0}
#define PART(numpy, bits, is_signed) {numpy, TENSOR_INTS, 1, bits, is_signed}

/* Indexed by tensorflow.DataType. Float types that NumPy lacks are returned as raw bytes, and integers of four and two
 * bits as one byte each. */
static const cpb_tensor_format formats[] = {
    [1] = NUMBERS("<f4", TENSOR_FLOATS, 4),
    [2] = NUMBERS("<f8", TENSOR_DOUBLES, 8),
    [3] = NUMBERS("<i4", TENSOR_INTS, 4),
    [4] = NUMBERS("|u1", TENSOR_INTS, 1),
    [5] = NUMBERS("<i2", TENSOR_INTS, 2),
    [6] = NUMBERS("|i1", TENSOR_INTS, 1),
    [7] = NUMBERS(NULL, TENSOR_STRINGS, 0),
    [8] = NUMBERS("<c8", TENSOR_COMPLEX64, 8),
    [9] = NUMBERS("<i8", TENSOR_INT64, 8),
    [10] = {"|b1", TENSOR_BOOLS, 1, 1, 0},
    [11] = NUMBERS("|i1", TENSOR_INTS, 1),
    [12] = NUMBERS("|u1", TENSOR_INTS, 1),
    [13] = NUMBERS("<i4", TENSOR_INTS, 4),
    [14] = NUMBERS("|V2", TENSOR_HALVES, 2),
    [15] = NUMBERS("<i2", TENSOR_INTS, 2),
    [16] = NUMBERS("<u2", TENSOR_INTS, 2),
    [17] = NUMBERS("<u2", TENSOR_INTS, 2),
    [18] = NUMBERS("<c16", TENSOR_COMPLEX128, 16),
    [19] = NUMBERS("<f2", TENSOR_HALVES, 2),
    [22] = NUMBERS("<u4", TENSOR_UINT32, 4),
    [23] = NUMBERS("<u8", TENSOR_UINT64, 8),
    [24] = NUMBERS("|V1", TENSOR_FLOAT8, 1),
    [25] = NUMBERS("|V1", TENSOR_FLOAT8, 1),
    [26] = NUMBERS("|V1", TENSOR_FLOAT8, 1),
    [27] = NUMBERS("|V1", TENSOR_FLOAT8, 1),
    [28] = NUMBERS("|V1", TENSOR_FLOAT8, 1),
    [29] = PART("|i1", 4, 1),
    [30] = PART("|u1", 4, 0),
    [31] = PART("|i1", 2, 1),
    [32] = PART("|u1", 2, 0),
    [33] = NUMBERS("|V1", TENSOR_FLOAT8, 1),
};

const cpb_tensor_format *cpb_tensor_format_of(uint64_t dtype) {
  bool known = dtype < sizeof formats / sizeof *formats && formats[dtype].field != 0;
  return known ? &formats[dtype] : NULL;
}

cpb_wire_type cpb_tensor_field_type(uint32_t field) {
  switch (field) {
    case TENSOR_FLOATS:
    case TENSOR_COMPLEX64: return CPB_WIRE_FIXED32;
    case TENSOR_DOUBLES:
    case TENSOR_COMPLEX128: return CPB_WIRE_FIXED64;
    case TENSOR_STRINGS:
    case TENSOR_FLOAT8: return CPB_WIRE_LEN;
    default: return CPB_WIRE_VARINT;
  }
}

uint8_t cpb_tensor_small(const cpb_tensor_format *f, uint64_t value) {
  if (f->bits == 1) return value != 0;
  unsigned unused = 8 - f->bits;
  uint8_t bits = (uint8_t)(value << unused);
  return f->is_signed && bits >= 0x80 ? (uint8_t)(bits >> unused | 0xff << f->bits) : (uint8_t)(bits >> unused);
}
