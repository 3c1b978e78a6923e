#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* The size of each block precedes it, in as much room as keeps the block aligned. */
#define HEADER (sizeof(size_t) > _Alignof(max_align_t) ? sizeof(size_t) : _Alignof(max_align_t))

static bool take(cli_memory *memory, size_t size) {
  if (size > SIZE_MAX - HEADER) return false;
  size_t used = atomic_load(&memory->used);
  do {
    if (size > memory->limit - used) {
      memory->refused = true;
      return false;
    }
  } while (!atomic_compare_exchange_weak(&memory->used, &used, used + size));
  return true;
}

static void give_back(cli_memory *memory, size_t size) { atomic_fetch_sub(&memory->used, size); }

static void *mark(uint8_t *block, size_t size) {
  memcpy(block, &size, sizeof size);
  return block + HEADER;
}

static void *allocate(void *user, size_t size) {
  cli_memory *memory = user;
  if (!take(memory, size)) return NULL;
  uint8_t *block = malloc(HEADER + size);
  if (block) return mark(block, size);
  give_back(memory, size);
  return NULL;
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size) {
  cli_memory *memory = user;
  size_t more = new_size > old_size ? new_size - old_size : 0;
  if (!take(memory, more)) return NULL;
  uint8_t *moved = realloc((uint8_t *)block - HEADER, HEADER + new_size);
  give_back(memory, moved ? old_size + more - new_size : more);
  return moved ? mark(moved, new_size) : NULL;
}

static void release(void *user, void *block) {
  uint8_t *whole = (uint8_t *)block - HEADER;
  size_t size;
  memcpy(&size, whole, sizeof size);
  give_back(user, size);
  free(whole);
}

cpb_allocator cli_memory_allocator(cli_memory *memory) {
  return (cpb_allocator){.user = memory, .allocate = allocate, .resize = resize, .release = release};
}
