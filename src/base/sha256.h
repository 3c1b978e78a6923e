/* SHA-256 (FIPS 180-4). Our own implementation, because a library for this one function would have to be built for
 * every target. */
#ifndef CPB_BASE_SHA256_H
#define CPB_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define CPB_SHA256_SIZE 32
#define CPB_SHA256_HEX (2 * CPB_SHA256_SIZE + 1) /* with the final NUL */

typedef struct cpb_sha256 {
  uint32_t state[8];
  uint64_t size; /* bytes so far */
  uint8_t block[64];
} cpb_sha256;

void cpb_sha256_begin(cpb_sha256 *sha);
void cpb_sha256_add(cpb_sha256 *sha, const void *data, size_t length);
void cpb_sha256_end(cpb_sha256 *sha, uint8_t digest[CPB_SHA256_SIZE]);
void cpb_sha256_end_hex(cpb_sha256 *sha, char hex[CPB_SHA256_HEX]);

#endif
