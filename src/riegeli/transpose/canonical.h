/* Decides which bytes can be split into fields and restored exactly. */
#ifndef CPB_RIEGELI_TRANSPOSE_CANONICAL_H
#define CPB_RIEGELI_TRANSPOSE_CANONICAL_H

#include <stdbool.h>

#include "base/bytes.h"

/* The deepest nesting of submessages and groups that are split; as in Riegeli, except that groups alone may be deeper
 * there. */
#define CPB_TRANSPOSE_DEPTH 100

/* Whether `bytes` are fields of a message, with groups nested at most `depth` deep, and all tags, lengths and varints
 * in their shortest form. The contents of length-delimited fields do not matter. */
bool cpb_transpose_is_message(cpb_span bytes, size_t depth);

#endif
