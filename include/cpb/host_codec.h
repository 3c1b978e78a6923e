/* cpb/host_codec.h: decoding by the host, for a build with CPB_CODECS=host.
 *
 * Such a build holds no codec but Snappy's decoder: Brotli and Zstd are decoded
 * by the one function below, which the program that uses libcpb defines (a
 * WebAssembly module imports it as `decode` from `codec`), and neither is
 * written. A whole buffer is decoded at once, so both it and what it becomes
 * are held in memory: the latter is bounded by cpb_limits.riegeli_chunk, and
 * nothing is allocated for it before all of the compressed bytes have arrived. */
#ifndef CPB_HOST_CODEC_H
#define CPB_HOST_CODEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Any other negative number says that the data is damaged. */
#define CPB_HOST_DECODE_DAMAGED (-1)
#define CPB_HOST_DECODE_UNSUPPORTED (-2) /* the host has no such decoder */
#define CPB_HOST_DECODE_MEMORY (-3)

/* Decodes the one Brotli stream (codec 'b', its window perhaps a large one) or
 * Zstd frame (codec 'z') in src[0, src_size) to `dst`, which has room for the
 * size that the file claims: `dst_size`, at most 2^31 - 1. Returns how many
 * bytes it wrote, or a negative number; more than fit are damage, and so are
 * bytes after the end. */
#ifdef __wasm__
__attribute__((import_module("codec"), import_name("decode")))
#endif
int32_t
cpb_host_decode(int32_t codec, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size);

#ifdef __cplusplus
}
#endif
#endif
