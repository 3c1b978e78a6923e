#include "cli/memory.h"

#include <stdlib.h>
#include <string.h>

/* Before each block stands its size, in as much room as keeps it aligned. */
#define HEADER (sizeof(size_t) > _Alignof(max_align_t) ? sizeof(size_t) : _Alignof(max_align_t))

static bool take(cli_memory *memory, size_t size) {
  if (size > SIZE_MAX - HEADER) return false;
  if (size > memory->limit - memory->used) {
    memory->refused = true;
    return false;
  }
  return true;
}

static void *mark(uint8_t *block, size_t size) {
  memcpy(block, &size, sizeof size);
  return block + HEADER;
}

static void *allocate(void *user, size_t size) {
  cli_memory *memory = user;
  if (!take(memory, size)) return NULL;
  uint8_t *block = malloc(HEADER + size);
  if (!block) return NULL;
  memory->used += size;
  return mark(block, size);
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size) {
  cli_memory *memory = user;
  if (new_size > old_size && !take(memory, new_size - old_size)) return NULL;
  uint8_t *moved = realloc((uint8_t *)block - HEADER, HEADER + new_size);
  if (!moved) return NULL;
  memory->used += new_size;
  memory->used -= old_size;
  return mark(moved, new_size);
}

static void release(void *user, void *block) {
  cli_memory *memory = user;
  uint8_t *whole = (uint8_t *)block - HEADER;
  size_t size;
  memcpy(&size, whole, sizeof size);
  memory->used -= size;
  free(whole);
}

cpb_allocator cli_memory_allocator(cli_memory *memory) {
  return (cpb_allocator){
      .user = memory, .allocate = allocate, .resize = resize, .release = release};
}
