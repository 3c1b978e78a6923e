/* Tables of ND4J put together: what stands before an array's values in a file of its
 * own, and the file for a training configuration. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_BUILD_H
#define CPB_MODEL_SAMEDIFF_WRITE_BUILD_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "model/samediff/array.h"

/* No buffer of FlatBuffers may be larger. */
#define CPB_SD_BUFFER_MAX ((uint64_t)INT32_MAX)

/* Appends a FlatArray up to where `array->values_size` bytes of values, big-endian, are
 * to follow; they begin at a multiple of 64. Of `array` dtype, rank, shape, order and
 * empty are read. False when memory is short. */
bool cpb_sd_build_array(const cpb_sd_array *array, cpb_buffer *out);

/* A FlatGraph that has a training configuration only, as ND4J's own graphs have it. */
bool cpb_sd_build_training(cpb_span json, cpb_buffer *out);

#endif
