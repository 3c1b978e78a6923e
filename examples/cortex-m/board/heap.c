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

/* With its header; too large for any heap, if that is no size. */
static size_t with_header(size_t size) {
  return size > (size_t)PTRDIFF_MAX ? SIZE_MAX : (size + sizeof(block) + UNIT - 1) / UNIT * UNIT;
}

/* Takes the free block `*link`, or its first `all` bytes, out of the list. */
static block *take_from(block **link, size_t all) {
  block *b = *link;
  if (b->size - all > sizeof(block)) {
    block *rest = (block *)((char *)b + all);
    block after = {b->size - all, b->next};
    *rest = after;
    *link = rest;
    b->size = all;
  } else {
    *link = b->next;
  }
  if (end_of(b) > furthest) furthest = end_of(b);
  return b;
}

void *heap_take(size_t size) {
  if (!furthest) begin();
  size_t all = with_header(size);
  block **link = &first;
  while (*link && (*link)->size < all) link = &(*link)->next;
  return *link ? take_from(link, all) + 1 : NULL;
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

/* Whether the block could be made larger where it is. */
static int grows(block *b, size_t all) {
  block **link = &first;
  while (*link && (char *)*link < end_of(b)) link = &(*link)->next;
  if (!*link || (char *)*link != end_of(b) || (*link)->size < all - b->size) return 0;
  b->size += take_from(link, all - b->size)->size;
  return 1;
}

void *heap_resize(void *data, size_t size) {
  if (!data) return heap_take(size);
  block *b = (block *)data - 1;
  size_t have = b->size - sizeof(block), all = with_header(size);
  if (size <= have || (all != SIZE_MAX && grows(b, all))) return data;
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
