#include "base/texts.h"

#include "base/checked.h"

#define SMALLEST 2000
#define LARGEST 64000

struct cpb_text_block {
  cpb_text_block *before;
  size_t used, capacity;
  uint8_t bytes[];
};

static cpb_text_block *new_block(const cpb_text_block *last, const cpb_allocator *a, size_t size) {
  size_t capacity = last ? cpb_min_size(last->capacity * 2, LARGEST) : SMALLEST, bytes;
  capacity = cpb_max_size(capacity, size);
  if (!cpb_add_size(capacity, sizeof *last, &bytes)) return NULL;
  cpb_text_block *block = cpb_alloc(a, bytes);
  if (block) *block = (cpb_text_block){.capacity = capacity};
  return block;
}

uint8_t *cpb_texts_add(cpb_texts *texts, const cpb_allocator *a, size_t size) {
  cpb_text_block *block = texts->last;
  if (!block || block->capacity - block->used < size) {
    block = new_block(texts->last, a, size);
    if (!block) return NULL;
    block->before = texts->last;
    texts->last = block;
  }
  uint8_t *room = block->bytes + block->used;
  block->used += size;
  return room;
}

void cpb_texts_free(cpb_texts *texts, const cpb_allocator *a) {
  while (texts->last) {
    cpb_text_block *before = texts->last->before;
    cpb_release(a, texts->last);
    texts->last = before;
  }
}
