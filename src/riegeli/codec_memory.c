#include "riegeli/codec_memory.h"

/* Beside the window: input and output blocks, Huffman tables, the context. */
#define TABLES ((uint64_t)2 << 20)

void cpb_codec_memory_init(cpb_codec_memory *memory, const cpb_allocator *a, uint64_t window) {
  memory->allocator = *a;
  memory->window = window;
  memory->refused = false;
}

void *cpb_codec_allocate(void *opaque, size_t size) {
  cpb_codec_memory *memory = opaque;
  if (size > TABLES && size - TABLES > memory->window) {
    memory->refused = true;
    return NULL;
  }
  return cpb_alloc(&memory->allocator, size);
}

void cpb_codec_release(void *opaque, void *block) {
  cpb_codec_memory *memory = opaque;
  cpb_release(&memory->allocator, block);
}

void cpb_codec_no_memory(const cpb_codec_memory *memory, cpb_codec_error *error, const char *limit) {
  if (memory->refused) {
    cpb_codec_fail(error, CPB_E_LIMIT, limit);
  } else {
    cpb_codec_fail(error, CPB_E_MEMORY, "out of memory");
  }
}
