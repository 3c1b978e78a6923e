/* UTF-8, as Unicode's table 3-7 defines it: no overlong forms, no surrogates. */
#ifndef CPB_BASE_UTF8_H
#define CPB_BASE_UTF8_H

#include <stdbool.h>

#include "base/bytes.h"

/* How many bytes the character has that `in` begins with, 1 to 4; 0 when it is
 * ill-formed. `in` must not be empty. */
size_t cpb_utf8_length(cpb_span in);
bool cpb_utf8_valid(cpb_span in);

/* The code point of a well-formed character of `length` bytes. */
uint32_t cpb_utf8_code(const uint8_t *at, size_t length);

/* Whether a terminal or an editor would interpret the character instead of showing it: control characters (C0, DEL,
 * C1), and characters that change the direction of writing, which can disguise text. */
bool cpb_is_control(uint32_t code);

#endif
