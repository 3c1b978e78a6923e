#include "riegeli/transpose/keys.h"

/* Multiplying by an odd number and folding the upper half into the lower one can both be undone. */
static uint64_t mix(uint64_t key) {
  key *= 0x9e3779b97f4a7c15u;
  key ^= key >> 32;
  return key * 0xd6e8feb86659fd93u;
}

static uint32_t add(cpb_keys *keys, const cpb_allocator *a, uint64_t key) {
  void *entries = keys->entries;
  if (keys->count == CPB_NO_NUMBER ||
      !cpb_reserve(a, &entries, &keys->capacity, keys->count + 1, sizeof *keys->entries))
    return CPB_NO_NUMBER;
  keys->entries = entries;
  keys->entries[keys->count] = (cpb_keys_entry){.key = key};
  return (uint32_t)keys->count++;
}

uint32_t cpb_keys_number(cpb_keys *keys, const cpb_allocator *a, uint64_t key) {
  if (keys->count == 0) return add(keys, a, key);
  uint32_t at = 0;
  for (uint64_t bits = mix(key);; bits <<= 2) {
    if (keys->entries[at].key == key) return at;
    const uint32_t child = keys->entries[at].children[bits >> 62];
    if (child == 0) {
      const uint32_t added = add(keys, a, key);
      if (added != CPB_NO_NUMBER) keys->entries[at].children[bits >> 62] = added;
      return added;
    }
    at = child;
  }
}
