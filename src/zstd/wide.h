/* Zstd holds as many bits at a time as an address has. WebAssembly's addresses have 32,
 * its registers 64: with these, bits are loaded half as often. To be included first. */
#ifndef CPB_ZSTD_WIDE_H
#define CPB_ZSTD_WIDE_H

#include "common/bits.h"
#include "common/compiler.h"
#include "common/debug.h"
#include "common/error_private.h"
#include "common/mem.h"

#define MEM_64bits() 1
#define MEM_readLEST(bytes) MEM_readLE64(bytes)

#define size_t U64
#include "common/bitstream.h"
#undef size_t

#endif
