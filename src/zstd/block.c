/* Zstd's decoder of blocks, 64 bits at a time. */
#include "wide.h"

/* Addresses of 32 bits only matter if a sequence could end beyond the last one: the modules' memory ends so far below
 * it that none does (the linker's largest memory). */
#define MEM_32bits() 0

#include "decompress/zstd_decompress_block.c"
