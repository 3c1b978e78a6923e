/* One element of a tensor as JSON. */
#ifndef CPB_MODEL_COMMON_TENSOR_ELEMENT_H
#define CPB_MODEL_COMMON_TENSOR_ELEMENT_H

#include "base/json_writer.h"
#include "model/common/tensor/format.h"

/* `bytes` are format->size bytes of an element of `dtype`, as cpb_tensor_format_of() describes them. Writes a number,
 * true or false, or [real, imaginary] for a complex element. A number that JSON readers would round or reject is
 * written as a string. */
void cpb_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* A float of less than 4 bytes; false if `dtype` is another type. */
bool cpb_small_float_of(uint64_t dtype, uint32_t bits, double *value);

/* A float with a sign bit, exponent and fraction of the given widths, and without infinity or NaN. */
double cpb_small_float(unsigned exponent, unsigned fraction, unsigned bias, uint32_t bits);

#endif
