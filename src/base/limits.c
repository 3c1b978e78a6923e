#include "base/limits.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"

static uint64_t or_default(uint64_t value, uint64_t fallback) { return value != 0 ? value : fallback; }

#define MIB ((uint64_t)1 << 20)

/* So many, and so many for each byte of input, in the order of CPB_WORKS. */
static const uint64_t defaults[][2] = {
    {160 * MIB, 32768}, /* decoded */
    {40 * MIB, 64},     /* held */
    {128 * MIB, 1024},  /* walked */
    {4 * MIB, 8},       /* entries */
    {48 * MIB, 16},     /* answer */
    {16 * MIB, 32},     /* index */
};

cpb_limits cpb_limits_or_default(const cpb_limits *given) {
  const int small = sizeof(size_t) < 8;
  cpb_limits limits;
  cpb_options_copy(&limits, sizeof limits, given);
  limits.riegeli_chunk = or_default(limits.riegeli_chunk, small ? 256u << 20 : (uint64_t)2 << 30);
  limits.window = or_default(limits.window, small ? 8u << 20 : 128u << 20);
  limits.chunks = or_default(limits.chunks, 1u << 24);
  limits.records_per_chunk = or_default(limits.records_per_chunk, 1u << 24);
  if (limits.depth == 0) limits.depth = 100;
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    uint64_t pair[2];
    char *at = (char *)&limits + offsetof(cpb_limits, decoded) + i * sizeof pair;
    memcpy(pair, at, sizeof pair);
    if (pair[0] == 0 && pair[1] == 0) memcpy(at, defaults[i], sizeof pair);
  }
  return limits;
}

uint64_t cpb_max_memory_or_default(uint64_t given) {
  return or_default(given, sizeof(size_t) < 8 ? 64u << 20 : 256u << 20);
}

void cpb_options_copy(void *options, size_t size, const void *given) {
  memset(options, 0, size);
  if (!given) {
    memcpy(options, &size, sizeof size);
    return;
  }
  size_t given_size;
  memcpy(&given_size, given, sizeof given_size);
  memcpy(options, given, cpb_min_size(size, given_size));
  memcpy(options, &size, sizeof size);
}
