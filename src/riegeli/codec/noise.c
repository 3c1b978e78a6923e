#include "riegeli/codec/codec.h"

/* Positions are recorded every STRIDE bytes, and looked up every STRIDE + 1 bytes. So a repetition, wherever it begins,
 * contains a position that is both within STRIDE * (STRIDE + 1) bytes. Some of the shorter repetitions are found as
 * well; one is enough. */
enum { STRIDE = 32, SAMPLES = 16384 };

static unsigned log2_of(size_t entries) {
  unsigned log = 0;
  while ((size_t)1 << log < entries) log++;
  return log;
}

size_t cpb_noise_table(size_t size) { return (size_t)1 << log2_of(size / STRIDE + 1); }

/* Samples bytes at equal, odd distances, so that each byte of a number or structure is included. If n bytes are
 * uniformly distributed, the sum of the squares of the frequencies is about n * n / 256 + n; an excess of 1/14 of the
 * first term means 0.05 bits less entropy. */
static bool has_flat_histogram(cpb_span in) {
  uint32_t count[256] = {0};
  const size_t distance = in.size / SAMPLES | 1;
  uint64_t n = 0, squares = 0;
  for (size_t at = 0; at < in.size; at += distance, n++) count[in.data[at]]++;
  for (size_t i = 0; i < 256; i++) squares += (uint64_t)count[i] * count[i];
  return squares <= n + (n * n + n * n / 14) / 256;
}

static size_t hash(const uint8_t *at, unsigned shift) {
  return (size_t)(cpb_load64(at) * UINT64_C(0x9E3779B97F4A7C15) >> shift);
}

static bool has_repetition(cpb_span in, uint32_t *table) {
  const size_t entries = cpb_noise_table(in.size), end = in.size - sizeof(uint64_t);
  const unsigned shift = 64 - log2_of(entries);
  memset(table, 0, entries * sizeof *table);
  for (size_t at = STRIDE, looked_up = STRIDE + 1; at < end; at += STRIDE) {
    for (; looked_up <= at; looked_up += STRIDE + 1) {
      const uint32_t before = table[hash(in.data + looked_up, shift)];
      if (cpb_load64(in.data + before) == cpb_load64(in.data + looked_up)) return true;
    }
    table[hash(in.data + at, shift)] = (uint32_t)at;
  }
  return false;
}

bool cpb_is_noise(cpb_span in, uint32_t *table) { return has_flat_histogram(in) && !has_repetition(in, table); }
