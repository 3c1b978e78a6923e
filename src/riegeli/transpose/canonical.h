/* Which bytes can be taken apart and put together again. */
#ifndef CPB_RIEGELI_TRANSPOSE_CANONICAL_H
#define CPB_RIEGELI_TRANSPOSE_CANONICAL_H

#include <stdbool.h>

#include "base/bytes.h"

/* How deep submessages and groups nest in what is taken apart; as in Riegeli, but there groups
 * alone may nest deeper. */
#define CPB_TRANSPOSE_DEPTH 100

/* Whether `bytes` are fields of a message, with groups that nest at most `depth` deep, and all tags,
 * lengths and varints in their shortest form. What is in length-delimited fields does not matter. */
bool cpb_transpose_is_message(cpb_span bytes, size_t depth);

#endif
