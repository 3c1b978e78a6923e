/* Allocation through the host's allocator, and a growing byte buffer. */
#ifndef CPB_BASE_ALLOC_H
#define CPB_BASE_ALLOC_H

#include <stdbool.h>

#include "cpb/base.h"

/* malloc, realloc and free, or a copy of `allocator` when it is not NULL. */
cpb_allocator cpb_allocator_or_default(const cpb_allocator *allocator);

void *cpb_alloc(const cpb_allocator *a, size_t size); /* uninitialized */
void *cpb_alloc_zeroed(const cpb_allocator *a, size_t size);
void *cpb_realloc(const cpb_allocator *a, void *block, size_t old_size, size_t new_size);
void cpb_release(const cpb_allocator *a, void *block); /* NULL is fine */

/* Makes room for at least `count` elements of `element` bytes in the array
 * `*items` of capacity `*capacity` (growing it by half at least). On failure
 * nothing has changed. */
bool cpb_reserve(const cpb_allocator *a, void **items, size_t *capacity, size_t count, size_t element);

typedef struct cpb_buffer {
  cpb_allocator allocator;
  uint8_t *data;
  size_t size, capacity;
} cpb_buffer;

void cpb_buffer_init(cpb_buffer *buffer, const cpb_allocator *a);
void cpb_buffer_free(cpb_buffer *buffer);
bool cpb_buffer_reserve(cpb_buffer *buffer, size_t capacity);
bool cpb_buffer_append(cpb_buffer *buffer, const void *data, size_t size);
/* Gives the memory back when it is larger than `keep`; the size becomes 0. */
void cpb_buffer_reset(cpb_buffer *buffer, size_t keep);

#endif
