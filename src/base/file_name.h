/* The names that a file gives to others, which whoever wrote it chose. */
#ifndef CPB_BASE_FILE_NAME_H
#define CPB_BASE_FILE_NAME_H

#include <stdbool.h>

#include "base/bytes.h"

/* Writes the name, and a NUL, to `out`, which has room for name.size + 1 bytes, without empty parts, "." and "..": by
 * its text alone, so that "a/../b" is "b" even if "a" is a link. False if it is empty, absolute or a URL, has a NUL or
 * a backslash, leads out of its folder on the way, or names a folder. */
bool cpb_file_name_normalize(cpb_span name, char *out);

#endif
