#ifndef STANDIN_ZEPHYR_SYS_HEAP_H
#define STANDIN_ZEPHYR_SYS_HEAP_H

#include <stdlib.h>

/* Holds no more than it was given, as the real one. */
struct sys_heap {
  size_t left;
};

static inline void sys_heap_init(struct sys_heap *heap, void *memory, size_t size) {
  (void)memory;
  heap->left = size;
}

/* Before each block; as large as malloc's alignment. */
typedef union standin_block {
  size_t size;
  max_align_t alignment;
} standin_block;

static inline void *sys_heap_aligned_realloc(struct sys_heap *heap, void *old, size_t alignment, size_t size) {
  (void)alignment;
  standin_block *block = old ? (standin_block *)old - 1 : NULL;
  size_t before = block ? block->size : 0;
  if (size > before && size - before > heap->left) return NULL;
  block = realloc(block, sizeof *block + size);
  if (!block) abort();
  block->size = size;
  heap->left = heap->left + before - size;
  return block + 1;
}

static inline void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t alignment, size_t size) {
  return sys_heap_aligned_realloc(heap, NULL, alignment, size);
}

static inline void sys_heap_free(struct sys_heap *heap, void *memory) {
  standin_block *block = (standin_block *)memory - 1;
  heap->left += block->size;
  free(block);
}

#endif
