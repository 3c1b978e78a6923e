/* Zstd's decoder of blocks, 64 bits at a time. That an address has 32 only matters where
 * a sequence could end beyond the last one: the memory ends so far below that none does
 * (--max-memory; heap.c). */
#include "../web/wasm/zstd_wide.h"

#define MEM_32bits() 0

#include "decompress/zstd_decompress_block.c"
