#include "chunked/read/chunk_store.h"

typedef struct {
  const cpb_kept_chunk *items;
  uint64_t chunk;
} sought;

static cpb_ordered nodes_of(const cpb_kept_chunks *kept) { return (cpb_ordered){kept->items, sizeof *kept->items}; }

static int compare(const void *key, uint32_t i) {
  const sought *k = key;
  return k->chunk < k->items[i].chunk ? -1 : k->chunk > k->items[i].chunk;
}

void cpb_kept_free(cpb_kept_chunks *kept, const cpb_allocator *a) {
  for (size_t i = 0; i < kept->count; i++) cpb_buffer_free(&kept->items[i].bytes);
  cpb_release(a, kept->items);
  kept->items = NULL;
}

cpb_kept_chunk *cpb_kept_find(const cpb_kept_chunks *kept, uint64_t chunk) {
  if (kept->count == 0) return NULL;
  uint32_t i = cpb_ordered_find(nodes_of(kept), kept->root, compare, &(sought){kept->items, chunk});
  return i == CPB_ORDERED_NONE ? NULL : &kept->items[i];
}

cpb_kept_chunk *cpb_kept_add(cpb_kept_chunks *kept, const cpb_allocator *a, uint64_t chunk) {
  void *items = kept->items;
  if (!cpb_reserve(a, &items, &kept->capacity, kept->count + 1, sizeof *kept->items)) return NULL;
  kept->items = items;
  uint32_t i = (uint32_t)kept->count++, root = i == 0 ? CPB_ORDERED_NONE : kept->root;
  kept->items[i] = (cpb_kept_chunk){.chunk = chunk};
  cpb_buffer_init(&kept->items[i].bytes, a);
  kept->root = cpb_ordered_add(nodes_of(kept), root, i, compare, &(sought){kept->items, chunk});
  return &kept->items[i];
}
