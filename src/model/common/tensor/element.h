/* One element of a tensor as JSON. */
#ifndef CPB_MODEL_COMMON_TENSOR_ELEMENT_H
#define CPB_MODEL_COMMON_TENSOR_ELEMENT_H

#include "base/json_writer.h"
#include "model/common/tensor/format.h"

/* `bytes` are format->size bytes as cpb_tensor_format_of() describes those of `dtype`. A number; true or
 * false; [real, imaginary] for a complex one. What JSON's readers would round or refuse is a string. */
void cpb_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* A float of a sign, some bits of exponent and of fraction, which has neither infinity nor NaN. */
double cpb_small_float(unsigned exponent, unsigned fraction, unsigned bias, uint32_t bits);

#endif
