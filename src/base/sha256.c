#include "base/sha256.h"

#include <stdbool.h>
#include <string.h>

#include "base/checked.h"

enum { BLOCK = 64 };

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t v, int bits) { return v >> bits | v << (32 - bits); }

static uint32_t load_be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void store_be32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void expand(uint32_t w[64], const uint8_t *block) {
  for (int i = 0; i < 16; i++) w[i] = load_be32(block + 4 * i);
  for (int i = 16; i < 64; i++) {
    uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
}

/* One round; the caller turns the letters around instead of moving their values. */
#define ROUND(a, b, c, d, e, f, g, h, i)                        \
  do {                                                          \
    uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25); \
    uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22); \
    h += s1 + (g ^ (e & (f ^ g))) + constants[i] + w[i];        \
    d += h;                                                     \
    h += s0 + ((a & b) | (c & (a | b)));                        \
  } while (0)

static void compress_portable(uint32_t state[8], const uint8_t *block) {
  uint32_t w[64];
  expand(w, block);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; i += 8) {
    ROUND(a, b, c, d, e, f, g, h, i);
    ROUND(h, a, b, c, d, e, f, g, i + 1);
    ROUND(g, h, a, b, c, d, e, f, i + 2);
    ROUND(f, g, h, a, b, c, d, e, i + 3);
    ROUND(e, f, g, h, a, b, c, d, i + 4);
    ROUND(d, e, f, g, h, a, b, c, i + 5);
    ROUND(c, d, e, f, g, h, a, b, i + 6);
    ROUND(b, c, d, e, f, g, h, a, i + 7);
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void compress_portable_all(uint32_t state[8], const uint8_t *blocks, size_t count) {
  for (; count > 0; count--, blocks += BLOCK) compress_portable(state, blocks);
}

/* --- With the processor's instructions for it ---------------------------------- */

#if defined(__x86_64__) && (defined(__clang__) ? __clang_major__ >= 19 : __GNUC__ >= 11)
#  include <immintrin.h>

#  define WITH_SHA __attribute__((target("sha,sse4.1")))

/* Four rounds with the words in `a`, which become those of four rounds 16 further on. */
#  define FOUR_ROUNDS(a, b, c, d, i)                                                                    \
    do {                                                                                                \
      __m128i wk = _mm_add_epi32(a, _mm_loadu_si128((const __m128i *)(const void *)(constants + (i)))); \
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);                                                     \
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0e));                            \
      a = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d); \
    } while (0)

WITH_SHA static inline __m128i load_words(const uint8_t *p) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), swap);
}

/* The instructions want the state's words in the order a b e f and c d g h, the first one highest. */
WITH_SHA static void compress_sha(uint32_t state[8], const uint8_t *blocks, size_t count) {
  __m128i *out = (__m128i *)(void *)state;
  __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(out), 0xb1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(out + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; count--, blocks += BLOCK) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w0 = load_words(blocks), w1 = load_words(blocks + 16);
    __m128i w2 = load_words(blocks + 32), w3 = load_words(blocks + 48);
    for (int i = 0; i < 64; i += 16) {
      FOUR_ROUNDS(w0, w1, w2, w3, i);
      FOUR_ROUNDS(w1, w2, w3, w0, i + 4);
      FOUR_ROUNDS(w2, w3, w0, w1, i + 8);
      FOUR_ROUNDS(w3, w0, w1, w2, i + 12);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(out, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(out + 1, _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_instructions(void) { return __builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1"); }

static void compress(uint32_t state[8], const uint8_t *blocks, size_t count) {
  if (has_instructions()) compress_sha(state, blocks, count);
  else compress_portable_all(state, blocks, count);
}

#else

static void compress(uint32_t state[8], const uint8_t *blocks, size_t count) {
  compress_portable_all(state, blocks, count);
}

#endif

/* --- The hash of bytes as they come --------------------------------------------- */

void cpb_sha256_begin(cpb_sha256 *sha) {
  static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(sha->state, initial, sizeof initial);
  sha->size = 0;
}

void cpb_sha256_add(cpb_sha256 *sha, const void *data, size_t length) {
  const uint8_t *p = data;
  size_t have = sha->size % sizeof sha->block;
  sha->size += length;
  if (have > 0) {
    size_t n = cpb_min_size(length, sizeof sha->block - have);
    memcpy(sha->block + have, p, n);
    p += n;
    length -= n;
    if (have + n < sizeof sha->block) return;
    compress(sha->state, sha->block, 1);
  }
  compress(sha->state, p, length / BLOCK);
  p += length - length % BLOCK;
  length %= BLOCK;
  if (length > 0) memcpy(sha->block, p, length);
}

void cpb_sha256_end(cpb_sha256 *sha, uint8_t digest[CPB_SHA256_SIZE]) {
  uint64_t bits = sha->size * 8;
  uint8_t padding[64 + 8] = {0x80};
  size_t zeros = 63 - (sha->size + 8) % 64; /* after the 0x80 */
  store_be32(padding + 1 + zeros, (uint32_t)(bits >> 32));
  store_be32(padding + 1 + zeros + 4, (uint32_t)bits);
  cpb_sha256_add(sha, padding, 1 + zeros + 8);
  for (int i = 0; i < 8; i++) store_be32(digest + 4 * i, sha->state[i]);
}

void cpb_sha256_end_hex(cpb_sha256 *sha, char hex[CPB_SHA256_HEX]) {
  static const char digits[] = "0123456789abcdef";
  uint8_t digest[CPB_SHA256_SIZE];
  cpb_sha256_end(sha, digest);
  for (size_t i = 0; i < sizeof digest; i++) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[2 * sizeof digest] = 0;
}
