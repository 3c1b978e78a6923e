/* HighwayHash-64 with Riegeli's key, in one go or piece by piece.
 * (Alakuijala, Cox, Wassenberg: "Fast keyed hash/pseudo-random function using
 * SIMD multiply and permute", 2016) */
#ifndef CPB_RIEGELI_HIGHWAYHASH_H
#define CPB_RIEGELI_HIGHWAYHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpb_hash_state {
  uint64_t v0[4], v1[4], mul0[4], mul1[4];
} cpb_hash_state;

typedef struct cpb_hash {
  bool fresh; /* no packet was mixed yet: instead of `state` it is the first one */
  cpb_hash_state state;
  uint8_t packet[32]; /* bytes that do not fill a packet yet */
  size_t packet_size;
} cpb_hash;

void cpb_hash_init(cpb_hash *hash); /* with Riegeli's key */
void cpb_hash_init_key(cpb_hash *hash, const uint64_t key[4]);
void cpb_hash_update(cpb_hash *hash, const void *data, size_t size);
uint64_t cpb_hash_finish(const cpb_hash *hash); /* `hash` can go on afterwards */

/* Riegeli's hash of `size` bytes. */
uint64_t cpb_hash_bytes(const void *data, size_t size);

#endif
