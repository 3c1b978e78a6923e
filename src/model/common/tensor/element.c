#include "model/common/tensor/tensor.h"

#include <math.h>

#define DT_BFLOAT16 14

/* --- Floats that C has no type for ---------------------------------------------------------- */

/* How the highest exponent is used: for infinity and NaN as in IEEE 754; for numbers, but for the one
 * with all bits set (FN); for numbers, and -0 is the NaN (FNUZ); for numbers alone (ALL). */
typedef enum specials { IEEE, FN, FNUZ, ALL } specials;

typedef struct float_layout {
  uint8_t exponent, fraction; /* bits */
  uint8_t bias;
  uint8_t specials;
} float_layout;

/* Indexed by tensorflow.DataType. */
static const float_layout layouts[] = {[DT_BFLOAT16] = {8, 7, 127, IEEE},
                                       [19] = {5, 10, 15, IEEE},
                                       [24] = {5, 2, 15, IEEE},
                                       [25] = {4, 3, 7, FN},
                                       [26] = {4, 3, 8, FNUZ},
                                       [27] = {4, 3, 11, FNUZ},
                                       [28] = {5, 2, 16, FNUZ},
                                       [33] = {2, 1, 1, ALL}};

static double power_of_two(int exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double decode(const float_layout *l, uint32_t bits) {
  const uint32_t fraction_mask = (1u << l->fraction) - 1, exponent_mask = (1u << l->exponent) - 1;
  uint32_t fraction = bits & fraction_mask, exponent = bits >> l->fraction & exponent_mask;
  bool negative = (bits >> (l->fraction + l->exponent) & 1) != 0, highest = exponent == exponent_mask;
  if (l->specials == IEEE && highest) return fraction != 0 ? (double)NAN : negative ? -HUGE_VAL : HUGE_VAL;
  if (l->specials == FN && highest && fraction == fraction_mask) return (double)NAN;
  if (l->specials == FNUZ && negative && exponent == 0 && fraction == 0) return (double)NAN;
  double units = exponent == 0 ? fraction : fraction + fraction_mask + 1.0;
  double value = units * power_of_two((exponent == 0 ? 1 : (int)exponent) - l->bias - l->fraction);
  return negative ? -value : value;
}

double cpb_small_float(unsigned exponent, unsigned fraction, unsigned bias, uint32_t bits) {
  const float_layout layout = {(uint8_t)exponent, (uint8_t)fraction, (uint8_t)bias, ALL};
  return decode(&layout, bits);
}

static const float_layout *layout_of(uint64_t dtype) {
  bool known = dtype < sizeof layouts / sizeof *layouts && layouts[dtype].exponent > 0;
  return known ? &layouts[dtype] : NULL;
}

bool cpb_small_float_of(uint64_t dtype, uint32_t bits, double *value) {
  const float_layout *layout = layout_of(dtype);
  if (layout) *value = decode(layout, bits);
  return layout != NULL;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* All formats store elements little-endian, whatever the host is. */
static uint64_t load(const uint8_t *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; i--) value = value << 8 | bytes[i - 1];
  return value;
}

static void write_float(cpb_json_writer *a, const char *key, const uint8_t *bytes, size_t size) {
  uint64_t bits = load(bytes, size);
  uint32_t low = (uint32_t)bits;
  float single;
  double value;
  memcpy(&single, &low, sizeof single);
  memcpy(&value, &bits, sizeof value);
  if (size == 4) cpb_json_writer_float(a, key, single);
  else cpb_json_writer_double(a, key, value);
}

static void write_complex(cpb_json_writer *a, const char *key, const uint8_t *bytes, size_t size) {
  cpb_json_writer_open(a, key, '[');
  write_float(a, NULL, bytes, size / 2);
  write_float(a, NULL, bytes + size / 2, size / 2);
  cpb_json_writer_close(a, ']');
}

static void write_signed(cpb_json_writer *a, const char *key, const uint8_t *bytes, size_t size) {
  const uint64_t sign = (uint64_t)1 << (8 * size - 1);
  cpb_json_writer_exact(a, key, (int64_t)((load(bytes, size) ^ sign) - sign));
}

void cpb_write_element(cpb_json_writer *a, const char *key, uint64_t dtype, const uint8_t *bytes) {
  const cpb_tensor_format *f = cpb_tensor_format_of(dtype);
  const float_layout *layout = layout_of(dtype);
  if (layout) {
    /* The digits of a float are enough to distinguish all of these. */
    cpb_json_writer_float(a, key, (float)decode(layout, (uint32_t)load(bytes, f->size)));
    return;
  }
  switch (f->numpy[1]) {
    case 'b': cpb_json_writer_bool(a, key, bytes[0] != 0); break;
    case 'f': write_float(a, key, bytes, f->size); break;
    case 'c': write_complex(a, key, bytes, f->size); break;
    case 'u': cpb_json_writer_exact_unsigned(a, key, load(bytes, f->size)); break;
    default: write_signed(a, key, bytes, f->size); break;
  }
}
