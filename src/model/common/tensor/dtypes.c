#include "model/common/tensor/dtypes.h"

#include <string.h>

#include "base/status.h"

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
  for (size_t i = 0; dtype < NUM_DTYPES && i < sizeof begins / sizeof *begins; i++) {
    if (strncmp(dtypes[dtype].name, begins[i], strlen(begins[i])) == 0) return true;
  }
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
