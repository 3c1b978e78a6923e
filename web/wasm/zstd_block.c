/* Zstd's decoder of blocks without its second copy for literals that are split
 * between two buffers: all of a block's fit into the one that
 * ZSTD_DECODER_INTERNAL_BUFFER gives, so that what is compared with is never met. */
#include "zstd_wide.h"

/* That it has 32 bits only matters where a sequence could end beyond the last address:
 * the modules' memory ends so far below that none does (CPB_WASM_MEMORY). */
#define MEM_32bits() 0

#include "decompress/zstd_decompress_internal.h"

_Static_assert(ZSTD_LITBUFFEREXTRASIZE >= ZSTD_BLOCKSIZE_MAX, "literals would be split");
#define ZSTD_split (-1LL)

#include "decompress/zstd_decompress_block.c"
