#include "model/common/tensor/tensor.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"

/* --- dtypes ----------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  unsigned bits;
} dtypes[] = {{"invalid", 0},
              {"float32", 32},
              {"float64", 64},
              {"int32", 32},
              {"uint8", 8},
              {"int16", 16},
              {"int8", 8},
              {"string", 0},
              {"complex64", 64},
              {"int64", 64},
              {"bool", 8},
              {"qint8", 8},
              {"quint8", 8},
              {"qint32", 32},
              {"bfloat16", 16},
              {"qint16", 16},
              {"quint16", 16},
              {"uint16", 16},
              {"complex128", 128},
              {"float16", 16},
              {"resource", 0},
              {"variant", 0},
              {"uint32", 32},
              {"uint64", 64},
              {"float8_e5m2", 8},
              {"float8_e4m3fn", 8},
              {"float8_e4m3fnuz", 8},
              {"float8_e4m3b11fnuz", 8},
              {"float8_e5m2fnuz", 8},
              {"int4", 4},
              {"uint4", 4},
              {"int2", 2},
              {"uint2", 2},
              {"float4_e2m1fn", 4}};
#define NUM_DTYPES (sizeof dtypes / sizeof *dtypes)
#define REF 100 /* DT_FLOAT_REF is DT_FLOAT + 100, and so on (types.proto) */

unsigned cpb_dtype_bits(uint64_t dtype) {
  if (dtype > REF) dtype -= REF;
  return dtype < NUM_DTYPES ? dtypes[dtype].bits : 0;
}

bool cpb_dtype_is_weight_like(uint64_t dtype) {
  static const char *const begins[] = {"float", "bfloat", "complex", "qint", "quint"};
  if (dtype > REF) dtype -= REF;
  for (size_t i = 0; dtype < NUM_DTYPES && i < sizeof begins / sizeof *begins; i++)
    if (strncmp(dtypes[dtype].name, begins[i], strlen(begins[i])) == 0) return true;
  return false;
}

void cpb_dtype_name(uint64_t dtype, char *out, size_t size) {
  if (dtype < NUM_DTYPES) cpb_format(out, size, "%s", dtypes[dtype].name);
  else if (dtype > REF && dtype - REF < NUM_DTYPES) cpb_format(out, size, "%s_ref", dtypes[dtype - REF].name);
  else cpb_format(out, size, "dtype %llu", (unsigned long long)dtype);
}

void cpb_write_dtype(cpb_json_writer *a, const char *key, uint64_t dtype) {
  char text[CPB_DTYPE_NAME];
  cpb_dtype_name(dtype, text, sizeof text);
  cpb_json_writer_text(a, key, text);
}

/* --- shapes ----------------------------------------------------------------------------------- */

bool cpb_elements_of(const uint64_t *shape, uint32_t rank, uint64_t *elements) {
  *elements = 1;
  for (uint32_t i = 0; i < rank; i++)
    if (!cpb_mul_u64(*elements, shape[i], elements)) return false;
  return true;
}

bool cpb_elements_bytes(uint64_t elements, unsigned bits, uint64_t *bytes) {
  uint64_t all;
  const bool fits = cpb_mul_u64(elements, bits, &all);
  if (fits) *bytes = all / 8 + (all % 8 > 0);
  return fits;
}

/* A shape stays a message, and is parsed wherever it is needed: so shapes take no memory, and their rank has no
 * limit. */

cpb_span cpb_get_shape(cpb_span message, uint32_t number) {
  cpb_span shape = cpb_get_bytes(message, number);
  return shape.data ? shape : (cpb_span){message.data, 0};
}

bool cpb_shape_elements(cpb_span shape, uint64_t *elements) {
  *elements = 1;
  if (!shape.data || cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) return false;
  cpb_cursor c = cpb_cursor_of(shape);
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    uint64_t size = cpb_get_number(c.bytes, DIM_SIZE);
    if ((int64_t)size < 0 || !cpb_mul_u64(*elements, size, elements)) return false;
  }
  return true;
}

void cpb_write_shape(cpb_json_writer *a, const char *key, cpb_span shape) {
  if (!shape.data || cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) {
    cpb_json_writer_null(a, key);
    return;
  }
  cpb_json_writer_open(a, key, '[');
  cpb_cursor c = cpb_cursor_of(shape);
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    int64_t size = (int64_t)cpb_get_number(c.bytes, DIM_SIZE);
    if (size < 0) cpb_json_writer_null(a, NULL);
    else cpb_json_writer_signed(a, NULL, size);
  }
  cpb_json_writer_close(a, ']');
}

/* --- format ----------------------------------------------------------------------------------- */

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
