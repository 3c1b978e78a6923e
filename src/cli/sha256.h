/* SHA-256 (FIPS 180-4). Of our own because a library for this one function
 * would have to be built for every target the command runs on. */
#ifndef CPB_CLI_SHA256_H
#define CPB_CLI_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define CLI_SHA256_SIZE 32
#define CLI_SHA256_HEX (2 * CLI_SHA256_SIZE + 1) /* with the final NUL */

typedef struct cli_sha256 {
  uint32_t state[8];
  uint64_t size; /* bytes so far */
  uint8_t block[64];
} cli_sha256;

void cli_sha256_begin(cli_sha256 *sha);
void cli_sha256_add(cli_sha256 *sha, const void *data, size_t length);
void cli_sha256_end(cli_sha256 *sha, uint8_t digest[CLI_SHA256_SIZE]);
void cli_sha256_end_hex(cli_sha256 *sha, char hex[CLI_SHA256_HEX]);

#endif
