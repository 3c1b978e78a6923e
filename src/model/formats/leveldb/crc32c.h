/* CRC-32C (Castagnoli), the checksum in TensorFlow's files. */
#ifndef CPB_MODEL_FORMATS_LEVELDB_CRC32C_H
#define CPB_MODEL_FORMATS_LEVELDB_CRC32C_H

#include "base/bytes.h"

/* The effect of a byte on a CRC, with 0 to 7 bytes after it. */
typedef struct cpb_crc32c {
  uint32_t tables[8][256];
} cpb_crc32c;

void cpb_crc32c_init(cpb_crc32c *crc);
/* Extends the CRC of earlier bytes (0 for none) by these. */
uint32_t cpb_crc32c_extend(const cpb_crc32c *crc, uint32_t value, cpb_span bytes);

/* A CRC that is stored with its data is masked, because the CRC of data that contains CRCs is weak. */
static inline uint32_t cpb_crc32c_mask(uint32_t value) { return (value >> 15 | value << 17) + 0xa282ead8u; }

#endif
