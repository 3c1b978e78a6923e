/* allocator BUDGET IN.cpb OUT.pb: merges within BUDGET bytes of memory.
 *
 * All memory comes from an allocator of our own, which refuses what exceeds the
 * budget. The operation then fails with CPB_E_MEMORY: all memory has been released,
 * and no part of OUT.pb is left behind. Limits are checked before memory is
 * allocated, so a file that claims enormous sizes fails with CPB_E_LIMIT instead. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/file.h"

typedef struct budget {
  size_t limit, used, peak;
} budget;

/* Each block is preceded by its size, which release() is not given. */
typedef union header {
  size_t size;
  max_align_t align;
} header;

static void *allocate(void *user, size_t size) {
  budget *b = user;
  if (size > b->limit - b->used) return NULL;
  header *block = size <= SIZE_MAX - sizeof *block ? malloc(sizeof *block + size) : NULL;
  if (!block) return NULL;
  block->size = size;
  b->used += size;
  if (b->used > b->peak) b->peak = b->used;
  return block + 1;
}

static void release(void *user, void *memory) {
  budget *b = user;
  header *block = (header *)memory - 1;
  b->used -= block->size;
  free(block);
}

/* As realloc(): if there is no memory, the block is unchanged. `memory` may be NULL. */
static void *resize(void *user, void *memory, size_t old_size, size_t new_size) {
  void *moved = allocate(user, new_size);
  if (!moved) return NULL;
  if (memory) {
    memcpy(moved, memory, old_size < new_size ? old_size : new_size);
    release(user, memory);
  }
  return moved;
}

int main(int argc, char **argv) {
  char *end = NULL;
  budget b = {0};
  if (argc == 4) b.limit = (size_t)strtoull(argv[1], &end, 10);
  if (argc != 4 || end == argv[1] || *end) {
    fprintf(stderr, "usage: allocator BUDGET IN.cpb OUT.pb\n");
    return 1;
  }
  const cpb_allocator allocator = {&b, allocate, resize, release};
  const cpb_limits limits = {
      .struct_size = sizeof limits,
      .riegeli_chunk = b.limit / 2, /* decoded bytes that must be in memory at once */
      .window = b.limit / 2,        /* of a decoder, in bytes */
  };
  const cpb_file_options options = {
      .struct_size = sizeof options, .allocator = &allocator, .limits = &limits, .replace = 1};

  cpb_error error;
  cpb_code code = cpb_file_merge(argv[2], argv[3], &options, &error);
  if (code != CPB_OK) fprintf(stderr, "%s: %s: %s\n", argv[2], cpb_code_name(code), error.message);
  printf("peak %zu bytes, %zu still in use\n", b.peak, b.used);
  return code == CPB_OK ? 0 : 1;
}
