/* What files are called that a base refers to, in a file that refers to them itself. */
#ifndef CPB_CHUNKED_SPLIT_BASE_NAMES_H
#define CPB_CHUNKED_SPLIT_BASE_NAMES_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* Whether a base may be called so, else USAGE. */
bool cpb_base_name_check(cpb_span name, cpb_error *error);

/* Appends what the file that a base calls `name` is called from where the base's own name is relative to, which is
 * the first `base` bytes of `names`. MEMORY; LIMIT: it is too long. */
bool cpb_base_name_add(cpb_buffer *names, size_t base, cpb_span name, cpb_error *error);

#endif
