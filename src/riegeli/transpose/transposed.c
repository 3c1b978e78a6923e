#include "riegeli/transpose/transpose.h"

#include <string.h>

#include "riegeli/transpose/program.h"

void cpb_transposed_init(cpb_transposed *t, const cpb_allocator *a) {
  memset(t, 0, sizeof *t);
  cpb_buffer_init(&t->values, a);
}

void cpb_transposed_free(cpb_transposed *t) { cpb_transposed_reset(t, 0); }

void cpb_transposed_reset(cpb_transposed *t, size_t keep) {
  const cpb_allocator *a = &t->values.allocator;
  cpb_buffer_reset(&t->values, keep);
  if (t->ends_capacity > keep / sizeof *t->ends) {
    cpb_release(a, t->ends);
    t->ends = NULL;
    t->ends_capacity = 0;
  }
  if (CPB_TRANSPOSE_IN_PLACE && t->parts_capacity > keep / sizeof *t->parts) {
    cpb_release(a, t->parts);
    t->parts = NULL;
    t->parts_capacity = 0;
  }
  t->num_records = t->num_parts = t->parts_left = t->values_left = 0;
}

#if defined CPB_PROJECTION_LINKED || CPB_WITH_PROJECTION
void cpb_transposed_filter(cpb_transposed *t, const cpb_projection *projection) {
  if (t->num_records == 0) return;
  uint8_t *end = t->values.data + t->values.capacity, *begin = end - t->values.size, *out = begin;
  const uint8_t *in = begin;
  uint64_t before = 0;
  for (size_t i = 0; i < t->num_records; i++) {
    const size_t size = (size_t)(t->ends[i] - before);
    before = t->ends[i];
    out += cpb_projection_filter(projection, in, size, out);
    in += size;
    t->ends[i] = (uint64_t)(out - begin);
  }
  t->values.size = (size_t)(out - begin);
  if (t->values.size > 0) memmove(end - t->values.size, begin, t->values.size);
}
#endif

void cpb_transposed_rewind(cpb_transposed *t) {
  t->parts_left = t->num_parts;
  t->values_left = t->values.size;
}

bool cpb_transposed_next(cpb_transposed *t, cpb_span *span) {
  const bool has_part = CPB_TRANSPOSE_IN_PLACE && t->parts_left > 0;
  const cpb_transposed_part *part = has_part ? &t->parts[t->parts_left - 1] : NULL;
  const size_t before = t->values_left - (part ? part->behind : 0);
  if (before > 0) {
    *span = (cpb_span){t->values.data + t->values.capacity - t->values_left, before};
    t->values_left -= before;
  } else if (part) {
    *span = part->bytes;
    t->parts_left--;
  } else {
    return false;
  }
  return true;
}
