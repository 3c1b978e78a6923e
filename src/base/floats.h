/* Floats of 8, 4 and 2 bytes by their bits. */
#ifndef CPB_BASE_FLOATS_H
#define CPB_BASE_FLOATS_H

#include <stdint.h>
#include <string.h>

static inline double cpb_double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline float cpb_float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Half precision: to single precision by exponent, except what has none. */
static inline double cpb_half_of(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) return (sign != 0 ? -1.0 : 1.0) * fraction / 16777216.0;
  exponent = exponent == 31 ? 255 : exponent + 112;
  return cpb_float_of(sign | exponent << 23 | fraction << 13);
}

static inline double cpb_bfloat16_of(uint32_t bits) { return cpb_float_of(bits << 16); }

#endif
