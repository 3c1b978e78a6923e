/* Zstd's decoder of blocks, 64 bits at a time. */
#include "wide.h"

/* That an address has 32 only matters where a sequence could end beyond the last one: the
 * modules' memory ends so far below that none does (the linker's largest memory). */
#define MEM_32bits() 0

#include "decompress/zstd_decompress_block.c"
