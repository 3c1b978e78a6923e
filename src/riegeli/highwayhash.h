/* HighwayHash-64, at once or piece by piece. All hashes in a Riegeli/records file use the
 * key "Riegeli/records\nRiegeli/records\n".
 * (Alakuijala, Cox, Wassenberg: "Fast keyed hash/pseudo-random function using SIMD multiply
 * and permute", https://arxiv.org/abs/1612.06257) */
#ifndef CPB_RIEGELI_HIGHWAYHASH_H
#define CPB_RIEGELI_HIGHWAYHASH_H

#include <stdbool.h>

#include "riegeli/highwayhash_kernel.h"

typedef struct cpb_hash {
  bool fresh; /* nothing was mixed yet, and `state` is not set: the initial one counts */
  cpb_hash_state state;
  uint8_t packet[CPB_HASH_PACKET]; /* the last bytes, while they do not fill a packet */
  size_t packet_size;
} cpb_hash;

void cpb_hash_init(cpb_hash *hash); /* with Riegeli's key */
void cpb_hash_init_key(cpb_hash *hash, const uint64_t key[4]);
void cpb_hash_update(cpb_hash *hash, const void *data, size_t size);
uint64_t cpb_hash_finish(const cpb_hash *hash); /* of all so far; `hash` may go on */

/* The same with one of the kernels, for tests. */
void cpb_hash_update_with(const cpb_hash_kernel *kernel, cpb_hash *hash, const void *data, size_t size);
uint64_t cpb_hash_finish_with(const cpb_hash_kernel *kernel, const cpb_hash *hash);

/* The hash of `size` bytes, with Riegeli's key. */
uint64_t cpb_hash_bytes(const void *data, size_t size);

#endif
