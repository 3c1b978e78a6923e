/* HighwayHash-64 with Riegeli's key, in one go or piece by piece.
 * (Alakuijala, Cox, Wassenberg: "Fast keyed hash/pseudo-random function using
 * SIMD multiply and permute", 2016) */
#ifndef CPB_RIEGELI_HIGHWAYHASH_H
#define CPB_RIEGELI_HIGHWAYHASH_H

#include <stdbool.h>

#include "riegeli/highwayhash_kernel.h"

typedef struct cpb_hash {
  bool fresh; /* no packet was mixed yet: instead of `state` it is the first one */
  cpb_hash_state state;
  uint8_t packet[CPB_HASH_PACKET]; /* bytes that do not fill a packet yet */
  size_t packet_size;
} cpb_hash;

void cpb_hash_init(cpb_hash *hash); /* with Riegeli's key */
void cpb_hash_init_key(cpb_hash *hash, const uint64_t key[4]);
void cpb_hash_update(cpb_hash *hash, const void *data, size_t size);
uint64_t cpb_hash_finish(const cpb_hash *hash); /* `hash` can go on afterwards */

/* The same with a kernel of the caller's choice. */
void cpb_hash_update_with(const cpb_hash_kernel *kernel, cpb_hash *hash, const void *data, size_t size);
uint64_t cpb_hash_finish_with(const cpb_hash_kernel *kernel, const cpb_hash *hash);

/* Riegeli's hash of `size` bytes. */
uint64_t cpb_hash_bytes(const void *data, size_t size);

#endif
