/* The elements of an array as numbers. */
#ifndef CPB_MODEL_STATISTICS_NUMBERS_H
#define CPB_MODEL_STATISTICS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpb/statistics.h"
#include "cpb/values.h"

#define CPB_NUMBER_MOST 16 /* bytes of the largest element */

typedef struct cpb_number_type {
  char class;         /* 'i', 'u', 'b', 'f', 'c' as in NumPy; 'h' bfloat16; 't' by `values`; 0: not numbers */
  unsigned size;      /* bytes of an element */
  double values[256]; /* with 't': of each byte */
} cpb_number_type;

void cpb_number_type_of(const cpb_values_info *info, cpb_number_type *out);

/* Gives the magnitude of a complex number, and rounds integers beyond 2^53. */
double cpb_number_at(const cpb_number_type *type, const uint8_t *element);

/* Elements that come in pieces of any size. */
typedef struct cpb_numbers {
  cpb_number_type type;
  uint8_t piece[CPB_NUMBER_MOST]; /* the beginning of an element */
  size_t piece_size;
} cpb_numbers;

/* Takes the next number from the front of the data. False, after it took all data, if no whole number is there. */
bool cpb_numbers_next(cpb_numbers *numbers, const uint8_t **data, size_t *size, double *number);

/* The square root, without the library of mathematics, which nothing else here needs. */
double cpb_root_of(double number);

static inline bool cpb_number_is_whole(const cpb_number_type *type) {
  return type->class == 'i' || type->class == 'u' || type->class == 'b';
}

/* Whether 24 bits hold it exactly. */
static inline bool cpb_number_is_short(const cpb_number_type *type) {
  return type->class == 'h' || type->class == 't' || (type->class == 'f' && type->size <= 4);
}

/* --- histogram -------------------------------------------------------------------------------- */

/* A histogram of numbers that come in any order, in one pass. The bars are as wide as the smallest power of two by
 * which CPB_STATISTICS_BARS of them reach from the smallest number to the largest, and begin at multiples of this
 * width. When a number lies beyond, bars are joined in pairs; so all counts are exact, in any order of the numbers. */

typedef struct cpb_histogram {
  bool begun;
  int exponent; /* bars are 2^exponent wide */
  int64_t low;  /* the first bar begins at low * 2^exponent */
  double minimum, maximum;
  uint64_t counts[CPB_STATISTICS_BARS];
} cpb_histogram;

/* Adds finite numbers; `whole`: all of them are integers, and no bar is narrower than 1. */
void cpb_histogram_add(cpb_histogram *histogram, const double *numbers, size_t count, bool whole);

double cpb_histogram_step(const cpb_histogram *histogram);
/* The number of bars up to the one with the largest number. */
size_t cpb_histogram_bars(const cpb_histogram *histogram);

#endif
