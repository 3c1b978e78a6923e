#include "riegeli/transpose/program.h"

#include "base/checked.h"
#include "riegeli/block.h"

/* Goes to the piece that contains the byte `after`, counted from c->end. */
static void go_to_piece(cpb_transpose_cursor *c, size_t after) {
  const size_t pieces = after / (size_t)CPB_BLOCK_USABLE;
  const uint8_t *begin = c->end + CPB_BLOCK_HEADER_SIZE + pieces * (size_t)CPB_BLOCK_SIZE;
  const size_t left = c->rest - pieces * (size_t)CPB_BLOCK_USABLE;
  const size_t size = cpb_min_size(left, (size_t)CPB_BLOCK_USABLE);
  *c = (cpb_transpose_cursor){begin, begin + size, left - size};
}

cpb_transpose_cursor cpb_transpose_cursor_take(cpb_transpose_cursor *c, size_t size) {
  if (c->next == c->end && cpb_transpose_cursor_rest(c) > 0) go_to_piece(c, 0);
  const size_t together = (size_t)(c->end - c->next);
  cpb_transpose_cursor taken = {c->next, c->end, 0};
  if (!CPB_TRANSPOSE_IN_PLACE || size <= together) {
    if (size > 0) c->next += size;
    taken.end = c->next;
    return taken;
  }
  taken.rest = size - together;
  go_to_piece(c, taken.rest - 1);
  c->next += (taken.rest - 1) % (size_t)CPB_BLOCK_USABLE + 1;
  return taken;
}

cpb_span cpb_transpose_cursor_take_first(cpb_transpose_cursor *c) {
  if (c->next == c->end && cpb_transpose_cursor_rest(c) > 0) go_to_piece(c, 0);
  const cpb_span first = {c->next, (size_t)(c->end - c->next)};
  c->next = c->end;
  return first;
}

cpb_span cpb_transpose_cursor_take_last(cpb_transpose_cursor *c) {
  if (cpb_transpose_cursor_rest(c) == 0) {
    const cpb_span all = {c->next, (size_t)(c->end - c->next)};
    c->end = c->next;
    return all;
  }
  cpb_transpose_cursor last = *c;
  go_to_piece(&last, c->rest - 1);
  const cpb_span span = {last.next, (size_t)(last.end - last.next)};
  c->rest -= span.size;
  return span;
}

void cpb_transpose_cursor_peek(const cpb_transpose_cursor *c, uint8_t *out, size_t size) {
  cpb_transpose_cursor all = *c;
  cpb_transpose_cursor peeked = cpb_transpose_cursor_take(&all, size);
  while (size > 0) {
    const cpb_span last = cpb_transpose_cursor_take_last(&peeked);
    size -= last.size;
    if (last.size > 0) memcpy(out + size, last.data, last.size);
  }
}

/* The next varint is in more than one piece, or wrong. */
static bool read_in_pieces(cpb_transpose_cursor *c, uint64_t *value) {
  uint8_t bytes[CPB_VARINT_MAX];
  const size_t size = cpb_min_size(cpb_transpose_cursor_size(c), sizeof bytes);
  cpb_transpose_cursor_peek(c, bytes, size);
  const uint8_t *after = cpb_varint_read(bytes, bytes + size, value);
  if (after) cpb_transpose_cursor_take(c, (size_t)(after - bytes));
  return after != NULL;
}

bool cpb_transpose_cursor_read_u64(cpb_transpose_cursor *c, uint64_t *value) {
  const uint8_t *after = cpb_varint_read(c->next, c->end, value);
  if (!after) return cpb_transpose_cursor_rest(c) > 0 && read_in_pieces(c, value);
  c->next = after;
  return true;
}

bool cpb_transpose_cursor_read_long_u32(cpb_transpose_cursor *c, uint32_t *value) {
  const cpb_transpose_cursor before = *c;
  uint64_t v;
  if (cpb_transpose_cursor_read_u64(c, &v) && v <= UINT32_MAX &&
      cpb_transpose_cursor_size(&before) - cpb_transpose_cursor_size(c) <= 5) {
    *value = (uint32_t)v;
    return true;
  }
  *c = before;
  return false;
}
