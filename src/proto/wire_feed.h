/* Decides how much a scan requests from the host: little after a jump, because the next field may be skipped as well,
 * and more and more while fields follow each other. */
#ifndef CPB_PROTO_WIRE_FEED_H
#define CPB_PROTO_WIRE_FEED_H

#include "base/input.h"

typedef struct cpb_wire_feed {
  cpb_input *input;
  uint64_t least, ahead; /* need.ahead after a jump, and next time */
} cpb_wire_feed;

void cpb_wire_feed_begin(cpb_wire_feed *feed, cpb_input *input);

/* Bytes of the input from `offset` on. `left` is the number of bytes there, at least 1; `sure` is how many will
 * certainly be used; the span may have more or fewer. */
cpb_have cpb_wire_feed_next(cpb_wire_feed *feed, uint64_t offset, uint64_t sure, uint64_t left, cpb_span *span);

#endif
