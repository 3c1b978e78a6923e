/* The state of a cpb_outline. outline.c has the invariants between steps. */
#ifndef CPB_PROTO_OUTLINE_STATE_H
#define CPB_PROTO_OUTLINE_STATE_H

#include "base/meter.h"
#include "cpb/outline.h"
#include "proto/outline_draft.h"
#include "proto/wire_feed.h"

#define CPB_OUTLINE_GAPS 100 /* more losses end an outline */

/* Bytes of the input that are lost. */
typedef struct cpb_outline_gap {
  uint64_t begin, end;
  bool whole; /* it is whole fields of one message, or the value of a field */
} cpb_outline_gap;

/* The functions of outline_loss.c. They are called through pointers, so that programs without losses do not link
 * them. */
typedef struct cpb_outline_losses {
  /* Notes the losses that the host has reported since the last step, as long as there is room for them. */
  void (*note)(cpb_outline *o);

  /* Between steps, when the byte at `offset` is needed: if it is lost, leaves out everything that cannot be read
   * without it, and continues after that. */
  bool (*pass)(cpb_outline *o, uint64_t offset);
} cpb_outline_losses;

typedef enum cpb_outline_state {
  CPB_OUTLINE_SIZE, /* asking for the size of the input, which is the message */
  CPB_OUTLINE_WALK, /* scanning the ranges */
  CPB_OUTLINE_JUMP, /* asking whether to skip the field and others after it */
  CPB_OUTLINE_COPY, /* copying the value of a field that is kept */
  CPB_OUTLINE_DONE
} cpb_outline_state;

struct cpb_outline {
  cpb_allocator outer, allocator; /* the second is the meter's */
  cpb_meter meter;
  cpb_outline_options options;
  cpb_error damage; /* the first problem skipped with keep_damaged, or CPB_OK */
  cpb_error error;
  cpb_input input;
  cpb_wire_feed feed;
  cpb_outline_state state;

  cpb_range *ranges;
  size_t num_ranges, range;
  cpb_wire_scanner scanner; /* of the current range; its offsets are those of the input */
  bool scanning;
  const cpb_message_type **types; /* by depth: of the entered messages; NULL: unknown */
  size_t types_capacity;
  cpb_range kept; /* CPB_OUTLINE_COPY: the rest to copy */
  cpb_draft draft;
  const struct cpb_outline_jumps *jumps; /* NULL: none */
  void *jumps_context;
  const cpb_outline_losses *losses;       /* NULL: losses are an error */
  cpb_outline_gap gaps[CPB_OUTLINE_GAPS]; /* the losses; they do not overlap */
  size_t num_gaps;
  bool placed; /* the fields around the first of them, from outside; 0: none */
  uint32_t lost_in[2];
};

#endif
