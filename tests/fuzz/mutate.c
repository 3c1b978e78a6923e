#include "mutate.h"

#include <string.h>

#include "base/bytes.h"
#include "riegeli/highwayhash.h"

/* --- Riegeli: the hashes ------------------------------------------------------------ */

enum { BLOCK = 65536, BLOCK_HEADER = 24, CHUNK_HEADER = 40, FIRST_CHUNK = 64 };

static int is_riegeli(const uint8_t *data, size_t size) {
  return size >= FIRST_CHUNK && cpb_load64(data + 16) == FIRST_CHUNK && data[BLOCK_HEADER + 24] == 's';
}

static int is_zip(const uint8_t *data, size_t size) { return size >= 22 && data[0] == 'P' && data[1] == 'K'; }

/* Only up to the first block boundary: inputs are smaller than a block. */
void fuzz_repair_riegeli(uint8_t *data, size_t size) {
  if (size > BLOCK) size = BLOCK;
  for (size_t at = FIRST_CHUNK; at + CHUNK_HEADER <= size;) {
    uint8_t *header = data + at;
    size_t room = size - at - CHUNK_HEADER;
    if (cpb_load64(header + 8) > room) cpb_store64(header + 8, room);
    size_t data_size = (size_t)cpb_load64(header + 8);
    cpb_store64(header + 16, cpb_hash_bytes(header + CHUNK_HEADER, data_size));
    cpb_store64(header, cpb_hash_bytes(header + 8, 32));
    uint64_t records = cpb_load64(header + 24) >> 8, length = CHUNK_HEADER + data_size;
    if (length < records) length = records;
    if (length > size - at) return;
    at += (size_t)length;
  }
}

/* --- Parts of a file ----------------------------------------------------------------- */

enum { GROWTH = 64, MOST_BYTES = 1 << 18 };

int fuzz_items_add(fuzz_items *items, const void *data, size_t size, uint64_t tag) {
  if (items->count == FUZZ_ITEMS || size > MOST_BYTES) return 0;
  uint8_t *copy = malloc(size + GROWTH);
  if (copy == NULL) return 0;
  if (size > 0) memcpy(copy, data, size);
  items->items[items->count++] = (fuzz_item){copy, size, tag};
  return 1;
}

void fuzz_items_free(fuzz_items *items) {
  for (size_t i = 0; i < items->count; i++) free(items->items[i].data);
  items->count = 0;
}

static void swap(fuzz_items *items, size_t i, size_t k) {
  fuzz_item item = items->items[i];
  items->items[i] = items->items[k];
  items->items[k] = item;
}

/* Mostly the content of one, of the last, such as an index, more often. */
void fuzz_items_change(fuzz_items *items, unsigned seed) {
  if (items->count == 0) return;
  size_t last = items->count - 1, i = seed / 64 % 3 == 0 ? last : seed / 192 % items->count;
  fuzz_item *item = &items->items[i];
  switch (seed / 4 % 16) {
    case 0: fuzz_items_add(items, item->data, item->size, item->tag); return;
    case 1: swap(items, i, seed / 1024 % items->count); return;
    case 2:
      if (last == 0) return;
      swap(items, i, last);
      free(items->items[last].data);
      items->count--;
      return;
    default: item->size = LLVMFuzzerMutate(item->data, item->size, item->size + GROWTH);
  }
}

/* --- Any file -------------------------------------------------------------------------- */

static size_t mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = 0;
  if (is_riegeli(data, size)) {
    if (seed % 4 > 0) changed = fuzz_mutate_records(data, size, max_size, seed);
    if (changed > 0) return changed;
    changed = FIRST_CHUNK + LLVMFuzzerMutate(data + FIRST_CHUNK, size - FIRST_CHUNK, max_size - FIRST_CHUNK);
    if (seed / 4 % 8 > 0) fuzz_repair_riegeli(data, changed);
    return changed;
  }
  if (is_zip(data, size) && seed % 4 > 0) changed = fuzz_mutate_zip(data, size, max_size, seed);
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, max_size);
}

/* A xorshift, as libFuzzer's seeds are small numbers. */
static unsigned stir(unsigned seed) {
  uint32_t x = seed * 2654435761u + 1;
  for (int i = 0; i < 3; i++) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return x;
}

size_t fuzz_mutate_file(uint8_t *data, size_t size, size_t max_size, unsigned seed, size_t prefix) {
  seed = stir(seed);
  if (LLVMFuzzerMutate == NULL) return size;
  if (size <= prefix || max_size <= prefix) return LLVMFuzzerMutate(data, size, max_size);
  if (prefix > 0 && seed % 16 == 0) {
    LLVMFuzzerMutate(data, prefix, prefix);
    return size;
  }
  return prefix + mutate(data + prefix, size - prefix, max_size - prefix, seed / 16);
}
