/* Opens files that the caller did not name: a malicious model may come with a pipe in place of a file, which could
 * block for ever, or a device. */
#ifndef CPB_HOST_REGULAR_H
#define CPB_HOST_REGULAR_H

#include "cpb/base.h"

/* Opens a regular file to read. -1 with the error set for anything else, without waiting. `flags` are more ones for
 * open(): O_NOFOLLOW or 0. */
int cpb_regular_open(const char *path, int flags, cpb_error *error);

/* The same, from a folder's descriptor on. (Not under WASI.) */
int cpb_regular_open_at(int folder, const char *path, int flags, cpb_error *error);

#endif
