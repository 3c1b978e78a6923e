/* The codecs against the libraries' own one-shot functions, in pieces, damaged,
 * short of memory and over the limits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <snappy-c.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "failing_allocator.h"
#include "riegeli/compressor.h"
#include "riegeli/decompressor.h"

enum { BIG = 400000 };

static const char codec_types[] = {CPB_RIEGELI_NONE, CPB_RIEGELI_BROTLI, CPB_RIEGELI_ZSTD,
                                   CPB_RIEGELI_SNAPPY};

static uint32_t next_random(uint32_t *seed) { return (*seed = *seed * 1664525 + 1013904223) >> 8; }

/* Text-like bytes: words that come again at all distances, runs, noise. */
static void fill(uint8_t *data, size_t size, uint32_t seed) {
  for (size_t at = 0; at < size;) {
    size_t n = 1 + next_random(&seed) % 80, kind = next_random(&seed) % 8;
    if (n > size - at) n = size - at;
    size_t back = at == 0 ? 0 : 1 + next_random(&seed) * (uint64_t)977 % at;
    if (kind == 1) back = at == 0 ? 0 : 1 + next_random(&seed) % (at < 40 ? at : 40);
    for (size_t i = 0; i < n; i++, at++) {
      data[at] = kind >= 6 || back == 0 ? (uint8_t)next_random(&seed) : data[at - back];
    }
  }
}

/* --- What the libraries make of data: a buffer as it is in a file ------------- */

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static bytes compress_by_library(char type, const uint8_t *data, size_t size, int level) {
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
static bytes compress_zstd_without_size(const uint8_t *data, size_t size, int window_log) {
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

static bool decompress_by_library(uint8_t type, cpb_span in, uint8_t *out, size_t size) {
  if (type == CPB_RIEGELI_NONE) {
    if (size > 0) memcpy(out, in.data, size);
    return in.size == size;
  }
  uint64_t claimed = 0;
  const uint8_t *p = cpb_varint_read(in.data, in.data + in.size, &claimed);
  if (p == NULL || claimed != size) return false;
  size_t left = in.size - (size_t)(p - in.data), n = size;
  if (type == CPB_RIEGELI_ZSTD) return ZSTD_decompress(out, size, p, left) == size;
  BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
  BrotliDecoderSetParameter(state, BROTLI_DECODER_PARAM_LARGE_WINDOW, 1);
  bool ok = BrotliDecoderDecompressStream(state, &left, &p, &n, &out, NULL) ==
                BROTLI_DECODER_RESULT_SUCCESS && n == 0 && left == 0;
  BrotliDecoderDestroyInstance(state);
  return ok;
}

/* --- Decompressing ------------------------------------------------------------ */

typedef struct result {
  cpb_codec_error error;
  uint8_t *data;
  size_t size;
} result;

/* Feeds `in` and takes output in pieces of at most `max_in` and `max_out`. */
static result decompress_pieces(cpb_decompressor *d, cpb_span in, size_t room, size_t max_in,
                                size_t max_out, uint32_t seed) {
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
static result decompress_in_place(cpb_decompressor *d, cpb_span in, size_t room, size_t max_in,
                                  uint32_t seed) {
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

static cpb_buffer new_buffer(const cpb_allocator *a) {
  cpb_buffer buffer;
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_buffer_init(&buffer, &allocator);
  return buffer;
}

static void expect_all(char type, bytes in, const uint8_t *data, size_t size) {
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

static void decodes_what_the_libraries_encode(void **state) {
  (void)state;
  static uint8_t data[BIG];
  fill(data, BIG, 1);
  const size_t sizes[] = {0, 1, 15, 100, 65535, 65536, 65537, 131072 + 5, BIG};
  const size_t pieces[][2] = {{1, 1}, {3, 70000}, {70000, 7}, {700, 900}, {BIG, BIG}, {BIG * 2, BIG * 2}};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, 0, 0, &error);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t t = 0; t < sizeof codec_types; t++) {
      bytes in = compress_by_library(codec_types[t], data, sizes[s], 1 + (int)s);
      expect_all(codec_types[t], in, data, sizes[s]);
      for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        if (sizes[s] > 70000 && p == 0) continue;
        assert_true(cpb_decompressor_reset(d, (uint8_t)codec_types[t], in.size, &error));
        result r = decompress_pieces(d, (cpb_span){in.data, in.size}, sizes[s], pieces[p][0], pieces[p][1],
                                     (uint32_t)(s * 100 + p));
        assert_int_equal(r.error.code, CPB_OK);
        assert_int_equal(cpb_decompressor_claimed(d), sizes[s]);
        assert_int_equal(r.size, sizes[s]);
        assert_memory_equal(r.data, data, r.size);
        free(r.data);
      }
      free(in.data);
    }
  }
  cpb_decompressor_free(d);
}

static void decodes_zstd_frames_without_content_size(void **state) {
  (void)state;
  static uint8_t data[BIG];
  fill(data, BIG, 2);
  bytes in = compress_zstd_without_size(data, BIG, 17);
  expect_all('z', in, data, BIG);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, 'z', in.size, &error);
  result r = decompress_pieces(d, (cpb_span){in.data, in.size}, BIG, 3000, 5000, 3);
  assert_int_equal(r.error.code, CPB_OK);
  assert_memory_equal(r.data, data, BIG);
  free(r.data);
  cpb_decompressor_free(d);
  free(in.data);
}

static void decodes_in_place_from_pieces(void **state) {
  (void)state;
  static uint8_t data[BIG];
  fill(data, BIG, 12);
  const size_t pieces[] = {1, 3, 5000, 70000, 2 * BIG};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, 0, 0, &error);
  for (size_t t = 0; t <= sizeof codec_types; t++) {
    char type = t == sizeof codec_types ? 'z' : codec_types[t];
    bytes in = t == sizeof codec_types ? compress_zstd_without_size(data, BIG, 17)
                                       : compress_by_library(type, data, BIG, 3);
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
      assert_true(cpb_decompressor_reset(d, (uint8_t)type, in.size, &error));
      result r = decompress_in_place(d, (cpb_span){in.data, in.size}, BIG, pieces[p], (uint32_t)p);
      assert_int_equal(r.error.code, CPB_OK);
      assert_true(cpb_decompressor_done(d));
      assert_int_equal(r.size, BIG);
      assert_memory_equal(r.data, data, BIG);
      free(r.data);
      assert_true(cpb_decompressor_reset(d, (uint8_t)type, in.size, &error));
      r = decompress_in_place(d, (cpb_span){in.data, in.size}, BIG - 10, pieces[p], (uint32_t)p);
      assert_true(r.error.code == CPB_E_DAMAGED || r.size > BIG - 10); /* there is more */
      free(r.data);
    }
    free(in.data);
  }
  cpb_decompressor_free(d);
}

static void size_in_front_may_lie(void **state) {
  (void)state;
  static uint8_t data[5000];
  fill(data, sizeof data, 3);
  const uint64_t lies[] = {0, 1, 4999, 5001, (uint64_t)1 << 40, UINT64_MAX};
  for (size_t t = 1; t < sizeof codec_types; t++) {
    bytes honest = compress_by_library(codec_types[t], data, sizeof data, 5);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
      bytes in = {malloc(honest.size + CPB_VARINT_MAX), 0};
      uint8_t *to = cpb_varint_write(in.data, lies[i]);
      memcpy(to, honest.data + 2, honest.size - 2);
      in.size = (size_t)(to - in.data) + honest.size - 2;
      expect_all(codec_types[t], in, data, sizeof data);
      free(in.data);
    }
    free(honest.data);
  }
}

static const char *why(char type, const void *data, size_t size, uint64_t max, const cpb_limits *limits,
                       cpb_code code) {
  cpb_buffer out = new_buffer(NULL);
  cpb_codec_error error = {CPB_OK, NULL};
  assert_false(cpb_decompress_all(NULL, limits, (uint8_t)type, (cpb_span){data, size}, max, &out, &error));
  assert_int_equal(error.code, code);
  assert_int_equal(out.size, 0);
  cpb_buffer_free(&out);
  return error.what;
}

static void each_fault_has_its_text(void **state) {
  (void)state;
  static uint8_t data[3000];
  fill(data, sizeof data, 4);
  for (size_t t = 0; t < sizeof codec_types; t++) {
    char type = codec_types[t];
    bytes in = compress_by_library(type, data, sizeof data, 5);
    in.data = realloc(in.data, in.size + 1);
    in.data[in.size] = 0;
    assert_string_equal(why(type, in.data, in.size, 2999, NULL, CPB_E_DAMAGED),
                        "more decompressed data than expected");
    if (type == CPB_RIEGELI_NONE) {
      free(in.data);
      continue;
    }
    assert_non_null(strstr(why(type, in.data, in.size - 1, 3000, NULL, CPB_E_DAMAGED), "ends early"));
    assert_non_null(strstr(why(type, in.data, in.size + 1, 3000, NULL, CPB_E_DAMAGED), "bytes after the end"));
    assert_string_equal(why(type, in.data, 1, 3000, NULL, CPB_E_DAMAGED),
                        "the decompressed size in front is missing");
    assert_string_equal(why(type, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, 3000, NULL, CPB_E_DAMAGED),
                        "the decompressed size in front is not a varint");
    free(in.data);
  }
  assert_string_equal(why('x', "a", 1, 1, NULL, CPB_E_UNSUPPORTED), "unknown compression type");
  assert_string_equal(why('x', "", 0, 1, NULL, CPB_E_DAMAGED), "the decompressed size in front is missing");
  assert_non_null(strstr(why('z', "\1\x27\xb5\x2f\xfd....", 9, 1, NULL, CPB_E_DAMAGED), "no frame"));
  /* A compressed block of 2 bytes in a frame of no content, and so of no window. */
  assert_non_null(strstr(why('z', "\0\x28\xb5\x2f\xfd\x20\0\x15\0\0\0\0", 12, 1, NULL, CPB_E_DAMAGED),
                         "Zstd: "));
}

static void snappy_faults_have_their_texts(void **state) {
  (void)state;
  static const struct {
    const char *block;
    size_t size;
    const char *what;
  } faults[] = {
      {"\xff\xff\xff\xff\x10", 5, "out of range"},
      {"\xff\xff\xff\xff\xff\x01", 6, "no varint"},
      {"\x05\x10" "abcdef", 8, "ends early|"},
      {"\x05\x14" "abcdef", 8, "more data than the block's size"},
      {"\x05\x01\x01", 3, "before the beginning"},
      {"\x05\x00" "a\x01\x02", 5, "before the beginning"},
      {"\x05\x00" "a\x01\x00", 5, "offset 0"},
      {"\x05\x00" "a\x12\x01\x00", 6, "more data than the block's size"},
      {"\x01\xfc\xff\xff\xff\xff", 6, "more data than the block's size"},
      {"\x05\x00" "a\x0f\x01\x00\x00", 6, "ends early"},
      {"\x01\x00" "ab", 4, "bytes after the end"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    uint8_t in[16] = {5};
    memcpy(in + 1, faults[i].block, faults[i].size);
    if (strchr(faults[i].what, '|') != NULL) continue;
    const char *what = why('s', in, 1 + faults[i].size, 100, NULL, CPB_E_DAMAGED);
    if (strstr(what, faults[i].what) == NULL) fail_msg("fault %zu: %s", i, what);
  }
}

/* --- Limits ------------------------------------------------------------------- */

static bool within(char type, bytes in, uint64_t size, uint64_t window, size_t piece, size_t *largest) {
  failing_allocator f = {0};
  cpb_allocator a = failing_allocator_of(&f);
  cpb_limits limits = {.struct_size = sizeof limits, .window = window};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(&a, &limits, (uint8_t)type, in.size, &error);
  result r = decompress_pieces(d, (cpb_span){in.data, in.size}, size, piece, piece, 9);
  cpb_decompressor_free(d);
  free(r.data);
  assert_int_equal(f.blocks, 0);
  *largest = f.largest;
  if (r.error.code == CPB_OK) return true;
  assert_int_equal(r.error.code, CPB_E_LIMIT);
  assert_non_null(strstr(r.error.what, "window"));
  return false;
}

static void windows_above_the_limit_are_refused_before_memory_is_taken(void **state) {
  (void)state;
  enum { SIZE = 12 << 20 };
  uint8_t *data = malloc(SIZE);
  for (uint32_t i = 0, seed = 1; i < SIZE; i++) data[i] = (uint8_t)next_random(&seed);
  size_t largest, n = SIZE + 100000;
  bytes brotli = {malloc(n), 0};
  uint8_t *to = cpb_varint_write(brotli.data, SIZE);
  assert_true(BrotliEncoderCompress(1, 24, BROTLI_MODE_GENERIC, SIZE, data, &n, to));
  brotli.size = n + (size_t)(to - brotli.data);
  assert_true(within('b', brotli, SIZE, 16 << 20, 100000, &largest));
  assert_false(within('b', brotli, SIZE, 4 << 20, 100000, &largest));
  assert_in_range(largest, 0, (6 << 20) + 100);
  bytes zstd = compress_zstd_without_size(data, SIZE, 23);
  assert_true(within('z', zstd, SIZE, 8 << 20, 100000, &largest));
  assert_false(within('z', zstd, SIZE, 4 << 20, 100000, &largest));
  assert_in_range(largest, 0, (6 << 20) + 100);
  free(brotli.data);
  free(zstd.data);
  free(data);
}

static void large_window_over_small_content_needs_little_memory(void **state) {
  (void)state;
  static uint8_t data[BIG];
  fill(data, BIG, 5);
  cpb_codec_error error = {CPB_OK, NULL};
  const cpb_codec_options options = {.codec = CPB_CODEC_BROTLI, .level = 5, .window_log = 30};
  cpb_compressor *c = cpb_compressor_new(NULL, &options, &error);
  cpb_buffer in = new_buffer(NULL);
  assert_true(cpb_compressor_begin(c, BIG, &error));
  assert_true(cpb_compressor_write(c, (cpb_span){data, BIG}, &in, &error));
  assert_true(cpb_compressor_finish(c, &in, &error));
  size_t largest;
  assert_true(within('b', (bytes){in.data, in.size}, BIG, 1 << 20, 1000, &largest));
  assert_in_range(largest, 0, 2 << 20);
  cpb_buffer_free(&in);
  cpb_compressor_free(c);
}

/* 1 byte, then 300,000 more, then a copy of the first: from beyond a window of
 * 64 KiB, whatever the pieces. */
static void snappy_copy_from_beyond_the_window_is_a_limit(void **state) {
  (void)state;
  enum { RUN = 300000 };
  uint8_t *block = malloc(RUN + 100), *p = block;
  p = cpb_varint_write(p, RUN + 65);
  p = cpb_varint_write(p, RUN + 65);
  *p++ = 62 << 2; /* a literal with a length of three bytes */
  *p++ = (RUN - 1) & 255;
  *p++ = (RUN - 1) >> 8 & 255;
  *p++ = (RUN - 1) >> 16;
  for (int i = 0; i < RUN; i++) *p++ = (uint8_t)(i * 7);
  *p++ = 63 << 2 | 3; /* a copy of 64 bytes with an offset of four bytes */
  cpb_store32(p, RUN);
  p += 4;
  *p++ = 0 << 2;
  *p++ = 'x';
  bytes in = {block, (size_t)(p - block)};
  const size_t pieces[] = {10, 1000, 2 * RUN};
  size_t largest;
  for (size_t i = 0; i < 3; i++) {
    assert_false(within('s', in, RUN + 65, 65536, pieces[i], &largest));
    assert_in_range(largest, 0, 2 * 65536);
    assert_true(within('s', in, RUN + 65, RUN + 65, pieces[i], &largest));
  }
  free(block);
}

static void snappy_needs_no_more_than_its_window(void **state) {
  (void)state;
  static uint8_t data[BIG];
  fill(data, BIG, 10);
  bytes in = compress_by_library('s', data, BIG, 1); /* its copies reach back less than 64 KiB */
  const cpb_limits limits = {.struct_size = sizeof limits, .window = 65536};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(NULL, &limits, 's', in.size, &error);
  result r = decompress_pieces(d, (cpb_span){in.data, in.size}, BIG, 5000, 777, 1);
  assert_int_equal(r.error.code, CPB_OK);
  assert_memory_equal(r.data, data, BIG);
  free(r.data);
  cpb_decompressor_free(d);
  free(in.data);
}

static void reading_without_room_or_input_does_no_harm(void **state) {
  (void)state;
  static uint8_t data[BIG], back[BIG];
  fill(data, BIG, 11);
  for (size_t t = 0; t < sizeof codec_types; t++) {
    bytes in = compress_by_library(codec_types[t], data, BIG, 1);
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, (uint8_t)codec_types[t], in.size, &error);
    cpb_span rest = {in.data, in.size}, none = {NULL, 0};
    size_t size = 0;
    for (size_t step = 0; size < BIG; step++) {
      for (int i = 0; i < 40; i++) assert_int_equal(cpb_decompressor_read(d, &rest, NULL, 0), 0);
      for (int i = 0; i < 40 && step % 2 == 0; i++) {
        size_t room = BIG - size < 50 ? BIG - size : 50;
        size += cpb_decompressor_read(d, &none, back + size, room);
      }
      size_t room = BIG - size < 9000 ? BIG - size : 9000;
      size += cpb_decompressor_read(d, &rest, back + size, room);
      assert_int_equal(cpb_decompressor_error(d)->code, CPB_OK);
    }
    assert_true(cpb_decompressor_done(d));
    assert_memory_equal(back, data, BIG);
    cpb_decompressor_free(d);
    free(in.data);
  }
}

static void lying_sizes_take_no_memory(void **state) {
  (void)state;
  const struct {
    char type;
    const char *in;
    size_t size;
  } lies[] = {
      {'s', "\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f\x00" "a", 12},
      {'z', "\xff\xff\xff\xff\x0f\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\x00\x00", 18},
      {'b', "\xff\xff\xff\xff\x0f\x8b\x00\x80" "a\x03", 10},
  };
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    failing_allocator f = {0};
    cpb_allocator a = failing_allocator_of(&f);
    cpb_buffer out = new_buffer(&a);
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_decompress_all(&a, NULL, (uint8_t)lies[i].type, (cpb_span){(const uint8_t *)lies[i].in, lies[i].size},
                       UINT64_MAX, &out, &error);
    cpb_buffer_free(&out);
    assert_in_range(f.largest, 1, 300000);
    assert_int_equal(f.blocks, 0);
  }
}

/* --- Damage ------------------------------------------------------------------- */

/* Decodes in one go and in pieces: the same answer, and never other bytes of
 * the right length where the codec has a checksum. */
static void damaged(char type, cpb_span in, const uint8_t *data, size_t size, bool has_checksum) {
  cpb_buffer out = new_buffer(NULL);
  cpb_codec_error error = {CPB_OK, NULL};
  uint8_t *exact = malloc(in.size + 1); /* ASan: nothing readable behind */
  exact = realloc(exact, in.size > 0 ? in.size : 1);
  if (in.size > 0) memcpy(exact, in.data, in.size);
  cpb_span span = {exact, in.size};
  bool ok = cpb_decompress_all(NULL, NULL, (uint8_t)type, span, size, &out, &error);
  if (ok && has_checksum && out.size == size) assert_memory_equal(out.data, data, size);
  cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, (uint8_t)type, in.size, &error);
  result r = decompress_pieces(d, span, size, 5, 90, (uint32_t)in.size);
  bool ok_in_pieces = r.error.code == CPB_OK && r.size <= size;
  assert_int_equal(ok, ok_in_pieces);
  if (ok) {
    assert_int_equal(r.size, out.size);
    assert_memory_equal(r.data, out.data, r.size);
  }
  free(r.data);
  assert_true(cpb_decompressor_reset(d, (uint8_t)type, in.size, &error));
  r = decompress_in_place(d, span, size, 5, (uint32_t)in.size);
  assert_int_equal(ok, r.error.code == CPB_OK && r.size <= size && cpb_decompressor_done(d));
  if (ok) {
    assert_int_equal(r.size, out.size);
    assert_memory_equal(r.data, out.data, r.size);
  }
  free(r.data);
  cpb_decompressor_free(d);
  cpb_buffer_free(&out);
  free(exact);
}

static void truncations_fail_and_bit_flips_do_no_harm(void **state) {
  (void)state;
  static uint8_t data[700];
  fill(data, sizeof data, 6);
  for (size_t t = 1; t <= 4; t++) {
    char type = t == 4 ? 'z' : codec_types[t];
    bytes in = t == 4 ? compress_zstd_without_size(data, sizeof data, 10)
                      : compress_by_library(type, data, sizeof data, 5);
    for (size_t size = 0; size < in.size; size++) {
      const char *what = why(type, in.data, size, sizeof data, NULL, CPB_E_DAMAGED);
      assert_true(strstr(what, "ends early") != NULL || strstr(what, "missing") != NULL);
    }
    for (size_t bit = 0; bit < in.size * 8; bit++) {
      in.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      damaged(type, (cpb_span){in.data, in.size}, data, sizeof data, t == 4);
      in.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(in.data);
  }
}

/* --- Compressing -------------------------------------------------------------- */

static bool compress(cpb_compressor *c, const uint8_t *data, size_t size, size_t piece, uint32_t seed,
                     cpb_buffer *out, cpb_codec_error *error) {
  if (!cpb_compressor_begin(c, size, error)) return false;
  for (size_t at = 0, n; at < size; at += n) {
    n = piece >= size ? size : next_random(&seed) % (piece + 1);
    if (n > size - at) n = size - at;
    if (!cpb_compressor_write(c, (cpb_span){data + at, n}, out, error)) return false;
  }
  return cpb_compressor_finish(c, out, error);
}

static void libraries_decode_what_is_encoded(void **state) {
  (void)state;
  static uint8_t data[BIG], back[BIG];
  fill(data, BIG, 7);
  const cpb_codec_options all[] = {
      {CPB_CODEC_NONE, 0, 0},      {CPB_CODEC_DEFAULT, 0, 0},   {CPB_CODEC_ZSTD, -5, 0},
      {CPB_CODEC_ZSTD, 1, 10},     {CPB_CODEC_ZSTD, 19, 27},    {CPB_CODEC_ZSTD, 22, 0},
      {CPB_CODEC_BROTLI, 0, 0},    {CPB_CODEC_BROTLI, -1, 0},   {CPB_CODEC_BROTLI, 1, 10},
      {CPB_CODEC_BROTLI, 9, 24},   {CPB_CODEC_BROTLI, 11, 0},   {CPB_CODEC_BROTLI, 5, 30},
  };
  const size_t sizes[] = {0, 1, 300, 65536, BIG};
  const size_t pieces[] = {BIG, 100, 50000};
  for (size_t o = 0; o < sizeof all / sizeof *all; o++) {
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_compressor *c = cpb_compressor_new(NULL, &all[o], &error);
    assert_non_null(c);
    for (size_t i = 0; i < 15; i++) {
      size_t size = sizes[i % 5];
      if (size == BIG && (all[o].level == 11 || all[o].level >= 19)) size = 20000;
      cpb_buffer out = new_buffer(NULL);
      assert_true(compress(c, data, size, pieces[i / 5], (uint32_t)i, &out, &error));
      cpb_span in = {out.data, out.size};
      if (!decompress_by_library(cpb_compressor_type(c), in, back, size)) fail_msg("options %zu, size %zu", o, size);
      assert_memory_equal(back, data, size);
      expect_all((char)cpb_compressor_type(c), (bytes){out.data, out.size}, data, size);
      cpb_buffer_free(&out);
    }
    cpb_compressor_free(c);
  }
}

static void wrong_options_and_sizes_are_usage_errors(void **state) {
  (void)state;
  const struct {
    cpb_codec_options options;
    cpb_code code;
  } wrong[] = {
      {{CPB_CODEC_SNAPPY, 0, 0}, CPB_E_UNSUPPORTED}, {{(cpb_codec)77, 0, 0}, CPB_E_USAGE},
      {{CPB_CODEC_ZSTD, 23, 0}, CPB_E_USAGE},        {{CPB_CODEC_ZSTD, -131073, 0}, CPB_E_USAGE},
      {{CPB_CODEC_ZSTD, 1, 9}, CPB_E_USAGE},         {{CPB_CODEC_ZSTD, 1, 32}, CPB_E_USAGE},
      {{CPB_CODEC_BROTLI, 12, 0}, CPB_E_USAGE},      {{CPB_CODEC_BROTLI, -2, 0}, CPB_E_USAGE},
      {{CPB_CODEC_BROTLI, 5, 31}, CPB_E_USAGE},      {{CPB_CODEC_BROTLI, 5, 9}, CPB_E_USAGE},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cpb_codec_error error = {CPB_OK, NULL};
    assert_null(cpb_compressor_new(NULL, &wrong[i].options, &error));
    assert_int_equal(error.code, wrong[i].code);
  }
  const cpb_codec_options zstd = {.codec = CPB_CODEC_ZSTD};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = cpb_compressor_new(NULL, &zstd, &error);
  cpb_buffer out = new_buffer(NULL);
  assert_true(cpb_compressor_begin(c, 2, &error));
  assert_false(cpb_compressor_finish(c, &out, &error));
  assert_int_equal(error.code, CPB_E_USAGE);
  assert_false(cpb_compressor_write(c, (cpb_span){(const uint8_t *)"abc", 3}, &out, &error));
  assert_int_equal(error.code, CPB_E_USAGE);
  cpb_buffer_free(&out);
  cpb_compressor_free(c);
}

/* --- Memory ------------------------------------------------------------------- */

static cpb_code round_trip(const cpb_allocator *a, const cpb_codec_options *options, const uint8_t *data,
                           size_t size, size_t piece) {
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_buffer packed = new_buffer(a), out = new_buffer(a);
  cpb_compressor *c = cpb_compressor_new(a, options, &error);
  if (c != NULL && compress(c, data, size, piece, 1, &packed, &error) &&
      cpb_decompress_all(a, NULL, cpb_compressor_type(c), (cpb_span){packed.data, packed.size}, size, &out,
                         &error)) {
    assert_memory_equal(out.data, data, size);
  }
  cpb_compressor_free(c);
  cpb_buffer_free(&packed);
  cpb_buffer_free(&out);
  return error.code;
}

static cpb_code snappy_in_pieces(const cpb_allocator *a, bytes in, size_t size) {
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(a, NULL, 's', in.size, &error);
  if (d == NULL) return error.code;
  result r = decompress_pieces(d, (cpb_span){in.data, in.size}, size, 3000, 3000, 1);
  free(r.data);
  cpb_decompressor_free(d);
  return r.error.code;
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  static uint8_t data[70000];
  fill(data, sizeof data, 8);
  const cpb_codec_options all[] = {
      {CPB_CODEC_NONE, 0, 0}, {CPB_CODEC_ZSTD, 3, 0}, {CPB_CODEC_BROTLI, 2, 0},
      {CPB_CODEC_BROTLI, 6, 0}, {CPB_CODEC_BROTLI, 10, 0},
  };
  bytes snappy = compress_by_library('s', data, sizeof data, 1);
  for (size_t o = 0; o <= sizeof all / sizeof *all; o++) {
    for (size_t mode = 0; mode < 4; mode++) {
      size_t size = o == 4 ? 5000 : sizeof data;
      for (size_t n = 1;; n++) {
        failing_allocator f = {.fail_at = n, .for_ever = mode % 2 != 0};
        cpb_allocator a = failing_allocator_of(&f);
        cpb_code code = o < sizeof all / sizeof *all
                            ? round_trip(&a, &all[o], data, size, mode < 2 ? size : 9000)
                            : snappy_in_pieces(&a, snappy, size);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(code, f.calls < n ? CPB_OK : CPB_E_MEMORY);
        if (f.calls < n) break;
      }
    }
  }
  free(snappy.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decodes_what_the_libraries_encode),
      cmocka_unit_test(decodes_zstd_frames_without_content_size),
      cmocka_unit_test(decodes_in_place_from_pieces),
      cmocka_unit_test(size_in_front_may_lie),
      cmocka_unit_test(each_fault_has_its_text),
      cmocka_unit_test(snappy_faults_have_their_texts),
      cmocka_unit_test(windows_above_the_limit_are_refused_before_memory_is_taken),
      cmocka_unit_test(large_window_over_small_content_needs_little_memory),
      cmocka_unit_test(snappy_copy_from_beyond_the_window_is_a_limit),
      cmocka_unit_test(snappy_needs_no_more_than_its_window),
      cmocka_unit_test(reading_without_room_or_input_does_no_harm),
      cmocka_unit_test(lying_sizes_take_no_memory),
      cmocka_unit_test(truncations_fail_and_bit_flips_do_no_harm),
      cmocka_unit_test(libraries_decode_what_is_encoded),
      cmocka_unit_test(wrong_options_and_sizes_are_usage_errors),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
