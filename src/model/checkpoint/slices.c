#include "model/checkpoint/checkpoint.h"

#include "model/checkpoint/fields.h"
#include "model/common/cursor.h"

/* Keys of slices are in TensorFlow's OrderedCode (core/lib/strings/ordered_code.cc): encoded
 * numbers and strings sort, as bytes, in the order of the numbers and strings. */

static bool put(cpb_buffer *out, uint8_t byte) { return cpb_buffer_append(out, &byte, 1); }

/* The number of bytes that follow, then these, most significant first. */
static bool put_unsigned(cpb_buffer *out, uint64_t number) {
  unsigned size = 0;
  while (size < 8 && number >> 8 * size != 0) size++;
  bool done = put(out, (uint8_t)size);
  while (done && size-- > 0) done = put(out, (uint8_t)(number >> 8 * size));
  return done;
}

/* 00 is escaped as 00 ff, and ff as ff 00; the end is 00 01. */
static bool put_text(cpb_buffer *out, cpb_span text) {
  bool done = true;
  for (size_t i = 0; done && i < text.size; i++) {
    uint8_t byte = text.data[i];
    done = put(out, byte) && ((byte != 0 && byte != 0xff) || put(out, (uint8_t)~byte));
  }
  return done && put(out, 0) && put(out, 1);
}

/* A number takes as few bytes n as possible. It begins with n one bits and a zero bit for the sign; the other 7 * n - 1
 * bits are its value. If it is negative, all bits are inverted. */
static bool put_signed(cpb_buffer *out, int64_t number) {
  bool negative = number < 0;
  uint64_t bits = negative ? ~(uint64_t)number : (uint64_t)number;
  uint8_t bytes[10] = {0};
  unsigned size = 1;
  while (size < 10 && bits >> (7 * size - 1) != 0) size++;
  for (unsigned i = 0; i < 8; i++) bytes[9 - i] = (uint8_t)(bits >> 8 * i);
  uint8_t *first = bytes + 10 - size;
  for (unsigned i = 0; i < size; i++) first[i / 8] |= (uint8_t)(0x80 >> i % 8);
  for (unsigned i = 0; negative && i < size; i++) first[i] = (uint8_t)~first[i];
  return cpb_buffer_append(out, first, size);
}

static bool has_number(cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  return cpb_cursor_find(&c, number, CPB_WIRE_VARINT);
}

/* An extent without a length is the whole dimension, and is encoded as start 0, length -1. */
static bool put_extent(cpb_buffer *out, cpb_span extent) {
  bool all = !has_number(extent, EXTENT_LENGTH);
  int64_t start = all ? 0 : (int64_t)cpb_get_number(extent, EXTENT_START);
  return put_signed(out, start) && put_signed(out, all ? -1 : (int64_t)cpb_get_number(extent, EXTENT_LENGTH));
}

/* Appends the common beginning of the keys of tensor `name`'s slices to `out`. False if memory is short. */
static bool slice_key_begin(cpb_buffer *out, cpb_span name) { return put_unsigned(out, 0) && put_text(out, name); }

/* The rest of the key of the slice that a TensorSliceProto describes. */
static bool slice_key_rest(cpb_buffer *out, cpb_span slice) {
  cpb_cursor extents = cpb_cursor_of(slice);
  bool done = put_unsigned(out, cpb_count_bytes(slice, SLICE_EXTENT));
  while (done && cpb_cursor_find(&extents, SLICE_EXTENT, CPB_WIRE_LEN)) done = put_extent(out, extents.bytes);
  return done;
}

/* --- Of a tensor ------------------------------------------------------------------------- */

bool cpb_slices_open(cpb_slices *s, const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *whole) {
  *s = (cpb_slices){.checkpoint = checkpoint, .whole = whole};
  s->cursor = cpb_cursor_of(cpb_checkpoint_message(whole));
  cpb_buffer_init(&s->key, a);
  s->failed = !slice_key_begin(&s->key, cpb_stored_key(whole));
  s->skip = s->key.size;
  if (!s->failed) s->count = cpb_checkpoint_begin(checkpoint, (cpb_span){s->key.data, s->skip}, &s->first);
  return !s->failed;
}

bool cpb_slices_next(cpb_slices *s) {
  const uint32_t field = cpb_checkpoint_version(s->checkpoint) == 1 ? SAVED_SLICES : ENTRY_SLICES;
  if (s->failed || !cpb_cursor_find(&s->cursor, field, CPB_WIRE_LEN)) return false;
  s->message = s->cursor.bytes;
  s->key.size = s->skip;
  s->failed = !slice_key_rest(&s->key, s->message);
  const cpb_span rest = {s->key.data + s->skip, s->key.size - s->skip};
  s->stored = s->failed ? NULL : cpb_checkpoint_find_rest(s->checkpoint, s->first, s->count, s->skip, rest);
  return !s->failed;
}

void cpb_slices_close(cpb_slices *s) { cpb_buffer_free(&s->key); }

bool cpb_slice_bounds(cpb_span slice, const cpb_stored *whole, uint64_t *begin, uint64_t *shape) {
  cpb_cursor extents = cpb_cursor_of(slice);
  if (cpb_count_bytes(slice, SLICE_EXTENT) != whole->rank) return false;
  for (uint32_t i = 0; cpb_cursor_find(&extents, SLICE_EXTENT, CPB_WIRE_LEN) && i < whole->rank; i++) {
    const bool all = !has_number(extents.bytes, EXTENT_LENGTH);
    begin[i] = all ? 0 : cpb_get_number(extents.bytes, EXTENT_START);
    shape[i] = all ? whole->shape[i] : cpb_get_number(extents.bytes, EXTENT_LENGTH);
    if (begin[i] > whole->shape[i] || shape[i] > whole->shape[i] - begin[i]) return false;
  }
  return true;
}
