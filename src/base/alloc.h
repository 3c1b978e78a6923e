/* Memory from the host's allocator, and a buffer that grows. */
#ifndef CPB_BASE_ALLOC_H
#define CPB_BASE_ALLOC_H

#include <stdbool.h>

#include "cpb/base.h"

/* A copy of `allocator`, or the system's when it is NULL. */
cpb_allocator cpb_allocator_or_default(const cpb_allocator *allocator);

/* malloc, realloc and free; in a build without them (CPB_WITH_MALLOC) one that never has memory. */
cpb_allocator cpb_system_allocator(void);

/* All return NULL if memory is short; blocks of 0 bytes are allowed. */
void *cpb_alloc(const cpb_allocator *a, size_t size); /* not initialized */
void *cpb_alloc_zeroed(const cpb_allocator *a, size_t size);
void *cpb_realloc(const cpb_allocator *a, void *block, size_t old_size, size_t new_size);
void cpb_release(const cpb_allocator *a, void *block); /* NULL is allowed */

/* Makes room for `count` elements of `element` bytes in an array that has room for `*capacity`;
 * `items` is the address of the pointer to it. It grows by half at least, so that adding
 * elements one by one takes linear time. On failure nothing has changed. */
bool cpb_reserve(const cpb_allocator *a, void *items, size_t *capacity, size_t count, size_t element);

/* The size of an element is that of the pointer's type. */
#define CPB_RESERVE(a, items, capacity, count) cpb_reserve(a, items, capacity, count, sizeof **(items))

/* The same for an array that is kept: a large one grows by an eighth. */
bool cpb_reserve_closely(const cpb_allocator *a, void *items, size_t *capacity, size_t count, size_t element);
#define CPB_RESERVE_CLOSELY(a, items, capacity, count) cpb_reserve_closely(a, items, capacity, count, sizeof **(items))

/* Bytes that are appended to. */
typedef struct cpb_buffer {
  cpb_allocator allocator;
  uint8_t *data;
  size_t size, capacity;
} cpb_buffer;

void cpb_buffer_init(cpb_buffer *buffer, const cpb_allocator *a);
void cpb_buffer_free(cpb_buffer *buffer);
bool cpb_buffer_reserve(cpb_buffer *buffer, size_t capacity);
/* `data` may be bytes that were taken off the end of the same buffer. */
bool cpb_buffer_append(cpb_buffer *buffer, const void *data, size_t size);
/* Empties it, and frees its memory if that is more than `keep` bytes. */
void cpb_buffer_reset(cpb_buffer *buffer, size_t keep);

#endif
