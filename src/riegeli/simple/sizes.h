/* The sizes of the records of a simple chunk: varints in a row. What goes through them one by one is made for speed
 * in the modules for JavaScript, where the rest of the decoder is made for size. */
#ifndef CPB_RIEGELI_SIMPLE_SIZES_H
#define CPB_RIEGELI_SIMPLE_SIZES_H

#include "base/bytes.h"
#include "riegeli/block.h"

/* NULL when there are as many sizes as records, and they add up to what the chunk header says. */
const char *cpb_simple_sizes_fault(cpb_span varints, const cpb_chunk_header *header);

/* Reads the size of a record as cpb_varint_read() does, and faster if it has one or two bytes,
 * as nearly all have. */
static inline const uint8_t *cpb_record_size_read(const uint8_t *p, const uint8_t *end, uint64_t *size) {
  if (p < end && p[0] < 0x80) {
    *size = p[0];
    return p + 1;
  }
  if (end - p > 1 && p[1] < 0x80) {
    *size = (uint64_t)p[1] << 7 | (p[0] & 0x7f);
    return p + 2;
  }
  return cpb_varint_read(p, end, size);
}

#endif
