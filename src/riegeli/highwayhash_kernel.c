#include "riegeli/highwayhash_kernel.h"

#include "base/bytes.h"
#include "base/checked.h"

/* The zipper merge of the paper: byte i of a permuted pair of lanes is byte
 * ZIPPER_BYTES[i] of the pair. The middle bytes of a product are mixed best: both lanes get
 * as many of them, and the worst go to the upper halves, which the next multiplication
 * does not use. */
#define ZIPPER_BYTES 3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7

/* --- Portable -------------------------------------------------------------- */

static inline uint64_t rotate_right(uint64_t v, unsigned by) { return v >> by | v << (64 - by); }

/* The zipper merge without vectors: bytes 4, 6 and 7 of the two lanes change places, and
 * then bytes that move by the same distance move together. */
static inline void add_zippered(uint64_t *to, const uint64_t *from) {
  uint64_t swapped = (from[0] ^ from[1]) & 0xffff00ff00000000;
  uint64_t low = from[0] ^ swapped, high = from[1] ^ swapped;
  to[0] += (low >> 24 & 0xffff) | (low & 0xff0000) | (low >> 16 & 0xffff000000) | (low & 0xff00) << 32 |
           rotate_right(low, 56) << 48;
  to[1] += (high >> 24 & 0xffff) | (high & 0xff00000000ff0000) | (rotate_right(high, 16) & 0xff0000ff000000) |
           (high & 0xff00) << 24 | (high >> 8 & 0xff0000000000);
}

/* Unrolled, the state is in registers, and the code several times as long, which counts where an
 * interpreter keeps it in RAM (wasi/reactor). */
#ifdef CPB_SMALL_CODE
#  define ROLLED _Pragma("clang loop unroll(disable)")
#else
#  define ROLLED
#endif

static void mix_portable(cpb_hash_state *to, const cpb_hash_state *from, const uint8_t *packets, size_t count) {
  cpb_hash_state h = *from;
  for (; count > 0; count--, packets += CPB_HASH_PACKET) {
    ROLLED for (int i = 0; i < 4; i++) {
      h.v1[i] += h.mul0[i] + cpb_load64(packets + 8 * i);
      h.mul0[i] ^= (h.v1[i] & 0xffffffff) * (h.v0[i] >> 32);
      h.v0[i] += h.mul1[i];
      h.mul1[i] ^= (h.v0[i] & 0xffffffff) * (h.v1[i] >> 32);
    }
    ROLLED for (int i = 0; i < 4; i += 2) add_zippered(h.v0 + i, h.v1 + i);
    ROLLED for (int i = 0; i < 4; i += 2) add_zippered(h.v1 + i, h.v0 + i);
  }
  *to = h;
}

static uint64_t finish_portable(const cpb_hash_state *state) {
  cpb_hash_state h = *state;
  ROLLED for (int round = 0; round < CPB_HASH_ROUNDS; round++) {
    uint8_t packet[CPB_HASH_PACKET];
    for (int i = 0; i < 4; i++) {
      uint64_t lane = h.v0[i ^ 2];
      cpb_store64(packet + 8 * i, lane << 32 | lane >> 32);
    }
    mix_portable(&h, &h, packet, 1);
  }
  return h.v0[0] + h.v1[0] + h.mul0[0] + h.mul1[0];
}

static const cpb_hash_kernel portable = {"portable", mix_portable, finish_portable};

/* --- x86: AVX2, SSSE3 ------------------------------------------------------- */

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#  include <immintrin.h>

#  define HASH_NAME(name) name##_avx2
#  define TARGET __attribute__((target("avx2")))
#  define VECTOR __m256i
#  define LANES 4
#  define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#  define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#  define ADD(a, b) _mm256_add_epi64(a, b)
#  define XOR(a, b) _mm256_xor_si256(a, b)
#  define MUL(a, b) _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32))
#  define ZIPPER(a) _mm256_shuffle_epi8(a, _mm256_setr_epi8(ZIPPER_BYTES, ZIPPER_BYTES))
#  define SWAP(v, i) _mm256_permutevar8x32_epi32(v[i], _mm256_setr_epi32(5, 4, 7, 6, 1, 0, 3, 2))
#  define PREFETCH(p, size) __builtin_prefetch((const void *)((uintptr_t)(p) + 4096))
#  include "riegeli/highwayhash_simd.inc"

#  define HASH_NAME(name) name##_ssse3
#  define TARGET __attribute__((target("ssse3")))
#  define VECTOR __m128i
#  define LANES 2
#  define LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#  define STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#  define ADD(a, b) _mm_add_epi64(a, b)
#  define XOR(a, b) _mm_xor_si128(a, b)
#  define MUL(a, b) _mm_mul_epu32(a, _mm_srli_epi64(b, 32))
#  define ZIPPER(a) _mm_shuffle_epi8(a, _mm_setr_epi8(ZIPPER_BYTES))
#  define SWAP(v, i) _mm_shuffle_epi32(v[(i) ^ 1], 0xb1)
#  define PREFETCH(p, size) __builtin_prefetch((const void *)((uintptr_t)(p) + 4096))
#  include "riegeli/highwayhash_simd.inc"

const cpb_hash_kernel *cpb_hash_kernel_get(size_t index) {
  static const cpb_hash_kernel avx2 = {"avx2", mix_avx2, finish_avx2};
  static const cpb_hash_kernel ssse3 = {"ssse3", mix_ssse3, finish_ssse3};
  if (__builtin_cpu_supports("avx2") && index-- == 0) return &avx2;
  if (__builtin_cpu_supports("ssse3") && index-- == 0) return &ssse3;
  return index == 0 ? &portable : NULL;
}

/* --- Arm and WebAssembly: 128 bits, known when compiling -------------------- */

#else

#  if defined(__ARM_NEON) && defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)
#    include <arm_neon.h>
#    define SIMD_NAME "neon"
#    define VECTOR uint64x2_t
#    define LOAD(p) vreinterpretq_u64_u8(vld1q_u8((const uint8_t *)(p)))
#    define STORE(p, v) vst1q_u64(p, v)
#    define ADD(a, b) vaddq_u64(a, b)
#    define XOR(a, b) veorq_u64(a, b)
#    define MUL(a, b) vmull_u32(vmovn_u64(a), vshrn_n_u64(b, 32))
#    define ZIPPER(a) zipper(a)
#    define SWAP(v, i) vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(v[(i) ^ 1])))
#    define PREFETCH(p, size) ((void)(p))
static inline uint64x2_t zipper(uint64x2_t a) {
  static const uint8_t bytes[16] = {ZIPPER_BYTES};
  return vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(a), vld1q_u8(bytes)));
}
#  elif defined(__wasm_simd128__)
#    include <wasm_simd128.h>
#    define SIMD_NAME "simd128"
#    define VECTOR v128_t
#    define LOAD(p) wasm_v128_load(p)
#    define STORE(p, v) wasm_v128_store(p, v)
#    define ADD(a, b) wasm_i64x2_add(a, b)
#    define XOR(a, b) wasm_v128_xor(a, b)
/* An extended multiplication takes neighbouring halves; the two shuffles are shared by both
 * products. A swizzle's indices stay in a register, whereas V8 loads those of a shuffle
 * each time. */
#    define HALVES(a, i) wasm_i32x4_shuffle(a, a, i, (i) + 2, i, (i) + 2)
#    define APART(a) wasm_i32x4_shuffle(a, a, 0, 2, 1, 3)
#    define MUL(a, b) wasm_u64x2_extmul_low_u32x4(APART(a), HALVES(b, 1))
#    define MUL_BACK(a, b) wasm_u64x2_extmul_high_u32x4(HALVES(a, 0), APART(b))
#    define ZIPPER(a) wasm_i8x16_swizzle(a, wasm_u8x16_const(ZIPPER_BYTES))
#    define SWAP(v, i) wasm_i32x4_shuffle(v[(i) ^ 1], v[(i) ^ 1], 1, 0, 3, 2)
#    define PREFETCH(p, size) touch(p, size)
/* WebAssembly has no prefetch, so this loads a byte; it must be one of the packets, and is
 * not far ahead, as they are those of one block. */
static inline void touch(const uint8_t *p, size_t size) {
  (void)*(const volatile uint8_t *)(p + cpb_min_size(size - 1, 1024));
}
#  endif

#  ifdef SIMD_NAME
#    define HASH_NAME(name) name##_simd
#    define TARGET
#    define LANES 2
#    include "riegeli/highwayhash_simd.inc"
#  endif

const cpb_hash_kernel *cpb_hash_kernel_get(size_t index) {
#  ifdef SIMD_NAME
  static const cpb_hash_kernel simd = {SIMD_NAME, mix_simd, finish_simd};
  if (index-- == 0) return &simd;
#  endif
  return index == 0 ? &portable : NULL;
}

#endif
