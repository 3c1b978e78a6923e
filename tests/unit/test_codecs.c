/* Decompressing what the libraries' own one-shot functions made: in pieces, damaged
 * and over the limits. */
#include "codec_cases.h"
#include "riegeli/codec/compressor.h"
#include "stride.h"

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
    bytes in =
        t == sizeof codec_types ? compress_zstd_without_size(data, BIG, 17) : compress_by_library(type, data, BIG, 3);
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
    assert_string_equal(why(type, in.data, in.size, 2999, NULL, CPB_E_DAMAGED), "more decompressed data than expected");
    if (type == CPB_RIEGELI_NONE) {
      free(in.data);
      continue;
    }
    assert_non_null(strstr(why(type, in.data, in.size - 1, 3000, NULL, CPB_E_DAMAGED), "ends early"));
    assert_non_null(strstr(why(type, in.data, in.size + 1, 3000, NULL, CPB_E_DAMAGED), "bytes after the end"));
    assert_string_equal(why(type, in.data, 1, 3000, NULL, CPB_E_DAMAGED), "the decompressed size is missing");
    assert_string_equal(why(type, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, 3000, NULL, CPB_E_DAMAGED),
                        "the decompressed size is not a varint");
    free(in.data);
  }
  assert_string_equal(why('x', "a", 1, 1, NULL, CPB_E_UNSUPPORTED), "unknown compression type");
  assert_string_equal(why('x', "", 0, 1, NULL, CPB_E_DAMAGED), "the decompressed size is missing");
  assert_non_null(strstr(why('z', "\1\x27\xb5\x2f\xfd....", 9, 1, NULL, CPB_E_DAMAGED), "no frame"));
  /* A compressed block of 2 bytes in a frame of no content, and so of no window. */
  assert_non_null(strstr(why('z', "\0\x28\xb5\x2f\xfd\x20\0\x15\0\0\0\0", 12, 1, NULL, CPB_E_DAMAGED), "Zstd: "));
}

static void snappy_faults_have_their_texts(void **state) {
  (void)state;
  static const struct {
    const char *block;
    size_t size;
    const char *what;
  } faults[] = {
      {"\xff\xff\xff\xff\x10", 5, "out of range"},
      {"\xff\xff\xff\xff\xff\x01", 6, "not a varint"},
      {"\x05\x10"
       "abcdef",
       8, "ends early|"},
      {"\x05\x14"
       "abcdef",
       8, "more data than the block's size"},
      {"\x05\x01\x01", 3, "past the beginning"},
      {"\x05\x00"
       "a\x01\x02",
       5, "past the beginning"},
      {"\x05\x00"
       "a\x01\x00",
       5, "has the offset 0"},
      {"\x05\x00"
       "a\x12\x01\x00",
       6, "more data than the block's size"},
      {"\x01\xfc\xff\xff\xff\xff", 6, "more data than the block's size"},
      {"\x05\x00"
       "a\x0f\x01\x00\x00",
       6, "ends early"},
      {"\x01\x00"
       "ab",
       4, "bytes after the end"},
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

/* In one piece, with room for all, libzstd would need no window. */
static void a_frame_is_refused_for_its_window_whole_and_in_pieces(void **state) {
  (void)state;
  static const uint8_t frame[] = "\x05\x28\xb5\x2f\xfd\0\xa8\x29\0\0hello"; /* 2 GiB for 5 bytes */
  const size_t size = sizeof frame - 1;
  const cpb_limits limits = {.struct_size = sizeof limits, .window = 1 << 20};
  for (size_t first = 0; first <= size; first++) {
    uint8_t out[6];
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_decompressor *d = cpb_decompressor_new(NULL, &limits, 'z', size, &error);
    cpb_span in = {frame, first}, rest = {frame + first, size - first};
    if (first > 0) cpb_decompressor_read(d, &in, out, sizeof out);
    if (rest.size > 0) cpb_decompressor_read(d, &rest, out, sizeof out);
    if (cpb_decompressor_error(d)->code != CPB_E_LIMIT) fail_msg("cut after %zu bytes", first);
    cpb_decompressor_free(d);
  }
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
      {'s',
       "\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f\x00"
       "a",
       12},
      {'z', "\xff\xff\xff\xff\x0f\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\x00\x00", 18},
      {'b',
       "\xff\xff\xff\xff\x0f\x8b\x00\x80"
       "a\x03",
       10},
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
    bytes in =
        t == 4 ? compress_zstd_without_size(data, sizeof data, 10) : compress_by_library(type, data, sizeof data, 5);
    for (size_t size = 0; size < in.size; size += sanitized_stride(5)) {
      const char *what = why(type, in.data, size, sizeof data, NULL, CPB_E_DAMAGED);
      assert_true(strstr(what, "ends early") != NULL || strstr(what, "missing") != NULL);
    }
    for (size_t bit = 0; bit < in.size * 8; bit += sanitized_stride(11)) {
      in.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      damaged(type, (cpb_span){in.data, in.size}, data, sizeof data, t == 4);
      in.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(in.data);
  }
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
      cmocka_unit_test(a_frame_is_refused_for_its_window_whole_and_in_pieces),
      cmocka_unit_test(large_window_over_small_content_needs_little_memory),
      cmocka_unit_test(snappy_copy_from_beyond_the_window_is_a_limit),
      cmocka_unit_test(snappy_needs_no_more_than_its_window),
      cmocka_unit_test(reading_without_room_or_input_does_no_harm),
      cmocka_unit_test(lying_sizes_take_no_memory),
      cmocka_unit_test(truncations_fail_and_bit_flips_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
