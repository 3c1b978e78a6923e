#include "base/alloc.h"

#include <string.h>

#include "base/checked.h"

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

bool cpb_reserve(const cpb_allocator *a, void **items, size_t *capacity, size_t count, size_t element) {
  if (count <= *capacity) return true;
  size_t grown = *capacity + *capacity / 2 + 4;
  if (grown < count) grown = count;
  size_t bytes;
  if (!cpb_mul_size(grown, element, &bytes)) return false;
  void *block = cpb_realloc(a, *items, *capacity * element, bytes);
  if (!block) return false;
  *items = block;
  *capacity = grown;
  return true;
}

void cpb_buffer_init(cpb_buffer *buffer, const cpb_allocator *a) {
  memset(buffer, 0, sizeof *buffer);
  buffer->allocator = *a;
}

void cpb_buffer_free(cpb_buffer *buffer) { cpb_buffer_reset(buffer, 0); }

bool cpb_buffer_reserve(cpb_buffer *buffer, size_t capacity) {
  void *data = buffer->data;
  if (!cpb_reserve(&buffer->allocator, &data, &buffer->capacity, capacity, 1)) return false;
  buffer->data = data;
  return true;
}

bool cpb_buffer_append(cpb_buffer *buffer, const void *data, size_t size) {
  size_t total;
  if (!cpb_add_size(buffer->size, size, &total) || !cpb_buffer_reserve(buffer, total)) return false;
  if (size > 0) memcpy(buffer->data + buffer->size, data, size);
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
