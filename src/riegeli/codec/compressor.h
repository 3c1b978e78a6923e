/* Writes the compressed buffers of Riegeli chunks: none, Brotli, Zstd, Snappy. */
#ifndef CPB_RIEGELI_CODEC_COMPRESSOR_H
#define CPB_RIEGELI_CODEC_COMPRESSOR_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/records.h"
#include "riegeli/codec/codec.h"

typedef struct cpb_compressor cpb_compressor;

/* NULL with `*error` set: CPB_E_USAGE for an option out of range, CPB_E_UNSUPPORTED for a codec that this build cannot
 * write, CPB_E_MEMORY. */
cpb_compressor *cpb_compressor_new(const cpb_allocator *a, const cpb_codec_options *options, cpb_codec_error *error);
void cpb_compressor_free(cpb_compressor *c);

/* Begins a buffer of exactly `size` bytes. With any codec but none, the first write puts that size as a varint before
 * the stream. The codecs know the size, and choose a suitable window. CPB_E_LIMIT for 4 GiB or more with Snappy;
 * CPB_E_MEMORY. */
bool cpb_compressor_begin(cpb_compressor *c, uint64_t size, cpb_codec_error *error);

/* Compresses `in` and appends the available output to `out`, which the caller may empty between calls, so that a large
 * buffer streams. */
bool cpb_compressor_write(cpb_compressor *c, cpb_span in, cpb_buffer *out, cpb_codec_error *error);

/* Call it after exactly `size` bytes were written: appends the rest. */
bool cpb_compressor_finish(cpb_compressor *c, cpb_buffer *out, cpb_codec_error *error);

/* The byte that names the codec in the file. */
uint8_t cpb_compressor_type(const cpb_compressor *c);

#endif
