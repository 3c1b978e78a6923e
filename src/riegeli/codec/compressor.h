/* The writing side of decompressor.h: none, Brotli, Zstd. */
#ifndef CPB_RIEGELI_CODEC_COMPRESSOR_H
#define CPB_RIEGELI_CODEC_COMPRESSOR_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/records.h"
#include "riegeli/codec/codec.h"

typedef struct cpb_compressor cpb_compressor;

enum { CPB_NUM_CODECS = CPB_CODEC_SNAPPY + 1 }; /* of cpb_codec */

/* NULL with `*error` set when an option is out of range (USAGE), for Snappy
 * (UNSUPPORTED: it is read only) or when memory is short. */
cpb_compressor *cpb_compressor_new(const cpb_allocator *a, const cpb_codec_options *options, cpb_codec_error *error);
void cpb_compressor_free(cpb_compressor *c);

/* Begins a buffer of exactly `size` bytes: the varint with that size (unless
 * the codec is none) goes in front of what cpb_compressor_write gives. With the
 * size known in advance the codecs choose windows to fit. */
bool cpb_compressor_begin(cpb_compressor *c, uint64_t size, cpb_codec_error *error);

/* Compresses `in` and appends what is ready to `out` (which the caller may
 * empty between calls, so that a large buffer streams). */
bool cpb_compressor_write(cpb_compressor *c, cpb_span in, cpb_buffer *out, cpb_codec_error *error);

/* After exactly `size` bytes were written: appends the rest. */
bool cpb_compressor_finish(cpb_compressor *c, cpb_buffer *out, cpb_codec_error *error);

/* The byte that names the codec in the file. */
uint8_t cpb_compressor_type(const cpb_compressor *c);

#endif
