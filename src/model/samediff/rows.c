#include "model/samediff/rows.h"

/* Strides of dimensions of 1 may be anything: what they add is taken off again. */
static void advance(cpb_sd_rows *r, const cpb_sd_array *a) {
  for (uint32_t i = a->rank; i-- > 0;) {
    uint64_t stride = (uint64_t)a->strides[i], size = (uint64_t)a->shape[i];
    r->at += stride;
    if (++r->place[i] < size) return;
    r->at -= stride * size;
    r->place[i] = 0;
  }
}

size_t cpb_sd_rows_next(cpb_sd_rows *r, const cpb_sd_array *a, uint8_t *out, size_t capacity) {
  size_t size = a->dtype->size, filled = 0;
  for (; r->given < a->count && size <= capacity - filled; r->given++, filled += size) {
    memcpy(out + filled, r->values.data + (size_t)r->at * size, size);
    advance(r, a);
  }
  return filled;
}
