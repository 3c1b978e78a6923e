/* Floating-point numbers as the shortest decimal text that reads back as the
 * same number; whole numbers below 10^15 with all their digits. */
#ifndef CPB_PROTO_DECIMAL_H
#define CPB_PROTO_DECIMAL_H

#include <stddef.h>

/* Enough for any finite number and its NUL. */
#define CPB_DECIMAL_MAX 32

/* `value` must be finite. Each returns the length. */
size_t cpb_decimal_double(char out[CPB_DECIMAL_MAX], double value);
size_t cpb_decimal_float(char out[CPB_DECIMAL_MAX], float value);

#endif
