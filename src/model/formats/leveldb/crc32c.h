/* CRC-32C (Castagnoli), as TensorFlow protects what it stores with it. */
#ifndef CPB_MODEL_FORMATS_LEVELDB_CRC32C_H
#define CPB_MODEL_FORMATS_LEVELDB_CRC32C_H

#include "base/bytes.h"

/* What a byte does to a CRC, with 0 to 7 bytes behind it. */
typedef struct cpb_crc32c {
  uint32_t tables[8][256];
} cpb_crc32c;

void cpb_crc32c_init(cpb_crc32c *crc);
/* The CRC of some bytes (0 for none), and then these. */
uint32_t cpb_crc32c_extend(const cpb_crc32c *crc, uint32_t value, cpb_span bytes);

/* Stored with what it is of, a CRC is masked: the CRC of data that has CRCs in it is weak. */
static inline uint32_t cpb_crc32c_mask(uint32_t value) { return (value >> 15 | value << 17) + 0xa282ead8u; }

#endif
