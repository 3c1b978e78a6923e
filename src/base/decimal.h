/* Floating-point numbers as text, and back. */
#ifndef CPB_BASE_DECIMAL_H
#define CPB_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for any finite number and its NUL. */
#define CPB_DECIMAL_MAX 32

/* The shortest decimal text that reads back as the same number; whole numbers
 * below 10^15 with all their digits. `value` must be finite. Each returns the
 * length. */
size_t cpb_decimal_double(char out[CPB_DECIMAL_MAX], double value);
size_t cpb_decimal_float(char out[CPB_DECIMAL_MAX], float value);

/* Texts have at most this many characters before their NUL. */
#define CPB_DECIMAL_TEXT_MAX 256

/* What C's strtod or, for `single`, strtof reads: a decimal, hexadecimal, "inf"
 * or "nan" without space in front of it, and then anything. `bits` are those of
 * the nearest number. False if the text begins with none, or with one that is
 * too large or too small for the type (as with errno ERANGE). */
bool cpb_decimal_read(const char *text, bool single, uint64_t *bits);

#endif
