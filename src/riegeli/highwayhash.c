#include "riegeli/highwayhash.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"

/* The initial multipliers: digits of pi, from the paper's reference code. */
#define MUL0 {0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3}
#define MUL1 {0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c, 0x452821e638d01377}

/* The initial state with Riegeli's key. Kernels read it from here, as copying it first
 * would take longer than to hash a small input. */
static const cpb_hash_state start = {
    .v0 = {0xf48fb9b09929a77d, 0xae7a5c5046fc54a2, 0x3c70e64b64151a16, 0x2e4c0efaeac06da1},
    .v1 = {0x5cb6f742e46799f6, 0xafcf941bbf82eefe, 0xd9310f9d1b806009, 0x2a4b449432a37705},
    .mul0 = MUL0,
    .mul1 = MUL1,
};

static uint64_t swap_halves(uint64_t v) { return v << 32 | v >> 32; }

void cpb_hash_init_key(cpb_hash *hash, const uint64_t key[4]) {
  hash->fresh = false;
  hash->packet_size = 0;
  hash->state = (cpb_hash_state){MUL0, MUL1, MUL0, MUL1};
  for (int i = 0; i < 4; i++) {
    hash->state.v0[i] ^= key[i];
    hash->state.v1[i] ^= swap_halves(key[i]);
  }
}

void cpb_hash_init(cpb_hash *hash) {
  hash->fresh = true;
  hash->packet_size = 0;
}

static void mix(const cpb_hash_kernel *kernel, cpb_hash *hash, const uint8_t *packets, size_t count) {
  kernel->mix(&hash->state, hash->fresh ? &start : &hash->state, packets, count);
  hash->fresh = false;
}

static size_t fill_packet(cpb_hash *hash, const uint8_t *data, size_t size) {
  size_t n = cpb_min_size(size, CPB_HASH_PACKET - hash->packet_size);
  memcpy(hash->packet + hash->packet_size, data, n);
  hash->packet_size += n;
  return n;
}

void cpb_hash_update_with(const cpb_hash_kernel *kernel, cpb_hash *hash, const void *data, size_t size) {
  const uint8_t *p = data;
  if (size == 0) return;
  if (hash->packet_size > 0) {
    size_t n = fill_packet(hash, p, size);
    if (hash->packet_size < CPB_HASH_PACKET) return;
    mix(kernel, hash, hash->packet, 1);
    hash->packet_size = 0;
    p += n;
    size -= n;
  }
  size_t packets = size / CPB_HASH_PACKET;
  if (packets > 0) mix(kernel, hash, p, packets);
  fill_packet(hash, p + packets * CPB_HASH_PACKET, size % CPB_HASH_PACKET);
}

static uint32_t rotate(uint32_t v, unsigned by) { return v << by | v >> (32 - by); }

/* Mixes a last packet of 1 to 31 bytes. As the algorithm has it, the size goes into the
 * state, and the bytes after the last multiple of 4 go to the packet's byte 16 and the two
 * after it, or, from 16 bytes on, the last 4 to its end. */
static void mix_rest(const cpb_hash_kernel *kernel, cpb_hash *hash) {
  unsigned size = (unsigned)hash->packet_size, loose = size % 4;
  const uint8_t *rest = hash->packet + size - loose;
  uint8_t packet[CPB_HASH_PACKET] = {0};
  memcpy(packet, hash->packet, size - loose);
  if (size >= 16) {
    memcpy(packet + 28, hash->packet + size - 4, 4);
  } else if (loose > 0) {
    packet[16] = rest[0];
    packet[17] = rest[loose / 2];
    packet[18] = rest[loose - 1];
  }
  cpb_hash_state *h = &hash->state;
  if (hash->fresh) *h = start;
  for (int i = 0; i < 4; i++) {
    h->v0[i] += (uint64_t)size << 32 | size;
    uint32_t low = (uint32_t)h->v1[i], high = (uint32_t)(h->v1[i] >> 32);
    h->v1[i] = (uint64_t)rotate(high, size) << 32 | rotate(low, size);
  }
  hash->fresh = false;
  mix(kernel, hash, packet, 1);
}

static uint64_t finish(const cpb_hash_kernel *kernel, cpb_hash *hash) {
  if (hash->packet_size > 0) mix_rest(kernel, hash);
  return kernel->finish(hash->fresh ? &start : &hash->state);
}

uint64_t cpb_hash_finish_with(const cpb_hash_kernel *kernel, const cpb_hash *hash) {
  cpb_hash copy = *hash;
  return finish(kernel, &copy);
}

void cpb_hash_update(cpb_hash *hash, const void *data, size_t size) {
  cpb_hash_update_with(cpb_hash_kernel_get(0), hash, data, size);
}

uint64_t cpb_hash_finish(const cpb_hash *hash) { return cpb_hash_finish_with(cpb_hash_kernel_get(0), hash); }

uint64_t cpb_hash_bytes(const void *data, size_t size) {
  cpb_hash hash;
  cpb_hash_init(&hash);
  cpb_hash_update(&hash, data, size);
  return finish(cpb_hash_kernel_get(0), &hash);
}
