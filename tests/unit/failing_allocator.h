/* A malloc that counts what is out and can fail at the n-th call, in any thread. */
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpb/base.h"

typedef struct failing_allocator {
  atomic_size_t calls;   /* allocations and resizings so far */
  size_t fail_at;        /* the call, counted from 1, that fails; 0: none */
  bool for_ever;         /* and so do all later calls */
  atomic_size_t blocks;  /* that are out */
  atomic_size_t largest; /* size that was asked for */
} failing_allocator;

static inline bool failing_allocator_refuses(failing_allocator *f, size_t size) {
  const size_t call = ++f->calls;
  if (size > f->largest) f->largest = size;
  return f->fail_at != 0 && (call == f->fail_at || (f->for_ever && call > f->fail_at));
}

static inline void *failing_allocate(void *user, size_t size) {
  failing_allocator *f = user;
  if (failing_allocator_refuses(f, size)) return NULL;
  void *block = malloc(size);
  if (block != NULL) f->blocks++;
  return block;
}

static inline void *failing_resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)old_size;
  return failing_allocator_refuses(user, new_size) ? NULL : realloc(block, new_size);
}

static inline void failing_release(void *user, void *block) {
  failing_allocator *f = user;
  f->blocks--;
  free(block);
}

/* Usage: failing_allocator f = {.fail_at = n}; run with failing_allocator_of(&f);
 * while f.calls >= n the n-th call did happen; f.blocks must be 0 at the end. */
static inline cpb_allocator failing_allocator_of(failing_allocator *f) {
  return (cpb_allocator){f, failing_allocate, failing_resize, failing_release};
}

#endif
