#include "model/onnx/model.h"

#include <math.h>

#include "base/status.h"
#include "model/common/tensor/tensor.h"
#include "model/onnx/fields.h"

/* ONNX stores most types in a wider field: float16 and bfloat16 are the numbers of their bits in int32_data, and two
 * or four small elements share one such number (`packed`). All that TensorFlow has as well is decoded by the code
 * for its tensors. */

/* Types that TensorFlow has no number for. float8_e8m0 has only an exponent. */
enum { FLOAT8_E8M0 = 24, FLOAT6_E2M3 = 27, FLOAT6_E3M2 = 28 };
static const cpb_tensor_format small_float = {"|V1", 0, 1, 0, 0};

/* Indexed by TensorProto.DataType: TensorFlow's number of the same type, and the field for values that are not in
 * raw_data. */
static const struct {
  uint8_t tensorflow, field, packed;
} dtypes[] = {{0, 0, 0},
              {1, TENSOR_FLOAT_DATA, 0},   /* FLOAT */
              {4, TENSOR_INT32_DATA, 0},   /* UINT8 */
              {6, TENSOR_INT32_DATA, 0},   /* INT8 */
              {17, TENSOR_INT32_DATA, 0},  /* UINT16 */
              {5, TENSOR_INT32_DATA, 0},   /* INT16 */
              {3, TENSOR_INT32_DATA, 0},   /* INT32 */
              {9, TENSOR_INT64_DATA, 0},   /* INT64 */
              {7, TENSOR_STRING_DATA, 0},  /* STRING */
              {10, TENSOR_INT32_DATA, 0},  /* BOOL */
              {19, TENSOR_INT32_DATA, 0},  /* FLOAT16 */
              {2, TENSOR_DOUBLE_DATA, 0},  /* DOUBLE */
              {22, TENSOR_UINT64_DATA, 0}, /* UINT32 */
              {23, TENSOR_UINT64_DATA, 0}, /* UINT64 */
              {8, TENSOR_FLOAT_DATA, 0},   /* COMPLEX64 */
              {18, TENSOR_DOUBLE_DATA, 0}, /* COMPLEX128 */
              {14, TENSOR_INT32_DATA, 0},  /* BFLOAT16 */
              {25, TENSOR_INT32_DATA, 0},  /* FLOAT8E4M3FN */
              {26, TENSOR_INT32_DATA, 0},  /* FLOAT8E4M3FNUZ */
              {24, TENSOR_INT32_DATA, 0},  /* FLOAT8E5M2 */
              {28, TENSOR_INT32_DATA, 0},  /* FLOAT8E5M2FNUZ */
              {30, TENSOR_INT32_DATA, 4},  /* UINT4 */
              {29, TENSOR_INT32_DATA, 4},  /* INT4 */
              {33, TENSOR_INT32_DATA, 4},  /* FLOAT4E2M1 */
              {0, TENSOR_INT32_DATA, 0},   /* FLOAT8E8M0 */
              {32, TENSOR_INT32_DATA, 2},  /* UINT2 */
              {31, TENSOR_INT32_DATA, 2},  /* INT2 */
              {0, TENSOR_INT32_DATA, 6},   /* FLOAT6E2M3 */
              {0, TENSOR_INT32_DATA, 6}};  /* FLOAT6E3M2 */
#define NUM_DTYPES (sizeof dtypes / sizeof *dtypes)

/* The name of a type that TensorFlow lacks; else NULL. */
static const char *own_name(uint64_t dtype) {
  switch (dtype) {
    case FLOAT8_E8M0: return "float8_e8m0fnu";
    case FLOAT6_E2M3: return "float6_e2m3fn";
    case FLOAT6_E3M2: return "float6_e3m2fn";
    default: return NULL;
  }
}

static void name_dtype(uint64_t dtype, char *out, size_t size) {
  if (own_name(dtype)) cpb_format(out, size, "%s", own_name(dtype));
  else if (dtype < NUM_DTYPES) cpb_dtype_name(dtypes[dtype].tensorflow, out, size);
  else cpb_format(out, size, "dtype %llu", (unsigned long long)dtype);
}

void cpb_onnx_write_dtype(cpb_json_writer *a, const char *key, uint64_t dtype) {
  char text[CPB_DTYPE_NAME];
  name_dtype(dtype, text, sizeof text);
  if (dtype == 0) cpb_json_writer_null(a, key);
  else cpb_json_writer_text(a, key, text);
}

/* Excludes the types of shapes, axes, indices, masks and labels. */
bool cpb_onnx_dtype_is_weight_like(uint64_t dtype) {
  enum { UINT16 = 4, BOOL = 9, UINT32 = 12, UINT64 = 13 };
  return dtype != 0 && !(dtype >= UINT16 && dtype <= BOOL) && dtype != UINT32 && dtype != UINT64;
}

static cpb_wire_type wire_of(uint32_t field) {
  switch (field) {
    case TENSOR_FLOAT_DATA: return CPB_WIRE_FIXED32;
    case TENSOR_DOUBLE_DATA: return CPB_WIRE_FIXED64;
    case TENSOR_STRING_DATA: return CPB_WIRE_LEN;
    default: return CPB_WIRE_VARINT;
  }
}

bool cpb_onnx_describe_dtype(uint64_t dtype, cpb_tensor_type *type) {
  *type = (cpb_tensor_type){.format = NULL};
  name_dtype(dtype, type->name, sizeof type->name);
  if (dtype == 0 || dtype >= NUM_DTYPES) return false;
  type->format = own_name(dtype) ? &small_float : cpb_tensor_format_of(dtypes[dtype].tensorflow);
  type->field = dtypes[dtype].field;
  type->wire = wire_of(type->field);
  type->packed = dtypes[dtype].packed;
  type->packed_typed = type->packed == 6 ? 0 : type->packed;
  return type->format != NULL;
}

static double exponent_of(uint8_t bits) { return bits == 255 ? (double)NAN : ldexp(1.0, bits - 127); }

void cpb_onnx_write_element(cpb_json_writer *a, const char *key, uint64_t dtype, const uint8_t *bytes) {
  switch (dtype) {
    case FLOAT8_E8M0: cpb_json_writer_double(a, key, exponent_of(bytes[0])); break;
    case FLOAT6_E2M3: cpb_json_writer_double(a, key, cpb_small_float(2, 3, 1, bytes[0])); break;
    case FLOAT6_E3M2: cpb_json_writer_double(a, key, cpb_small_float(3, 2, 3, bytes[0])); break;
    default: cpb_write_element(a, key, dtypes[dtype].tensorflow, bytes); break;
  }
}

const cpb_tensor_layout cpb_onnx_layout = {.dtype = TENSOR_TYPE,
                                           .shape = TENSOR_DIMS,
                                           .content = TENSOR_RAW_DATA,
                                           .strings = TENSOR_STRING_DATA,
                                           .shape_name = "dims",
                                           .content_name = "raw_data",
                                           .strings_name = "string_data",
                                           .has_dims = true,
                                           .location = TENSOR_LOCATION,
                                           .external = TENSOR_EXTERNAL,
                                           .describe = cpb_onnx_describe_dtype};

/* A number that is 0, or an empty text, may be left out. */
const cpb_tensor_layout cpb_onnx_layout_of_one = {
    .strings = ATTRIBUTE_STRING, .shape_name = "shape", .content_name = "s", .strings_name = "s", .repeats_last = true};
const cpb_tensor_layout cpb_onnx_layout_of_list = {
    .strings = ATTRIBUTE_STRINGS, .shape_name = "shape", .content_name = "strings", .strings_name = "strings"};
