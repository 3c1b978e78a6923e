/* A histogram of numbers that come in any order, in one pass. The bars are as wide as the smallest power of two by
 * which CPB_STATISTICS_BARS of them reach from the smallest number to the largest, and begin at multiples of this
 * width. When a number lies beyond, bars are joined in pairs; so all counts are exact, in any order of the numbers. */
#ifndef CPB_MODEL_STATISTICS_HISTOGRAM_H
#define CPB_MODEL_STATISTICS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "cpb/statistics.h"

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
