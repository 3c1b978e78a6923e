/* The scales of a model's quantized arrays. */
#ifndef CPB_HOST_QUANTIZED_H
#define CPB_HOST_QUANTIZED_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/open.h"

/* Whether arrays like this one may be quantized. */
bool cpb_may_be_quantized(const cpb_model_file *file, const cpb_values_info *info);

/* Gives `reals` the scales and zero points of the array `name`, if a node takes it as quantized numbers. No array may
 * be open. False with the reason in `error`. */
bool cpb_quantized_set(cpb_model_file *file, cpb_span name, const cpb_values_options *options, cpb_reals *reals,
                       cpb_error *error);

#endif
