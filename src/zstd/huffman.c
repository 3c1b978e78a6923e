/* Zstd's decoder of Huffman codes. The library has another one for 64 bits, which is faster because it does not check
 * that each stream ends where it should: it reads a damaged frame as something else. It is never chosen if registers
 * are declared to have 32 bits, which here changes nothing else. */
#ifdef __wasm__
#  include "wide.h"
#else
#  include "common/bits.h"
#  include "common/bitstream.h"
#  include "common/mem.h"
#endif

#define MEM_32bits() 1

/* Optimized for speed, the code that makes a table is four times as long, and takes V8 longer to compile than to
 * run. */
#ifdef __wasm__
#  include "common/huf.h"
__attribute__((minsize)) size_t HUF_readDTableX1_wksp(HUF_DTable *, const void *, size_t, void *, size_t, int);
#endif

#include "decompress/huf_decompress.c"
