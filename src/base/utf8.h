/* UTF-8, as Unicode's table 3-7 defines it: no overlong forms, no surrogates. */
#ifndef CPB_BASE_UTF8_H
#define CPB_BASE_UTF8_H

#include <stdbool.h>

#include "base/bytes.h"

/* The bytes of the character that `in` (not empty) begins with, 1 to 4; 0 when there
 * is none. */
size_t cpb_utf8_length(cpb_span in);
bool cpb_utf8_valid(cpb_span in);

#endif
