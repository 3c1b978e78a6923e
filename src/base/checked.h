/* Arithmetic on untrusted numbers: false means that the result overflowed. */
#ifndef CPB_BASE_CHECKED_H
#define CPB_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool cpb_add_u64(uint64_t a, uint64_t b, uint64_t *sum) {
  *sum = a + b;
  return *sum >= a;
}

static inline bool cpb_mul_u64(uint64_t a, uint64_t b, uint64_t *product) {
  *product = a * b;
  return a == 0 || *product / a == b;
}

static inline bool cpb_add_size(size_t a, size_t b, size_t *sum) {
  *sum = a + b;
  return *sum >= a;
}

static inline bool cpb_mul_size(size_t a, size_t b, size_t *product) {
  *product = a * b;
  return a == 0 || *product / a == b;
}

static inline bool cpb_to_size(uint64_t value, size_t *size) {
  *size = (size_t)value;
  return *size == value;
}

/* Sums that are too large stay at 2^64 - 1. */
static inline void cpb_add_saturated(uint64_t *to, uint64_t more) {
  if (!cpb_add_u64(*to, more, to)) *to = UINT64_MAX;
}

static inline uint64_t cpb_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t cpb_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline size_t cpb_min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t cpb_max_size(size_t a, size_t b) { return a > b ? a : b; }

#endif
