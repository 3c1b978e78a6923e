/* cpb/statistics.h: statistics of an array, while its values are read.
 *
 * The values come as cpb_values_data() (cpb/values.h) gives them, in pieces of any size, once, from
 * front to back. Only sums and counters are held, so the array may have any size.
 *
 *     cpb_statistics *statistics = cpb_statistics_new(NULL, cpb_values_get_info(values), NULL);
 *     for each piece: cpb_statistics_add(statistics, data, size);
 *     puts(cpb_statistics_answer(statistics, &size));
 *
 * With files, cpb_model_file_statistics() (cpb/open.h) does all of this. */
#ifndef CPB_STATISTICS_H
#define CPB_STATISTICS_H

#include "cpb/values.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_statistics cpb_statistics;

/* The most numbers in the answer's `first`, bars in its histogram, and parts of a dimension. */
enum { CPB_STATISTICS_FIRST = 64, CPB_STATISTICS_BARS = 64, CPB_STATISTICS_PARTS = 65536 };

typedef struct cpb_statistics_options {
  /* sizeof(cpb_statistics_options) */
  size_t struct_size;

  /* Not 0: also the ranges of the parts that this dimension, counted from 1, divides the array into,
   * such as 1 for the output channels of a convolution. */
  uint32_t axis;

  /* The array holds quantized numbers, and the statistics are those of the real ones,
   * (number - zero_point) * scale. There is one scale for all, or one for each part of `axis`; as
   * many zero points, or none: then they are 0. Copied. */
  const double *scales;
  const double *zero_points;
  size_t num_scales;
} cpb_statistics_options;

/* Returns NULL when memory is short. `options` may be NULL; an `axis` that the array does not have,
 * or that has more than CPB_STATISTICS_PARTS parts, counts as 0, and scales that do not fit are ignored. */
CPB_API cpb_statistics *cpb_statistics_new(const cpb_allocator *allocator, const cpb_values_info *info,
                                           const cpb_statistics_options *options);
CPB_API void cpb_statistics_free(cpb_statistics *statistics);

/* The next values. Those beyond the array's size are ignored. */
CPB_API void cpb_statistics_add(cpb_statistics *statistics, const void *data, size_t size);

/* After the last values: a JSON object (docs/inspecting.md, "Statistics"), not ended by NUL, valid
 * until `statistics` is freed. NULL when memory is short. */
CPB_API const char *cpb_statistics_answer(cpb_statistics *statistics, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
