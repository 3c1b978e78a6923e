/* The fields of a small message that is entirely in memory. */
#ifndef CPB_PROTO_SMALL_H
#define CPB_PROTO_SMALL_H

#include <stdbool.h>

#include "base/bytes.h"

typedef struct cpb_small_field {
  uint32_t number;
  uint32_t type;  /* a cpb_wire_type */
  uint64_t value; /* VARINT, FIXED32, FIXED64 */
  cpb_span bytes; /* LEN */
} cpb_small_field;

/* Takes the next field off the front of `in`. False at the end, where in->size is 0, and at a malformed field or a
 * group. */
bool cpb_small_next(cpb_span *in, cpb_small_field *field);

#endif
