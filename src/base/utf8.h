/* UTF-8, as Unicode's table 3-7 defines it: no overlong forms, no surrogates. */
#ifndef CPB_BASE_UTF8_H
#define CPB_BASE_UTF8_H

#include <stdbool.h>

#include "base/bytes.h"

/* The bytes of the character that `in` (not empty) begins with, 1 to 4; 0 when there
 * is none. */
size_t cpb_utf8_length(cpb_span in);
bool cpb_utf8_valid(cpb_span in);

/* The code point of the well-formed character of `length` bytes at `at`. */
uint32_t cpb_utf8_code(const uint8_t *at, size_t length);

/* What a terminal or an editor would act on instead of showing it: control characters (C0, DEL,
 * C1) and those that change the direction of writing, which can make text read as another. */
bool cpb_is_control(uint32_t code);

#endif
