/* zstd_block.c without its second copy for literals that are split between two buffers: all literals of a block fit
 * into the one that ZSTD_DECODER_INTERNAL_BUFFER gives, so the comparison never succeeds. */
#include "wide.h"

#include "decompress/zstd_decompress_internal.h"

_Static_assert(ZSTD_LITBUFFEREXTRASIZE >= ZSTD_BLOCKSIZE_MAX, "literals would be split");
#define ZSTD_split (-1LL)

#include "block.c"
