#include "riegeli/transpose/encoder_state.h"

#include "riegeli/transpose/format.h"

/* --- keys ------------------------------------------------------------------------------------- */

/* Multiplying by an odd number and folding the upper half into the lower one can both be undone. */
static uint64_t mix(uint64_t key) {
  key *= 0x9e3779b97f4a7c15u;
  key ^= key >> 32;
  return key * 0xd6e8feb86659fd93u;
}

static uint32_t add(cpb_keys *keys, const cpb_allocator *a, uint64_t key) {
  if (keys->count == CPB_NO_NUMBER || !CPB_RESERVE(a, &keys->entries, &keys->capacity, keys->count + 1))
    return CPB_NO_NUMBER;
  keys->entries[keys->count] = (cpb_keys_entry){.key = key};
  return (uint32_t)keys->count++;
}

uint32_t cpb_keys_number(cpb_keys *keys, const cpb_allocator *a, uint64_t key) {
  if (keys->count == 0) return add(keys, a, key);
  uint32_t at = 0;
  for (uint64_t bits = mix(key);; bits <<= 2) {
    if (keys->entries[at].key == key) return at;
    const uint32_t child = keys->entries[at].children[bits >> 62];
    if (child == 0) {
      const uint32_t added = add(keys, a, key);
      if (added != CPB_NO_NUMBER) keys->entries[at].children[bits >> 62] = added;
      return added;
    }
    at = child;
  }
}

/* --- canonical -------------------------------------------------------------------------------- */

/* The position after a varint in its shortest form, or NULL. */
static const uint8_t *skip_varint(const uint8_t *p, const uint8_t *end) {
  for (int i = 0; i < CPB_VARINT_MAX && p < end; i++) {
    const uint8_t byte = *p++;
    if (byte >= 0x80) continue;
    if (byte == 0 && i > 0) return NULL;
    return i + 1 < CPB_VARINT_MAX || byte == 1 ? p : NULL;
  }
  return NULL;
}

/* The same of 32 bits. */
static const uint8_t *read_u32(const uint8_t *p, const uint8_t *end, uint32_t *value) {
  if (p < end && *p < 0x80) {
    *value = *p;
    return p + 1;
  }
  const uint8_t *after = skip_varint(p, end);
  uint64_t wide;
  if (!after || !cpb_varint_read(p, after, &wide) || wide > UINT32_MAX) return NULL;
  *value = (uint32_t)wide;
  return after;
}

static const uint8_t *skip_bytes(const uint8_t *p, const uint8_t *end, size_t size) {
  return size <= (size_t)(end - p) ? p + size : NULL;
}

static const uint8_t *skip_string(const uint8_t *p, const uint8_t *end) {
  uint32_t length;
  p = read_u32(p, end, &length);
  return p ? skip_bytes(p, end, length) : NULL;
}

bool cpb_transpose_is_message(cpb_span bytes, size_t depth) {
  const uint8_t *p = bytes.data, *end = bytes.data + bytes.size;
  uint32_t groups[CPB_TRANSPOSE_DEPTH]; /* the fields of the open ones */
  size_t open = 0;
  while (p < end) {
    uint32_t tag;
    p = read_u32(p, end, &tag);
    if (!p || tag < 8) return false;
    switch (tag & 7) {
      case CPB_TAG_VARINT: p = skip_varint(p, end); break;
      case CPB_TAG_FIXED64: p = skip_bytes(p, end, 8); break;
      case CPB_TAG_LENGTH: p = skip_string(p, end); break;
      case CPB_TAG_FIXED32: p = skip_bytes(p, end, 4); break;
      case CPB_TAG_GROUP_START:
        if (open == depth) return false;
        groups[open++] = tag >> 3;
        break;
      case CPB_TAG_GROUP_END:
        if (open == 0 || groups[--open] != tag >> 3) return false;
        break;
      default: return false;
    }
    if (!p) return false;
  }
  return open == 0;
}

/* --- encoder state ---------------------------------------------------------------------------- */

bool cpb_transpose_no_memory(const cpb_transpose_encoder *e) {
  return cpb_codec_fail(e->error, CPB_E_MEMORY, "out of memory"), false;
}

bool cpb_transpose_too_much(const cpb_transpose_encoder *e, const char *what) {
  return cpb_codec_fail(e->error, CPB_E_LIMIT, what), false;
}
