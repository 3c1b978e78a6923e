/* Which arrays of a model have the scales of another one. */
#ifndef CPB_HOST_QUANTIZED_H
#define CPB_HOST_QUANTIZED_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/open.h"

/* The names of arrays, and the dimension, from 1, that has a scale for each part. Freed by cpb_quantized_free(). */
typedef struct cpb_quantized {
  char *scale, *zero_point; /* NULL: none */
  uint32_t axis;            /* only if there are several scales */
} cpb_quantized;

/* For the array `name` of `rank` dimensions. Without scales if nothing takes it as quantized numbers. False with the
 * reason in `error`. */
bool cpb_quantized_find(cpb_model_file *file, cpb_span name, const cpb_values_options *options, uint32_t rank,
                        cpb_quantized *out, cpb_error *error);
void cpb_quantized_free(const cpb_allocator *allocator, cpb_quantized *quantized);

#endif
