/* The numbers of an array as real values (cpb/statistics.h), one by one. */
#ifndef CPB_MODEL_STATISTICS_REALS_H
#define CPB_MODEL_STATISTICS_REALS_H

#include "cpb/statistics.h"

/* The real value of the next number; rounded to a float. */
double cpb_real_of(cpb_reals *reals, double number);

/* 0 if the array is not quantized. */
size_t cpb_reals_num_scales(const cpb_reals *reals);
/* The first ones. */
double cpb_reals_scale(const cpb_reals *reals);
double cpb_reals_zero_point(const cpb_reals *reals);

/* The dimension, from 1, that has a scale for each part; 0: there is none. */
uint32_t cpb_reals_axis(const cpb_reals *reals);

#endif
