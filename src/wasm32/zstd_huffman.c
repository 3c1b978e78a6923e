/* Zstd's decoder of Huffman codes. */
#include "zstd_wide.h"

#include "decompress/huf_decompress.c"
