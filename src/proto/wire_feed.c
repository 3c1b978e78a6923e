#include "proto/wire_feed.h"

#include "base/checked.h"

#define LEAST 256 /* enough for some tags and lengths */
#define MOST ((size_t)256 << 10)
#define NEAR 4096 /* skipping less than a page saves no request */

void cpb_wire_feed_begin(cpb_wire_feed *feed, cpb_input *input) {
  feed->input = input;
  feed->least = feed->ahead = LEAST;
}

/* Compares `offset` with the bytes that were lent last. */
static void adapt(cpb_wire_feed *feed, uint64_t offset) {
  const cpb_input *input = feed->input;
  uint64_t end = input->offset + input->length;
  bool lent = offset >= input->offset && offset < end;
  if (input->length == 0 || lent) return;
  bool follows = offset >= end && offset - end < NEAR;
  feed->ahead = follows ? cpb_max_u64(feed->least, cpb_min_u64(2 * feed->ahead, MOST)) : feed->least;
}

cpb_have cpb_wire_feed_next(cpb_wire_feed *feed, uint64_t offset, uint64_t sure, uint64_t left, cpb_span *span) {
  adapt(feed, offset);
  size_t length = (size_t)cpb_min_u64(left, cpb_min_u64(cpb_max_u64(sure, LEAST), MOST));
  return cpb_input_span(feed->input, offset, length, cpb_min_u64(left, feed->ahead), span);
}
