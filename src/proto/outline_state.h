/* What is inside a cpb_outline. outline.c says what holds between steps. */
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
  bool whole; /* they are whole fields of one message, or the value of a field */
} cpb_outline_gap;

/* What outline_loss.c does. It is called through pointers, so that programs which know of no losses are without it. */
typedef struct cpb_outline_losses {
  /* Notes what the host has said to be lost since the last step, as long as there is room for it. */
  void (*note)(cpb_outline *o);

  /* Between steps, where the byte at `offset` is needed: if it is lost, leaves out what cannot be read without it,
   * and goes on behind that. */
  bool (*pass)(cpb_outline *o, uint64_t offset);
} cpb_outline_losses;

typedef enum cpb_outline_state {
  CPB_OUTLINE_SIZE, /* asking for the size of the input, which is the message */
  CPB_OUTLINE_WALK, /* scanning the ranges */
  CPB_OUTLINE_JUMP, /* asking whether to pass over the field and others behind it */
  CPB_OUTLINE_COPY, /* copying a value that is kept */
  CPB_OUTLINE_DONE
} cpb_outline_state;

struct cpb_outline {
  cpb_allocator outer, allocator; /* the second is the meter's */
  cpb_meter meter;
  cpb_outline_options options;
  cpb_error damage; /* what was passed over first with keep_damaged, or CPB_OK */
  cpb_error error;
  cpb_input input;
  cpb_wire_feed feed;
  cpb_outline_state state;

  cpb_range *ranges;
  size_t num_ranges, range;
  cpb_wire_scanner scanner; /* of the current range; its offsets are those of the input */
  bool scanning;
  const cpb_message_type **types; /* by depth: of the messages that were entered; NULL: not known */
  size_t types_capacity;
  cpb_range kept; /* CPB_OUTLINE_COPY: what is left to copy */
  cpb_draft draft;
  const struct cpb_outline_jumps *jumps; /* NULL: none */
  void *jumps_context;
  const cpb_outline_losses *losses;       /* NULL: they are an error */
  cpb_outline_gap gaps[CPB_OUTLINE_GAPS]; /* what is lost; they do not overlap */
  size_t num_gaps;
  bool placed; /* which fields the first of them is in, from outside; 0: none */
  uint32_t lost_in[2];
};

#endif
