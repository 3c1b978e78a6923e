#include "heap.h"

#include <string.h>

#include "board.h"

enum { UNIT = 8 };

/* Before each block; `size` includes it. Free ones are in a list in the order of their addresses. */
typedef struct block {
  size_t size;
  struct block *next;
} block;

static block *first;
static char *furthest;

static char *end_of(block *b) { return (char *)b + b->size; }

static void begin(void) {
  furthest = (char *)heap_begin;
  first = (block *)heap_begin;
  first->size = (size_t)((char *)heap_end - (char *)heap_begin);
  first->next = NULL;
}

void *heap_take(size_t size) {
  if (!furthest) begin();
  if (size > (size_t)PTRDIFF_MAX) return NULL;
  size_t all = (size + sizeof(block) + UNIT - 1) / UNIT * UNIT;
  block **link = &first;
  while (*link && (*link)->size < all) link = &(*link)->next;
  block *b = *link;
  if (!b) return NULL;
  if (b->size - all > sizeof(block)) {
    block *rest = (block *)((char *)b + all);
    *rest = (block){b->size - all, b->next};
    *link = rest;
    b->size = all;
  } else {
    *link = b->next;
  }
  if (end_of(b) > furthest) furthest = end_of(b);
  return b + 1;
}

static void join_with_next(block *b) {
  if (!b->next || end_of(b) != (char *)b->next) return;
  b->size += b->next->size;
  b->next = b->next->next;
}

void heap_give(void *data) {
  if (!data) return;
  block *b = (block *)data - 1, *before = NULL;
  block **link = &first;
  while (*link && *link < b) {
    before = *link;
    link = &before->next;
  }
  b->next = *link;
  *link = b;
  join_with_next(b);
  if (before) join_with_next(before);
}

void *heap_resize(void *data, size_t size) {
  if (!data) return heap_take(size);
  size_t have = ((block *)data - 1)->size - sizeof(block);
  if (size <= have) return data;
  void *moved = heap_take(size);
  if (!moved) return NULL;
  memcpy(moved, data, have);
  heap_give(data);
  return moved;
}

size_t heap_largest(void) {
  size_t largest = 0;
  if (!furthest) begin();
  for (const block *b = first; b; b = b->next)
    if (b->size > largest) largest = b->size;
  return largest > sizeof(block) ? largest - sizeof(block) : 0;
}

size_t heap_peak(void) { return furthest ? (size_t)(furthest - (char *)heap_begin) : 0; }
