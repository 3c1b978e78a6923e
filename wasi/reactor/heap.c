/* malloc for a memory of a few pages: one list of free blocks in the order of their
 * addresses, first fit. The memory grows only when nothing fits, and no further than the
 * host allows. If it cannot grow, the allocation fails without other effects. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PAGE 65536u
#define MAX_PAGES (65536u - 16) /* no sum of an address and what Zstd adds to it is too large (zstd/block.c) */
#define UNIT 16u                /* what a block's size and address are multiples of */

typedef struct block {
  uint32_t size;      /* with this header */
  struct block *next; /* while it is free */
  uint64_t filler;
} block;
_Static_assert(sizeof(block) == UNIT, "a header is one unit");

extern unsigned char __heap_base;
static block *first;
static uint32_t end, max_pages = MAX_PAGES, last;

/* The most pages that the memory may have from now on, including those of its code and
 * stack. Pages that it already has stay. */
__attribute__((export_name("cpb_memory_limit"))) void cpb_memory_limit(uint32_t pages) {
  max_pages = pages < MAX_PAGES ? pages : MAX_PAGES;
}

/* For a host whose memory does not consist of whole pages: the address where it ends, for good.
 * Before anything else is called. */
__attribute__((export_name("cpb_memory_end"))) void cpb_memory_end(uint32_t address) {
  last = address;
  max_pages = 0;
}

static int touches(const block *a, const block *b) { return (const char *)a + a->size == (const char *)b; }

/* Puts a block back between its neighbours, and joins adjacent ones. */
static void put_back(block *b) {
  block **link = &first, *before = NULL;
  while (*link != NULL && *link < b) {
    before = *link;
    link = &before->next;
  }
  b->next = *link;
  *link = b;
  if (b->next != NULL && touches(b, b->next)) {
    b->size += b->next->size;
    b->next = b->next->next;
  }
  if (before != NULL && touches(before, b)) {
    before->size += b->size;
    before->next = b->next;
  }
}

static void add_memory(uint32_t begin, uint32_t size) {
  block *b = (block *)(uintptr_t)begin;
  b->size = size;
  put_back(b);
  end = begin + size;
}

/* Bytes of the free block at the end of the memory. */
static uint32_t free_at_end(void) {
  const block *b = first;
  while (b != NULL && b->next != NULL) b = b->next;
  return b != NULL && (uint32_t)(uintptr_t)b + b->size == end ? b->size : 0;
}

/* Begins with the memory that the linker left free. */
static void begin_heap(void) {
  uint32_t begin = ((uint32_t)(uintptr_t)&__heap_base + UNIT - 1) / UNIT * UNIT;
  uint32_t have = last != 0 ? last / UNIT * UNIT : (uint32_t)__builtin_wasm_memory_size(0) * PAGE;
  if (have > begin) add_memory(begin, have - begin);
}

/* Should the host have made it grow too, what came of that is left to the host. */
static int grow(uint32_t size) {
  uint32_t have = (uint32_t)__builtin_wasm_memory_size(0);
  uint32_t there = end == have * PAGE ? free_at_end() : 0;
  uint32_t more = (size - there + PAGE - 1) / PAGE;
  if (have >= max_pages || more > max_pages - have) return 0;
  if (__builtin_wasm_memory_grow(0, more) == SIZE_MAX) return 0;
  add_memory(have * PAGE, more * PAGE);
  return 1;
}

static block *take(uint32_t size) {
  for (block **link = &first; *link != NULL; link = &(*link)->next) {
    block *b = *link;
    if (b->size < size) continue;
    if (b->size - size < 2 * UNIT) {
      *link = b->next;
      return b;
    }
    block *rest = (block *)((char *)b + size);
    rest->size = b->size - size;
    rest->next = b->next;
    *link = rest;
    b->size = size;
    return b;
  }
  return NULL;
}

void *malloc(size_t size) {
  if (size > INT32_MAX) return NULL;
  uint32_t all = ((uint32_t)size + 2 * UNIT - 1) / UNIT * UNIT;
  if (end == 0) begin_heap();
  block *b = take(all);
  if (b == NULL && grow(all)) b = take(all);
  return b != NULL ? b + 1 : NULL;
}

void free(void *data) {
  if (data != NULL) put_back((block *)data - 1);
}

void *calloc(size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) return NULL;
  void *data = malloc(all);
  return data != NULL ? memset(data, 0, all) : NULL;
}

void *realloc(void *data, size_t size) {
  if (data == NULL) return malloc(size);
  size_t have = ((block *)data - 1)->size - UNIT;
  if (size <= have) return data;
  void *moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, data, have);
  free(data);
  return moved;
}
