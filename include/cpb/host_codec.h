/* cpb/host_codec.h: decoding by the host, in a build with CPB_CODECS=host.
 *
 * Such a build only has the codec Snappy, also for compressing. To decode Brotli
 * and Zstd it calls the function below, which the program that uses libcpb
 * defines; a WebAssembly module imports it as `decode` from the module `codec`.
 * For instance, with libzstd:
 *
 *     int32_t cpb_host_decode(int32_t codec, const uint8_t *src, size_t src_size,
 *                             uint8_t *dst, size_t dst_size) {
 *       if (codec != 'z') return CPB_HOST_DECODE_UNSUPPORTED;
 *       size_t size = ZSTD_decompress(dst, dst_size, src, src_size);
 *       return ZSTD_isError(size) ? CPB_HOST_DECODE_DAMAGED : (int32_t)size;
 *     }
 *
 * The function decodes a whole buffer at once, so input and output are completely
 * in memory. The output is bounded by cpb_limits.riegeli_chunk, and allocated when
 * the whole input has arrived. */
#ifndef CPB_HOST_CODEC_H
#define CPB_HOST_CODEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The data is damaged: this or any other negative number. */
#define CPB_HOST_DECODE_DAMAGED (-1)
/* The host has no decoder for this codec. */
#define CPB_HOST_DECODE_UNSUPPORTED (-2)
/* Memory is short. */
#define CPB_HOST_DECODE_MEMORY (-3)

/* Decodes src[0, src_size): for codec 'b' one Brotli stream, possibly with a large
 * window, for 'z' one Zstd frame. `dst` has room for the size that the file claims,
 * `dst_size`, which is at most 2^31 - 1.
 *
 * Returns the number of bytes written to `dst`, or one of the numbers above. Output that
 * does not fit and bytes after the end of the stream are damage. */
#ifdef __wasm__
__attribute__((import_module("codec"), import_name("decode")))
#endif
int32_t
cpb_host_decode(int32_t codec, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size);

#ifdef __cplusplus
}
#endif
#endif
