#include "proto/descriptors.h"

#include "proto/wire.h"

static bool take(const uint8_t **at, const uint8_t *end, uint64_t size, cpb_span *taken) {
  if ((uint64_t)(end - *at) < size) return false;
  *taken = (cpb_span){*at, (size_t)size};
  *at += size;
  return true;
}

bool cpb_small_next(cpb_span *in, cpb_small_field *f) {
  if (in->size == 0) return false;
  const uint8_t *at = in->data, *end = in->data + in->size;
  uint64_t tag;
  bool taken = false;
  at = cpb_varint_read(at, end, &tag);
  if (!at || tag >> 3 == 0 || tag > UINT32_MAX) return false;
  *f = (cpb_small_field){.number = (uint32_t)tag >> 3, .type = tag & 7};
  if (f->type == CPB_WIRE_VARINT || f->type == CPB_WIRE_LEN) {
    at = cpb_varint_read(at, end, &f->value);
    taken = at && (f->type == CPB_WIRE_VARINT || take(&at, end, f->value, &f->bytes));
  } else if (f->type == CPB_WIRE_FIXED64) {
    taken = take(&at, end, 8, &f->bytes);
    if (taken) f->value = cpb_load64(f->bytes.data);
  } else if (f->type == CPB_WIRE_FIXED32) {
    taken = take(&at, end, 4, &f->bytes);
    if (taken) f->value = cpb_load32(f->bytes.data);
  }
  if (taken) *in = (cpb_span){at, (size_t)(end - at)};
  return taken;
}
