/* Reads the compressed buffers of Riegeli chunks: one streaming interface for all codecs.
 *
 * With any codec but none, a compressed buffer is a varint with its decompressed size and then one Brotli stream, Zstd
 * frame or Snappy block. The size is not trusted: the caller knows the expected size, and memory grows as output
 * appears. */
#ifndef CPB_RIEGELI_CODEC_DECOMPRESSOR_H
#define CPB_RIEGELI_CODEC_DECOMPRESSOR_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/codec/codec.h"

typedef struct cpb_decompressor cpb_decompressor;

/* A decompressor for the codec `type`, with a total input of `in_size` bytes, including the varint. Its memory comes
 * from `a`, and its window is bounded by limits->window. NULL with `*error` set: CPB_E_UNSUPPORTED for an unknown
 * codec, CPB_E_MEMORY. */
cpb_decompressor *cpb_decompressor_new(const cpb_allocator *a, const cpb_limits *limits, uint8_t type, uint64_t in_size,
                                       cpb_codec_error *error);
void cpb_decompressor_free(cpb_decompressor *d);
/* Whether the codec `type` cannot begin yet, because its dictionary is missing: CPB_NEED_DICTIONARY. */
bool cpb_decompressor_waits(uint8_t type);
/* Prepares it for another buffer; memory is reused if possible. */
bool cpb_decompressor_reset(cpb_decompressor *d, uint8_t type, uint64_t in_size, cpb_codec_error *error);

/* Decodes from `*in`, which it advances, to `out`, and returns the number of bytes written. Fewer than `out_size` means
 * that `in` is used up, that the stream has ended, or that it failed: cpb_decompressor_error(). Input may come in
 * pieces of any size. */
size_t cpb_decompressor_read(cpb_decompressor *d, cpb_span *in, uint8_t *out, size_t out_size);

/* Call it after new or reset. It promises that the output of each read directly follows the output of the one before in
 * one buffer, and that `out_size` is all the room left there. The decoder then uses that buffer as its window. A stream
 * with more output fails, or is cut. */
void cpb_decompressor_in_place(cpb_decompressor *d);

/* The window of the current stream, in bytes; 0 for codec none. */
uint64_t cpb_decompressor_window(const cpb_decompressor *d);

/* From the next stream on, prefers less memory over speed. */
void cpb_decompressor_be_frugal(cpb_decompressor *d);

/* Whether the stream has ended and all `in_size` bytes of the input were used. Bytes after the end of the stream are an
 * error, and so is a stream that ends early. If all expected output is there and this is still false, one more read
 * finds the end. As in Riegeli, the claimed size need not be correct. */
bool cpb_decompressor_done(const cpb_decompressor *d);

const cpb_codec_error *cpb_decompressor_error(const cpb_decompressor *d);

/* Decodes the whole buffer `in` and appends it to `out`, which grows with the output, by at most `max` bytes; more is
 * CPB_E_DAMAGED. */
bool cpb_decompress_all(const cpb_allocator *a, const cpb_limits *limits, uint8_t type, cpb_span in, uint64_t max,
                        cpb_buffer *out, cpb_codec_error *error);

/* The same with an existing decompressor, which is reset. */
bool cpb_decompressor_all(cpb_decompressor *d, uint8_t type, cpb_span in, uint64_t max, cpb_buffer *out,
                          cpb_codec_error *error);

#endif
