/* The inner loop of HighwayHash, for each instruction set. */
#ifndef CPB_RIEGELI_HIGHWAYHASH_KERNEL_H
#define CPB_RIEGELI_HIGHWAYHASH_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define CPB_HASH_PACKET 32
#define CPB_HASH_ROUNDS 4 /* at the end: the permuted state is mixed into itself */

typedef struct cpb_hash_state {
  uint64_t v0[4], v1[4], mul0[4], mul1[4];
} cpb_hash_state;

typedef struct cpb_hash_kernel {
  const char *name;
  /* Mixes `count` contiguous packets into the state `from`. */
  void (*mix)(cpb_hash_state *to, const cpb_hash_state *from, const uint8_t *packets, size_t count);
  /* The hash, after the last packet. */
  uint64_t (*finish)(const cpb_hash_state *state);
} cpb_hash_kernel;

/* The kernels of this build that this processor can run, the fastest first and the portable one last; NULL if `index`
 * is too large. */
const cpb_hash_kernel *cpb_hash_kernel_get(size_t index);

#endif
