/* What there is at a path: lookup_posix.c or lookup_wasi.c. */
#ifndef CPB_HOST_LOOKUP_H
#define CPB_HOST_LOOKUP_H

#include <stdbool.h>

bool cpb_lookup_exists(const char *path);
bool cpb_lookup_is_directory(const char *path);

#endif
