/* allocator BUDGET IN.cpb OUT.pb: merges within BUDGET bytes of memory.
 *
 * All memory comes from the host's allocator, and every allocation may fail: the
 * operation then ends with CPB_E_MEMORY, has given all of it back, and has left
 * no half of OUT.pb. Limits are checked before memory is taken, so a file that
 * lies about its sizes ends with CPB_E_LIMIT instead. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/file.h"

typedef struct budget {
  size_t limit, used, peak;
} budget;

/* A block's size stands before it, as release() is not told. */
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

/* A block that cannot be resized stays as it is. `memory` may be NULL. */
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
      .riegeli_chunk = b.limit / 2, /* what must be in memory whole */
      .window = b.limit / 2,        /* of a decoder */
  };
  const cpb_file_options options = {
      .struct_size = sizeof options, .allocator = &allocator, .limits = &limits, .replace = 1};

  cpb_error error;
  cpb_code code = cpb_file_merge(argv[2], argv[3], &options, &error);
  if (code != CPB_OK) fprintf(stderr, "%s: %s: %s\n", argv[2], cpb_code_name(code), error.message);
  printf("peak %zu bytes, %zu still in use\n", b.peak, b.used);
  return code == CPB_OK ? 0 : 1;
}
