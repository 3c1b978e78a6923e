/* Numbers 64-bit keys in the order of their first occurrence: 0, 1, 2 ...
 *
 * A trie over the mixed bits of a key, two at a time. Mixing is a bijection, so different keys differ in these bits,
 * and no path is longer than 32, whatever keys an input chooses. */
#ifndef CPB_RIEGELI_TRANSPOSE_KEYS_H
#define CPB_RIEGELI_TRANSPOSE_KEYS_H

#include "base/alloc.h"

#define CPB_NO_NUMBER UINT32_MAX

typedef struct cpb_keys_entry {
  uint64_t key;
  uint32_t children[4]; /* 0: none, because the first entry is the root */
} cpb_keys_entry;

typedef struct cpb_keys {
  cpb_keys_entry *entries; /* by number */
  size_t count, capacity;
} cpb_keys;

/* The number of `key`; a new key gets the value of `count` before the call. CPB_NO_NUMBER if memory is short. */
uint32_t cpb_keys_number(cpb_keys *keys, const cpb_allocator *a, uint64_t key);

#endif
