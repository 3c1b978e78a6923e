#include "base/alloc.h"

#include <string.h>

#include "base/checked.h"

enum { CLOSELY = 4096 }; /* elements; for fewer, the room left does not matter */

cpb_allocator cpb_allocator_or_default(const cpb_allocator *allocator) {
  return allocator ? *allocator : cpb_system_allocator();
}

void *cpb_alloc(const cpb_allocator *a, size_t size) { return a->allocate(a->user, size > 0 ? size : 1); }

void *cpb_alloc_zeroed(const cpb_allocator *a, size_t size) {
  void *block = cpb_alloc(a, size);
  if (block) memset(block, 0, size);
  return block;
}

void *cpb_realloc(const cpb_allocator *a, void *block, size_t old_size, size_t new_size) {
  if (!block) return cpb_alloc(a, new_size);
  return a->resize(a->user, block, old_size, new_size > 0 ? new_size : 1);
}

void cpb_release(const cpb_allocator *a, void *block) {
  if (block) a->release(a->user, block);
}

/* The pointer to the array may have any type, so it is copied as bytes. */
static bool resize(const cpb_allocator *a, void *items, size_t *capacity, size_t count, size_t element) {
  size_t bytes;
  void *block;
  memcpy(&block, items, sizeof block);
  if (!cpb_mul_size(count, element, &bytes)) return false;
  block = cpb_realloc(a, block, *capacity * element, bytes);
  if (!block) return false;
  memcpy(items, &block, sizeof block);
  *capacity = count;
  return true;
}

bool cpb_reserve(const cpb_allocator *a, void *items, size_t *capacity, size_t count, size_t element) {
  size_t grown = *capacity + *capacity / 2 + 4;
  return count <= *capacity || resize(a, items, capacity, cpb_max_size(grown, count), element);
}

bool cpb_reserve_closely(const cpb_allocator *a, void *items, size_t *capacity, size_t count, size_t element) {
  if (*capacity < CLOSELY || count <= *capacity) return cpb_reserve(a, items, capacity, count, element);
  return resize(a, items, capacity, cpb_max_size(*capacity + *capacity / 8, count), element);
}

void cpb_buffer_init(cpb_buffer *buffer, const cpb_allocator *a) {
  memset(buffer, 0, sizeof *buffer);
  buffer->allocator = *a;
}

void cpb_buffer_free(cpb_buffer *buffer) { cpb_buffer_reset(buffer, 0); }

bool cpb_buffer_reserve(cpb_buffer *buffer, size_t capacity) {
  return CPB_RESERVE(&buffer->allocator, &buffer->data, &buffer->capacity, capacity);
}

bool cpb_buffer_append(cpb_buffer *buffer, const void *data, size_t size) {
  size_t total;
  if (!cpb_add_size(buffer->size, size, &total) || !cpb_buffer_reserve(buffer, total)) return false;
  if (size > 0) memmove(buffer->data + buffer->size, data, size);
  buffer->size = total;
  return true;
}

void cpb_buffer_reset(cpb_buffer *buffer, size_t keep) {
  buffer->size = 0;
  if (buffer->capacity <= keep) return;
  cpb_release(&buffer->allocator, buffer->data);
  buffer->data = NULL;
  buffer->capacity = 0;
}
