/* block.c without its second copy for literals that are split between two buffers: all literals of a block fit
 * into the one that ZSTD_DECODER_INTERNAL_BUFFER gives, so the comparison never succeeds. */
#include "wide.h"

#include "decompress/zstd_decompress_internal.h"

_Static_assert(ZSTD_LITBUFFEREXTRASIZE >= ZSTD_BLOCKSIZE_MAX, "literals would be split");
#define ZSTD_split (-1LL)

/* The loops that the library compiles once more for processors with BMI2 become functions of their own. With
 * everything else of a block in the same function, V8 takes twice as long to compile it. */
#undef DYNAMIC_BMI2
#define DYNAMIC_BMI2 1
#undef BMI2_TARGET_ATTRIBUTE
#define BMI2_TARGET_ATTRIBUTE __attribute__((noinline))
#define ZSTD_DCtx_get_bmi2(dctx) 1

/* A table is made for each block: as in huffman.c. */
static __attribute__((minsize)) void ZSTD_buildFSETable_body_bmi2(ZSTD_seqSymbol *, const short *, unsigned,
                                                                  const U32 *, const U8 *, unsigned, void *, size_t);

#include "block.c"
