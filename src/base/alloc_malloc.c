/* The system's memory. */
#include <stdlib.h>

#include "base/alloc.h"

static void *system_allocate(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void *system_resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  return realloc(block, new_size);
}

static void system_release(void *user, void *block) {
  (void)user;
  free(block);
}

cpb_allocator cpb_system_allocator(void) {
  return (cpb_allocator){NULL, system_allocate, system_resize, system_release};
}
