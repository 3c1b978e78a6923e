/* The rest of the stored data of a chunk, of its header or of a buffer, in place: contiguous, or in the file with a
 * block header at the end of each piece but the last. A buffer has the values of one field, the last first. */
#ifndef CPB_RIEGELI_TRANSPOSE_CURSOR_H
#define CPB_RIEGELI_TRANSPOSE_CURSOR_H

#include <stdbool.h>

#include "base/bytes.h"

/* Whether data is used in place. 0: it is first collected, and large values are copied as well, which takes less
 * code. */
#ifndef CPB_TRANSPOSE_IN_PLACE
#  define CPB_TRANSPOSE_IN_PLACE 1
#endif

typedef struct cpb_transpose_cursor {
  const uint8_t *next, *end; /* the current piece */
  size_t rest;               /* bytes after it; if there are any, a block header follows at `end` */
} cpb_transpose_cursor;

static inline cpb_transpose_cursor cpb_transpose_cursor_of(cpb_span span) {
  const uint8_t *begin = span.data;
  return (cpb_transpose_cursor){begin, span.size > 0 ? begin + span.size : begin, 0};
}

static inline size_t cpb_transpose_cursor_rest(const cpb_transpose_cursor *c) {
  return CPB_TRANSPOSE_IN_PLACE ? c->rest : 0;
}

static inline size_t cpb_transpose_cursor_size(const cpb_transpose_cursor *c) {
  return (size_t)(c->end - c->next) + cpb_transpose_cursor_rest(c);
}

/* Takes `size` bytes off the front; there must be as many. */
cpb_transpose_cursor cpb_transpose_cursor_take(cpb_transpose_cursor *c, size_t size);

/* Takes the last piece off the end, or all if there is one piece. */
cpb_span cpb_transpose_cursor_take_last(cpb_transpose_cursor *c);

/* Copies the next `size` bytes without taking them. */
void cpb_transpose_cursor_peek(const cpb_transpose_cursor *c, uint8_t *out, size_t size);

/* Takes the first piece off the front, or everything if there is only one. */
cpb_span cpb_transpose_cursor_take_first(cpb_transpose_cursor *c);

/* Takes a varint of 64 bits; false if it is malformed or cut off. */
bool cpb_transpose_cursor_read_u64(cpb_transpose_cursor *c, uint64_t *value);

/* Takes a varint of at most 5 bytes and 32 bits; false if it is malformed or cut off. */
bool cpb_transpose_cursor_read_long_u32(cpb_transpose_cursor *c, uint32_t *value);
static inline bool cpb_transpose_cursor_read_u32(cpb_transpose_cursor *c, uint32_t *value) {
  if (c->next == c->end || *c->next >= 0x80) return cpb_transpose_cursor_read_long_u32(c, value);
  *value = *c->next++;
  return true;
}

#endif
