/* One streaming interface over the codecs that Riegeli chunks use.
 *
 * A compressed buffer in a Riegeli chunk is, unless the codec is none, a varint
 * with its decompressed size followed by one Brotli stream, Zstd frame or
 * Snappy block. The size in front is not trusted: the caller says what it
 * expects, and memory is taken as output appears. */
#ifndef CPB_RIEGELI_CODEC_DECOMPRESSOR_H
#define CPB_RIEGELI_CODEC_DECOMPRESSOR_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/codec/codec.h"

typedef struct cpb_decompressor cpb_decompressor;

/* A decompressor for codec `type` whose input is `in_size` bytes in all (the
 * varint included). NULL with `*error` set for an unknown codec or no memory.
 * Its memory comes from `a` and is bounded by `limits->window`. */
cpb_decompressor *cpb_decompressor_new(const cpb_allocator *a, const cpb_limits *limits, uint8_t type, uint64_t in_size,
                                       cpb_codec_error *error);
void cpb_decompressor_free(cpb_decompressor *d);
/* Ready for another buffer, reusing what memory it can. */
bool cpb_decompressor_reset(cpb_decompressor *d, uint8_t type, uint64_t in_size, cpb_codec_error *error);

/* Decodes from `*in` (advancing it) into `out`; returns how many bytes it
 * wrote. Fewer than `out_size` means that the input given is used up, or that
 * the stream has ended, or that it failed (cpb_decompressor_error). Input may be given in
 * pieces of any size. */
size_t cpb_decompressor_read(cpb_decompressor *d, cpb_span *in, uint8_t *out, size_t out_size);

/* After new or reset: each read's `out` will be what follows the read before it
 * in one buffer, and `out_size` all that is left there. The decoder then needs no
 * window of its own. A stream with more output than that fails or is cut. */
void cpb_decompressor_in_place(cpb_decompressor *d);

/* How far back the stream that was begun refers; codec none: 0. */
uint64_t cpb_decompressor_window(const cpb_decompressor *d);

/* From the next stream on, less memory counts more than speed. */
void cpb_decompressor_be_frugal(cpb_decompressor *d);

/* The codec's stream has ended (codec none: in_size bytes went through), and
 * all in_size bytes of the input were used. Bytes after the end of the stream
 * and a stream that ends early are errors. When all the output that was
 * expected is there and this is still false, read once more for the end. As in
 * Riegeli, the size in front is a hint that need not be true. */
bool cpb_decompressor_done(const cpb_decompressor *d);

/* The size that the varint in front claims; CPB_NO_OFFSET before it was read.
 * Codec none: in_size. */
uint64_t cpb_decompressor_claimed(const cpb_decompressor *d);

const cpb_codec_error *cpb_decompressor_error(const cpb_decompressor *d);

/* Decodes the whole buffer `in` to the end of `out`, which grows as output
 * appears and by at most `max` bytes (more is DAMAGED). */
bool cpb_decompress_all(const cpb_allocator *a, const cpb_limits *limits, uint8_t type, cpb_span in, uint64_t max,
                        cpb_buffer *out, cpb_codec_error *error);

/* The same with a decompressor at hand, which is reset. */
bool cpb_decompressor_all(cpb_decompressor *d, uint8_t type, cpb_span in, uint64_t max, cpb_buffer *out,
                          cpb_codec_error *error);

#endif
