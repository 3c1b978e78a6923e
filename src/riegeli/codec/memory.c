#include "riegeli/codec/codec.h"

#include <stdalign.h>

#include "base/checked.h"

/* The size of a block besides the window: the context, tables, input and output blocks. */
#define TABLES ((uint64_t)2 << 20)
/* The default number of kept blocks, and their total size. Blocks smaller than KEEP_LEAST do not displace others. */
#define KEEP_LEAST ((size_t)4 << 10)
#define KEEP_BLOCKS 32
#define KEEP_BYTES ((uint64_t)2 << 20)

typedef struct cpb_codec_block {
  alignas(max_align_t) struct cpb_codec_block *next;
  struct cpb_codec_block **link; /* the pointer to this block */
  size_t size;
} block;

static void list_push(block **list, block *b) {
  b->next = *list;
  b->link = list;
  if (b->next) b->next->link = &b->next;
  *list = b;
}

static void list_remove(block *b) {
  *b->link = b->next;
  if (b->next) b->next->link = b->link;
}

void cpb_codec_memory_init(cpb_codec_memory *memory, const cpb_allocator *a, uint64_t window) {
  *memory = (cpb_codec_memory){.allocator = *a, .window = window, .keep = cpb_min_u64(KEEP_BYTES, window)};
}

static block *take_kept(cpb_codec_memory *memory, block *b) {
  list_remove(b);
  memory->kept_size -= b->size;
  memory->kept_count--;
  return b;
}

void cpb_codec_memory_free(cpb_codec_memory *memory) {
  while (memory->kept) cpb_release(&memory->allocator, take_kept(memory, memory->kept));
}

void cpb_codec_memory_abandon(cpb_codec_memory *memory) {
  while (memory->lent) cpb_codec_release(memory, memory->lent + 1);
}

/* A kept block that is large enough, but at most twice the size, or NULL. */
static block *find_kept(cpb_codec_memory *memory, size_t size) {
  block *b = memory->kept;
  while (b && (b->size < size || b->size / 2 > size)) b = b->next;
  return b ? take_kept(memory, b) : NULL;
}

static block *new_block(cpb_codec_memory *memory, size_t size) {
  size_t total;
  if (size > TABLES && size - TABLES > memory->window) {
    memory->refused = true;
    return NULL;
  }
  if (!cpb_add_size(size, sizeof(block), &total)) return NULL;
  block *b = cpb_alloc(&memory->allocator, total);
  if (!b && memory->frugal && memory->kept) { /* kept blocks are freed first */
    cpb_codec_memory_free(memory);
    b = cpb_alloc(&memory->allocator, total);
  }
  if (b) b->size = size;
  return b;
}

void *cpb_codec_allocate(void *opaque, size_t size) {
  cpb_codec_memory *memory = opaque;
  block *b = find_kept(memory, size);
  if (!b) b = new_block(memory, size);
  if (!b) {
    if (memory->escape) memory->escape(memory->escape_user);
    return NULL;
  }
  list_push(&memory->lent, b);
  return b + 1;
}

static void release_oldest(cpb_codec_memory *memory) {
  block *b = memory->kept;
  while (b->next) b = b->next;
  cpb_release(&memory->allocator, take_kept(memory, b));
}

void cpb_codec_release(void *opaque, void *address) {
  cpb_codec_memory *memory = opaque;
  if (!address) return;
  block *b = (block *)address - 1;
  list_remove(b);
  if (b->size < KEEP_LEAST && memory->kept_count >= KEEP_BLOCKS) {
    cpb_release(&memory->allocator, b);
    return;
  }
  list_push(&memory->kept, b);
  memory->kept_size += b->size;
  memory->kept_count++;
  while (memory->kept_count > KEEP_BLOCKS || memory->kept_size > memory->keep) release_oldest(memory);
}

void cpb_codec_no_memory(const cpb_codec_memory *memory, cpb_codec_error *error, const char *limit) {
  if (memory->refused) cpb_codec_fail(error, CPB_E_LIMIT, limit);
  else cpb_codec_fail(error, CPB_E_MEMORY, "out of memory");
}
