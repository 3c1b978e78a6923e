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

/* --- Real values ------------------------------------------------------------------------------ */

/* The numbers of an array as floats, while they are read: of quantized numbers the real ones,
 * (number - zero_point) * scale; of complex numbers the magnitudes; others rounded to a float. */
typedef struct cpb_reals cpb_reals;

/* NULL when memory is short. The `info` is used during the call only. */
CPB_API cpb_reals *cpb_reals_new(const cpb_allocator *allocator, const cpb_values_info *info);
CPB_API void cpb_reals_free(cpb_reals *reals);

/* Before the first value: all scales, or all zero points, as `info` describes them in `data`; copied.
 * One is for all elements. A list is for the indices of dimension `axis`, from 0, or negative from the
 * end. Otherwise they have as many dimensions as the array, and each is for a block of it: of `block`
 * indices of dimension `axis`, where the last may be shorter. Other dimensions, and all if `block` is 0,
 * are divided evenly. If they have one dimension less, the array's last but one is missing and not divided.
 * CPB_E_UNSUPPORTED: they are not numbers in row-major order, or do not fit, and are ignored; CPB_E_MEMORY. */
CPB_API cpb_code cpb_reals_set_scales(cpb_reals *reals, int64_t axis, uint64_t block, const cpb_values_info *info,
                                      const void *data, size_t size);
CPB_API cpb_code cpb_reals_set_zero_points(cpb_reals *reals, int64_t axis, uint64_t block, const cpb_values_info *info,
                                           const void *data, size_t size);

/* The next values, in pieces of any size, from front to back. Returns `*count` floats, valid until the
 * next call for this object, or NULL when memory is short. None if the elements are not numbers. */
CPB_API const float *cpb_reals_next(cpb_reals *reals, const void *data, size_t size, size_t *count);

/* --- Statistics ------------------------------------------------------------------------------- */

typedef struct cpb_statistics cpb_statistics;

/* The most numbers in the answer's `first`, bars in its histogram, and parts of a dimension. */
enum { CPB_STATISTICS_FIRST = 64, CPB_STATISTICS_BARS = 64, CPB_STATISTICS_PARTS = 1 << 20 };

typedef struct cpb_statistics_options {
  /* sizeof(cpb_statistics_options) */
  size_t struct_size;

  /* Not 0: also the ranges of the parts that this dimension, counted from 1, divides the array into,
   * such as 1 for the output channels of a convolution. */
  uint32_t axis;

  /* Not NULL: the array holds quantized numbers, and the statistics are those of the real ones.
   * It was made for the array, has its scales and no values yet, and must outlive the statistics. */
  cpb_reals *reals;
} cpb_statistics_options;

/* Returns NULL when memory is short. `options` may be NULL; an `axis` that the array does not have,
 * or that has more than CPB_STATISTICS_PARTS parts, counts as 0. */
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
