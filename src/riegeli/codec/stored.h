/* Uncompressed records that the writer does not hold. */
#ifndef CPB_RIEGELI_CODEC_STORED_H
#define CPB_RIEGELI_CODEC_STORED_H

#include <stdint.h>

/* A larger record that fills a chunk alone, uncompressed, is output as it comes where that can be: holding it
 * would take more memory than all else. For smaller ones to write the header once more takes longer. */
#define CPB_STORED_MOST ((uint64_t)1 << 20)

#endif
