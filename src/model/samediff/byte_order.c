#include "model/samediff/byte_order.h"

#include "base/checked.h"
#include "model/common/spans.h"

static void reverse(uint8_t *element, unsigned size) {
  for (unsigned i = 0; i < size / 2; i++) {
    uint8_t held = element[i];
    element[i] = element[size - 1 - i];
    element[size - 1 - i] = held;
  }
}

cpb_span cpb_sd_swap_next(cpb_sd_swap *s, cpb_span *in) {
  if (s->size == 1) {
    cpb_span all = *in;
    *in = cpb_span_from(all, all.size);
    return all;
  }
  static const size_t most = CPB_SD_SWAP_OUT - 8;
  /* The begin of an element that the last call left lies behind what it gave. */
  memmove(s->out, s->out + most, s->kept);
  size_t n = cpb_min_size(in->size, most - s->kept), total = s->kept + n;
  if (n > 0) memcpy(s->out + s->kept, in->data, n);
  *in = cpb_span_from(*in, n);
  size_t whole = total / s->size * s->size;
  for (size_t i = 0; i < whole; i += s->size) reverse(s->out + i, s->size);
  s->kept = total - whole;
  memcpy(s->out + most, s->out + whole, s->kept);
  return (cpb_span){s->out, whole};
}
