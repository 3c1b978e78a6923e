/* Little-endian numbers, and varints as protobuf and Riegeli have them. */
#ifndef CPB_BASE_BYTES_H
#define CPB_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that belong to somebody else. */
typedef struct cpb_span {
  const uint8_t *data;
  size_t size;
} cpb_span;

static inline uint16_t cpb_load16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static inline uint32_t cpb_load32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t cpb_load64(const uint8_t *p) {
  return (uint64_t)cpb_load32(p) | (uint64_t)cpb_load32(p + 4) << 32;
}

static inline void cpb_store32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (8 * i));
}

static inline void cpb_store64(uint8_t *p, uint64_t v) {
  for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i));
}

/* The hash in the first block header of a Riegeli file, with which every such file begins. */
static inline int cpb_begins_with_records(cpb_span in) {
  return in.size >= 8 && cpb_load64(in.data) == UINT64_C(0x3f4a880dd170af83);
}

#define CPB_VARINT_MAX 10

/* Reads a varint from [p, end). Returns the byte after it, or NULL when it does
 * not end before `end`, is longer than 10 bytes or does not fit in 64 bits.
 * Overlong forms within 10 bytes are accepted, as protobuf and Riegeli do. */
static inline const uint8_t *cpb_varint_read(const uint8_t *p, const uint8_t *end, uint64_t *value) {
  if (p < end && *p < 0x80) {
    *value = *p;
    return p + 1;
  }
  uint64_t v = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (p == end) return NULL;
    uint8_t byte = *p++;
    if (shift == 63 && byte > 1) return NULL; /* a tenth byte has one bit left, and is the last */
    v |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = v;
      return p;
    }
  }
}

/* Writes at most CPB_VARINT_MAX bytes and returns the byte after them. */
static inline uint8_t *cpb_varint_write(uint8_t *p, uint64_t v) {
  for (; v >= 0x80; v >>= 7) *p++ = (uint8_t)(v | 0x80);
  *p++ = (uint8_t)v;
  return p;
}

static inline size_t cpb_varint_size(uint64_t v) {
  size_t n = 1;
  for (; v >= 0x80; v >>= 7) n++;
  return n;
}

#endif
