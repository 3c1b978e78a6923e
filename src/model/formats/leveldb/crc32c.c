#include "model/formats/leveldb/crc32c.h"

#define POLYNOMIAL 0x82f63b78u /* bits in reverse order */

void cpb_crc32c_init(cpb_crc32c *crc) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
    crc->tables[0][byte] = value;
  }
  for (int behind = 1; behind < 8; behind++) {
    for (int byte = 0; byte < 256; byte++) {
      uint32_t before = crc->tables[behind - 1][byte];
      crc->tables[behind][byte] = before >> 8 ^ crc->tables[0][before & 0xff];
    }
  }
}

/* Eight bytes at a time: they do not depend on each other. */
static uint32_t extend_by_8(const cpb_crc32c *crc, uint32_t value, const uint8_t *p) {
  uint32_t low = value ^ cpb_load32(p), high = cpb_load32(p + 4);
  return crc->tables[7][low & 0xff] ^ crc->tables[6][low >> 8 & 0xff] ^ crc->tables[5][low >> 16 & 0xff] ^
         crc->tables[4][low >> 24] ^ crc->tables[3][high & 0xff] ^ crc->tables[2][high >> 8 & 0xff] ^
         crc->tables[1][high >> 16 & 0xff] ^ crc->tables[0][high >> 24];
}

uint32_t cpb_crc32c_extend(const cpb_crc32c *crc, uint32_t value, cpb_span bytes) {
  size_t at = 0;
  value = ~value;
  for (; bytes.size - at >= 8; at += 8) value = extend_by_8(crc, value, bytes.data + at);
  for (; at < bytes.size; at++) value = value >> 8 ^ crc->tables[0][(value ^ bytes.data[at]) & 0xff];
  return ~value;
}
