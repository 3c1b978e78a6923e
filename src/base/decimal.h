/* Floating-point numbers as text, and back. */
#ifndef CPB_BASE_DECIMAL_H
#define CPB_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for any finite number, with its NUL. */
#define CPB_DECIMAL_MAX 32

/* The shortest decimal text that reads back as the same number; of whole numbers below
 * 10^15 all digits. `value` must be finite. Returns the length. */
size_t cpb_decimal_double(char out[CPB_DECIMAL_MAX], double value);
size_t cpb_decimal_float(char out[CPB_DECIMAL_MAX], float value);

/* The longest text to read, in characters before its NUL. */
#define CPB_DECIMAL_TEXT_MAX 256

/* Reads the number that a text begins with, as C's strtod() or, if `single`, strtof()
 * do, but allows no space before it: decimal, hexadecimal, "inf" or "nan". `*bits` is
 * the nearest number's representation. False if the text begins with no number, or
 * with one too large or too small for the type (ERANGE). */
bool cpb_decimal_read(const char *text, bool single, uint64_t *bits);

#endif
