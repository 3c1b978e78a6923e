#include "model/coreml/model.h"

#include "base/status.h"
#include "model/common/tensor/tensor.h"

/* Integers that TensorFlow has no number for are returned as one byte each. */
static const cpb_tensor_format small = {"|u1", 0, 1, 8, 0};

/* By DataType: TensorFlow's number of the same type, or 0; bits of an element if elements share bytes, lowest first;
 * and its number in a file of weights (BlobDataType of its format). */
static const struct {
  uint8_t dtype, tensorflow, packed, blob;
} dtypes[] = {{1, 10, 0, 0},  {2, 7, 0, 0},    {10, 19, 0, 1},  {11, 1, 0, 2},   {12, 2, 0, 0},   {13, 14, 0, 5},
              {21, 6, 0, 4},  {22, 5, 0, 6},   {23, 3, 0, 14},  {24, 9, 0, 0},   {25, 29, 4, 8},  {31, 4, 0, 3},
              {32, 17, 0, 7}, {33, 22, 0, 15}, {34, 23, 0, 0},  {35, 30, 4, 11}, {36, 32, 2, 10}, {37, 0, 1, 9},
              {38, 0, 6, 13}, {39, 0, 3, 12},  {40, 25, 0, 16}, {41, 24, 0, 17}};
#define NUM_DTYPES (sizeof dtypes / sizeof *dtypes)

/* Core ML has three numberings: of programs (`dtype`), of files of weights (`blob`) and of features
 * (cpb_coreml_array_dtype). Layers store quantized numbers of 1 to 8 bits without a type; CPB_COREML_QUANTIZED +
 * bits stands for them. */
static size_t find(uint64_t dtype) {
  size_t i = 0;
  while (i < NUM_DTYPES && dtypes[i].dtype != dtype) i++;
  return i;
}

/* Bits of an element of those that TensorFlow lacks; 0 for others. */
static unsigned own_bits(uint64_t dtype) {
  const size_t i = find(dtype);
  if (dtype > CPB_COREML_QUANTIZED && dtype <= CPB_COREML_QUANTIZED + 8) return (unsigned)dtype - CPB_COREML_QUANTIZED;
  return i < NUM_DTYPES && dtypes[i].tensorflow == 0 ? dtypes[i].packed : 0;
}

uint32_t cpb_coreml_array_dtype(uint64_t type) {
  switch (type) {
    case 65552: return MIL_FLOAT16;
    case 65568: return MIL_FLOAT32;
    case 65600: return MIL_FLOAT64;
    case 131080: return MIL_INT8;
    case 131104: return MIL_INT32;
    default: return 0;
  }
}

static void name_dtype(uint64_t dtype, char *out, size_t size) {
  const size_t i = find(dtype);
  if (own_bits(dtype)) cpb_format(out, size, "uint%u", own_bits(dtype));
  else if (i < NUM_DTYPES) cpb_dtype_name(dtypes[i].tensorflow, out, size);
  else cpb_format(out, size, "dtype %llu", (unsigned long long)dtype);
}

void cpb_coreml_write_dtype(cpb_json_writer *a, const char *key, uint64_t dtype) {
  char text[CPB_DTYPE_NAME];
  name_dtype(dtype, text, sizeof text);
  if (dtype == 0) cpb_json_writer_null(a, key);
  else cpb_json_writer_text(a, key, text);
}

bool cpb_coreml_describe_dtype(uint64_t dtype, cpb_tensor_type *type) {
  const size_t i = find(dtype);
  *type = (cpb_tensor_type){.format = NULL};
  name_dtype(dtype, type->name, sizeof type->name);
  type->high_first = dtype > CPB_COREML_QUANTIZED;
  if (own_bits(dtype)) {
    type->format = &small;
    type->packed = (uint8_t)own_bits(dtype);
  } else if (i < NUM_DTYPES) {
    type->format = cpb_tensor_format_of(dtypes[i].tensorflow);
    type->packed = dtypes[i].packed;
  }
  return type->format != NULL;
}

void cpb_coreml_write_element(cpb_json_writer *a, const char *key, uint64_t dtype, const uint8_t *bytes) {
  const size_t i = find(dtype);
  if (own_bits(dtype)) cpb_json_writer_unsigned(a, key, bytes[0]);
  else if (i < NUM_DTYPES) cpb_write_element(a, key, dtypes[i].tensorflow, bytes);
}

uint32_t cpb_coreml_blob_dtype(uint64_t dtype) {
  const size_t i = find(dtype);
  return i < NUM_DTYPES ? dtypes[i].blob : 0;
}
