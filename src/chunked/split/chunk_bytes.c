#include "chunked/split/plan.h"

#include "base/checked.h"
#include "base/status.h"

void cpb_split_bytes_begin(cpb_split_bytes *b, const cpb_plan *plan, size_t chunk) {
  cpb_plan_open(plan, chunk, &b->cursor);
  b->open = false;
}

cpb_have cpb_split_input_failed(const cpb_input *input, cpb_have have, uint64_t offset, cpb_error *error) {
  if (have == CPB_WAIT) return CPB_WAIT;
  if (have == CPB_FAILED) {
    *error = input->failure;
  } else {
    cpb_fail(error, CPB_E_TRUNCATED, offset, "the input has become shorter since the split was planned");
  }
  return CPB_FAILED;
}

cpb_have cpb_split_bytes_next(cpb_split_bytes *b, const cpb_plan *plan, cpb_input *input, size_t most, cpb_span *span,
                              cpb_error *error) {
  cpb_plan_piece *piece = &b->piece;
  *span = (cpb_span){NULL, 0};
  if (!b->open && !cpb_plan_next(plan, &b->cursor, piece)) return CPB_HAVE;
  b->open = piece->length > 0;
  if (!b->open) {
    *span = (cpb_span){piece->literal, piece->literal_size};
    return CPB_HAVE;
  }
  size_t want = (size_t)cpb_min_u64(piece->length, most);
  cpb_have have = cpb_input_span(input, piece->offset, want, piece->length, span);
  if (have != CPB_HAVE) return cpb_split_input_failed(input, have, piece->offset, error);
  piece->offset += span->size;
  piece->length -= span->size;
  b->open = piece->length > 0;
  return CPB_HAVE;
}
