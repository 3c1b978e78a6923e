/* For a system without malloc, where each program has an allocator of its own. */
#include "base/alloc.h"

/* For Brotli and Zstd, whose own allocators, which nobody uses, refer to them by these names
 * (cmake/device.cmake). */
void *cpb_absent_malloc(size_t size);
void *cpb_absent_calloc(size_t count, size_t size);
void cpb_absent_free(void *block);

void *cpb_absent_malloc(size_t size) {
  (void)size;
  return NULL;
}

void *cpb_absent_calloc(size_t count, size_t size) {
  (void)count;
  (void)size;
  return NULL;
}

void cpb_absent_free(void *block) { (void)block; }

static void *absent_allocate(void *user, size_t size) {
  (void)user;
  (void)size;
  return NULL;
}

static void *absent_resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)block;
  (void)old_size;
  return absent_allocate(user, new_size);
}

static void absent_release(void *user, void *block) {
  (void)user;
  (void)block;
}

cpb_allocator cpb_system_allocator(void) {
  return (cpb_allocator){NULL, absent_allocate, absent_resize, absent_release};
}
