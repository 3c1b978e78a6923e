/* A scanner's bytes from the host: few after a jump, more and more where one
 * field follows the other. */
#ifndef CPB_PROTO_WIRE_FEED_H
#define CPB_PROTO_WIRE_FEED_H

#include "base/input.h"

typedef struct cpb_wire_feed {
  cpb_input *input;
  uint64_t least, ahead; /* what a NEED hints at after a jump, and the next one */
} cpb_wire_feed;

void cpb_wire_feed_begin(cpb_wire_feed *feed, cpb_input *input);

/* Bytes of the input from `offset` on, of which there are `left` > 0 and `sure` of
 * which will certainly be used; the span may hold more or fewer. */
cpb_have cpb_wire_feed_next(cpb_wire_feed *feed, uint64_t offset, uint64_t sure, uint64_t left, cpb_span *span);

#endif
