#include "base/limits.h"

#include <string.h>

#include "base/checked.h"

static uint64_t or_default(uint64_t value, uint64_t fallback) { return value != 0 ? value : fallback; }

static const uint64_t MIB = 1 << 20;

static void pair_or_default(uint64_t *most, uint64_t *per_byte, uint64_t default_most, uint64_t default_per_byte) {
  if (*most != 0 || *per_byte != 0) return;
  *most = default_most;
  *per_byte = default_per_byte;
}

cpb_limits cpb_limits_or_default(const cpb_limits *given) {
  const int small = sizeof(size_t) < 8;
  cpb_limits limits;
  cpb_options_copy(&limits, sizeof limits, given);
  limits.riegeli_chunk = or_default(limits.riegeli_chunk, small ? 256u << 20 : (uint64_t)2 << 30);
  limits.window = or_default(limits.window, small ? 8u << 20 : 128u << 20);
  limits.chunks = or_default(limits.chunks, 1u << 24);
  limits.records_per_chunk = or_default(limits.records_per_chunk, 1u << 24);
  if (limits.depth == 0) limits.depth = 100;
  pair_or_default(&limits.decoded, &limits.decoded_per_byte, 160 * MIB, 32768);
  pair_or_default(&limits.held, &limits.held_per_byte, 40 * MIB, 64);
  pair_or_default(&limits.walked, &limits.walked_per_byte, 128 * MIB, 1024);
  pair_or_default(&limits.entries, &limits.entries_per_byte, 4 * MIB, 8);
  pair_or_default(&limits.answer, &limits.answer_per_byte, 48 * MIB, 16);
  pair_or_default(&limits.index, &limits.index_per_byte, 16 * MIB, 32);
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
