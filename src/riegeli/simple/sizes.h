/* The sizes of a simple chunk's records: consecutive varints. Code that walks them one by one is optimized for speed in
 * the modules for JavaScript, where the rest of the decoder is optimized for size. */
#ifndef CPB_RIEGELI_SIMPLE_SIZES_H
#define CPB_RIEGELI_SIMPLE_SIZES_H

#include "base/bytes.h"
#include "riegeli/block.h"

/* NULL if the number of sizes is that of the records, and they add up to the size in the chunk header. */
const char *cpb_simple_sizes_fault(cpb_span varints, const cpb_chunk_header *header);

/* Reads the size of a record like cpb_varint_read(), but faster if it has one or two bytes, as almost all have. */
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
