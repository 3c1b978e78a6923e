/* Codecs against the libraries that they are made of: data, buffers as they are in
 * a file, and readers of them in pieces. */
#ifndef CPB_TEST_CODEC_CASES_H
#define CPB_TEST_CODEC_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <brotli/encode.h>
#include <snappy-c.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "failing_allocator.h"
#include "riegeli/codec/compressor.h"
#include "riegeli/codec/decompressor.h"

enum { BIG = 400000 };

static const char codec_types[] = {CPB_RIEGELI_NONE, CPB_RIEGELI_BROTLI, CPB_RIEGELI_ZSTD, CPB_RIEGELI_SNAPPY};
_Static_assert(sizeof codec_types == CPB_NUM_CODECS - 1, "each codec but CPB_CODEC_DEFAULT is tested");

static inline uint32_t next_random(uint32_t *seed) { return (*seed = *seed * 1664525 + 1013904223) >> 8; }

/* Text-like bytes: words that come again at all distances, runs, noise. */
static inline void fill(uint8_t *data, size_t size, uint32_t seed) {
  for (size_t at = 0; at < size;) {
    size_t n = 1 + next_random(&seed) % 80, kind = next_random(&seed) % 8;
    if (n > size - at) n = size - at;
    size_t back = at == 0 ? 0 : 1 + next_random(&seed) * (uint64_t)977 % at;
    if (kind == 1) back = at == 0 ? 0 : 1 + next_random(&seed) % (at < 40 ? at : 40);
    for (size_t i = 0; i < n; i++, at++)
      data[at] = kind >= 6 || back == 0 ? (uint8_t)next_random(&seed) : data[at - back];
  }
}

/* --- What the libraries make of data: a buffer as it is in a file ------------- */

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static inline bytes compress_by_library(char type, const uint8_t *data, size_t size, int level) {
  size_t room = size + size / 2 + 1000;
  bytes out = {malloc(room), 0};
  uint8_t *to = type == CPB_RIEGELI_NONE ? out.data : cpb_varint_write(out.data, size);
  size_t n = room - CPB_VARINT_MAX;
  switch (type) {
    case CPB_RIEGELI_BROTLI:
      assert_true(BrotliEncoderCompress(level, 22, BROTLI_MODE_GENERIC, size, data, &n, to));
      break;
    case CPB_RIEGELI_ZSTD: n = ZSTD_compress(to, n, data, size, level); break;
    case CPB_RIEGELI_SNAPPY: {
      size_t snappy_room = room - CPB_VARINT_MAX;
      assert_int_equal(snappy_compress((const char *)data, size, (char *)to, &snappy_room), SNAPPY_OK);
      n = snappy_room;
      break;
    }
    default:
      if (size > 0) memcpy(to, data, size);
      n = size;
  }
  out.size = (size_t)(to - out.data) + n;
  return out;
}

/* Without the content's size in the frame header, as Riegeli streams it. */
static inline bytes compress_zstd_without_size(const uint8_t *data, size_t size, int window_log) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  bytes out = {malloc(size + 1000), 0};
  uint8_t *to = cpb_varint_write(out.data, size);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_inBuffer in = {data, size, 0};
  ZSTD_outBuffer o = {to, size + 900, 0};
  ZSTD_compressStream2(context, &o, &in, ZSTD_e_continue);
  assert_int_equal(ZSTD_compressStream2(context, &o, &in, ZSTD_e_end), 0);
  ZSTD_freeCCtx(context);
  out.size = (size_t)(to - out.data) + o.pos;
  return out;
}

/* --- Decompressing ------------------------------------------------------------ */

typedef struct result {
  cpb_codec_error error;
  uint8_t *data;
  size_t size;
} result;

/* Feeds `in` and takes output in pieces of at most `max_in` and `max_out`. */
static inline result decompress_pieces(cpb_decompressor *d, cpb_span in, size_t room, size_t max_in, size_t max_out,
                                       uint32_t seed) {
  result r = {.data = malloc(room + 1)};
  for (unsigned idle = 0; idle < 1000; idle++) {
    if (cpb_decompressor_done(d) || cpb_decompressor_error(d)->code != CPB_OK || r.size > room) break;
    size_t give = next_random(&seed) % (max_in + 1), take = next_random(&seed) % (max_out + 1);
    if (give > in.size) give = in.size;
    if (take > room + 1 - r.size) take = room + 1 - r.size;
    uint8_t *lent = malloc(give + 1), *piece = malloc(take + 1); /* exact, so that ASan sees */
    if (give > 0) memcpy(lent, in.data, give);
    cpb_span span = {lent, give};
    size_t n = cpb_decompressor_read(d, &span, piece, take);
    assert_true(n <= take && span.size <= give);
    memcpy(r.data + r.size, piece, n);
    r.size += n;
    size_t used = give - span.size;
    in.data += used;
    in.size -= used;
    if (n > 0 || used > 0) idle = 0;
    free(lent);
    free(piece);
  }
  r.error = *cpb_decompressor_error(d);
  if (r.error.code == CPB_OK) assert_true(cpb_decompressor_done(d) || r.size > room);
  return r;
}

/* Into one buffer that serves as the window, from pieces of at most `max_in`. */
static inline result decompress_in_place(cpb_decompressor *d, cpb_span in, size_t room, size_t max_in, uint32_t seed) {
  result r = {.data = malloc(room + 1)};
  cpb_decompressor_in_place(d);
  for (size_t n = 1, used = 1; n > 0 || used > 0 || in.size > 0;) {
    size_t give = 1 + next_random(&seed) % max_in;
    cpb_span span = {in.data, give < in.size ? give : in.size}, rest = span;
    n = cpb_decompressor_read(d, &rest, r.data + r.size, room + 1 - r.size);
    used = span.size - rest.size;
    r.size += n;
    in = (cpb_span){in.data + used, in.size - used};
    if (cpb_decompressor_error(d)->code != CPB_OK || r.size > room) break;
  }
  r.error = *cpb_decompressor_error(d);
  return r;
}

static inline cpb_buffer new_buffer(const cpb_allocator *a) {
  cpb_buffer buffer;
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_buffer_init(&buffer, &allocator);
  return buffer;
}

static inline void expect_all(char type, bytes in, const uint8_t *data, size_t size) {
  cpb_buffer out = new_buffer(NULL);
  cpb_codec_error error = {CPB_OK, NULL};
  assert_true(cpb_buffer_append(&out, "before", 6));
  bool ok = cpb_decompress_all(NULL, NULL, (uint8_t)type, (cpb_span){in.data, in.size}, size, &out, &error);
  if (!ok) fail_msg("codec %c: %s", type, error.what);
  assert_int_equal(out.size, 6 + size);
  assert_memory_equal(out.data, "before", 6);
  assert_memory_equal(out.data + 6, data, size);
  cpb_buffer_free(&out);
}

#endif
