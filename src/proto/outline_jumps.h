/* For callers who know a later place at which a message continues: the bytes between are neither read nor reported as
 * left out. */
#ifndef CPB_PROTO_OUTLINE_JUMPS_H
#define CPB_PROTO_OUTLINE_JUMPS_H

#include "base/input.h"
#include "cpb/outline.h"

/* The state before a field with a length. */
typedef struct cpb_outline_place {
  cpb_input *input;
  cpb_error *error;
  bool is_damaged;      /* something of the input is known to be */
  size_t depth;         /* number of entered messages */
  uint32_t outermost;   /* and as which field the first of them */
  uint32_t number;      /* of the field */
  uint64_t begin;       /* of it, */
  uint64_t message_end; /* and the end of the message that has it; UINT64_MAX in a group */
} cpb_outline_place;

typedef struct cpb_outline_jumps {
  /* CPB_HAVE: `*next` is the place to continue, another field of the same message or its end. CPB_AT_END: no place is
   * known. CPB_WAIT: it reads from the input, and must be called again. CPB_FAILED: the error is set. */
  cpb_have (*find)(void *context, const cpb_outline_place *place, uint64_t *next);
} cpb_outline_jumps;

/* Before the first step. Both must outlive the outline. */
void cpb_outline_set_jumps(cpb_outline *o, const cpb_outline_jumps *jumps, void *context);

/* Between steps, where the scanner is before a field with a length. */
cpb_have cpb_outline_find_jump(cpb_outline *o, uint64_t *next);

#endif
