/* Builds tables of ND4J: the part of an array's file before the values, and the file with a training configuration. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_BUILD_H
#define CPB_MODEL_SAMEDIFF_WRITE_BUILD_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "model/samediff/array.h"

/* FlatBuffers' limit for a buffer. */
#define CPB_SD_BUFFER_MAX ((uint64_t)INT32_MAX)

/* Appends a FlatArray up to its values: `array->values_size` bytes, big-endian, which follow at a multiple of 64. Uses
 * only dtype, rank, shape, order and empty of `array`. False if memory is short. */
bool cpb_sd_build_array(const cpb_sd_array *array, cpb_buffer *out);

/* A FlatGraph that only has a training configuration, in the form in which ND4J's own graphs have it. */
bool cpb_sd_build_training(cpb_span json, cpb_buffer *out);

#endif
