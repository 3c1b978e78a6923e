/* Computes new names for the files that a base refers to, for a file that itself refers to them. */
#ifndef CPB_CHUNKED_SPLIT_BASE_NAMES_H
#define CPB_CHUNKED_SPLIT_BASE_NAMES_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* Whether a base may have this name, else USAGE. */
bool cpb_base_name_check(cpb_span name, cpb_error *error);

/* Appends a new name for a file that the base calls `name`. Names of the base are relative to the base; the new name is
 * relative to the same place as the base's own name, which is the first `base` bytes of `names`. MEMORY; LIMIT: it is
 * too long. */
bool cpb_base_name_add(cpb_buffer *names, size_t base, cpb_span name, cpb_error *error);

#endif
