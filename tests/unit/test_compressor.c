/* Compressing, against the libraries' own one-shot functions; and either way short
 * of memory. */
#include <brotli/decode.h>
#include <snappy-c.h>

#include "base/checked.h"
#include "codec_cases.h"
#include "riegeli/codec/compressor.h"

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
  if (type == CPB_RIEGELI_SNAPPY)
    return snappy_uncompress((const char *)p, left, (char *)out, &n) == SNAPPY_OK && n == size;
  BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
  BrotliDecoderSetParameter(state, BROTLI_DECODER_PARAM_LARGE_WINDOW, 1);
  bool ok = BrotliDecoderDecompressStream(state, &left, &p, &n, &out, NULL) == BROTLI_DECODER_RESULT_SUCCESS &&
            n == 0 && left == 0;
  BrotliDecoderDestroyInstance(state);
  return ok;
}

static bool compress(cpb_compressor *c, const uint8_t *data, size_t size, size_t piece, uint32_t seed, cpb_buffer *out,
                     cpb_codec_error *error) {
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
      {CPB_CODEC_NONE, 0, 0},    {CPB_CODEC_DEFAULT, 0, 0}, {CPB_CODEC_ZSTD, -5, 0},   {CPB_CODEC_ZSTD, 1, 10},
      {CPB_CODEC_ZSTD, 19, 27},  {CPB_CODEC_ZSTD, 22, 0},   {CPB_CODEC_BROTLI, 0, 0},  {CPB_CODEC_BROTLI, -1, 0},
      {CPB_CODEC_BROTLI, 1, 10}, {CPB_CODEC_BROTLI, 9, 24}, {CPB_CODEC_BROTLI, 11, 0}, {CPB_CODEC_BROTLI, 5, 30},
      {CPB_CODEC_SNAPPY, 0, 0},  {CPB_CODEC_SNAPPY, 1, 0},  {CPB_CODEC_SNAPPY, 2, 0},
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

/* A stream in two pieces, the second of which may fit into the rest of the buffer. Its matches are near, as those that
 * the size of a small window decides about. */
static void output_does_not_depend_on_the_room_for_it(void **state) {
  (void)state;
  enum { NEAR = 2000, FIRST = 1 << 20, SIZE = FIRST + 700000 };
  const cpb_codec_options all[] = {
      {CPB_CODEC_ZSTD, 0, 10},  {CPB_CODEC_ZSTD, 0, 12},   {CPB_CODEC_ZSTD, 0, 17},   {CPB_CODEC_ZSTD, 0, 0},
      {CPB_CODEC_ZSTD, -5, 10}, {CPB_CODEC_BROTLI, 1, 10}, {CPB_CODEC_BROTLI, 5, 16}, {CPB_CODEC_SNAPPY, 0, 0},
  };
  uint8_t *data = malloc(SIZE);
  for (uint32_t at = 0; at < SIZE; at += NEAR) fill(data + at, cpb_min_size(NEAR, SIZE - at), at);
  for (size_t o = 0; o < sizeof all / sizeof *all; o++) {
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_buffer out[2] = {new_buffer(NULL), new_buffer(NULL)};
    assert_true(cpb_buffer_reserve(&out[1], 2 * SIZE));
    for (size_t i = 0; i < 2; i++) {
      cpb_compressor *c = cpb_compressor_new(NULL, &all[o], &error);
      assert_true(cpb_compressor_begin(c, SIZE, &error));
      assert_true(cpb_compressor_write(c, (cpb_span){data, FIRST}, &out[i], &error));
      assert_true(cpb_compressor_write(c, (cpb_span){data + FIRST, SIZE - FIRST}, &out[i], &error));
      assert_true(cpb_compressor_finish(c, &out[i], &error));
      cpb_compressor_free(c);
    }
    if (out[0].size != out[1].size || memcmp(out[0].data, out[1].data, out[0].size) != 0)
      fail_msg("options %zu: %zu bytes, and %zu with more room", o, out[0].size, out[1].size);
    cpb_buffer_free(&out[0]);
    cpb_buffer_free(&out[1]);
  }
  free(data);
}

static void wrong_options_and_sizes_are_usage_errors(void **state) {
  (void)state;
  const struct {
    cpb_codec_options options;
    cpb_code code;
  } wrong[] = {
      {{CPB_CODEC_SNAPPY, 3, 0}, CPB_E_USAGE},  {{CPB_CODEC_SNAPPY, 1, 16}, CPB_E_USAGE},
      {{CPB_CODEC_SNAPPY, -1, 0}, CPB_E_USAGE}, {{(cpb_codec)77, 0, 0}, CPB_E_USAGE},
      {{CPB_CODEC_ZSTD, 23, 0}, CPB_E_USAGE},   {{CPB_CODEC_ZSTD, -131073, 0}, CPB_E_USAGE},
      {{CPB_CODEC_ZSTD, 1, 9}, CPB_E_USAGE},    {{CPB_CODEC_ZSTD, 1, 32}, CPB_E_USAGE},
      {{CPB_CODEC_BROTLI, 12, 0}, CPB_E_USAGE}, {{CPB_CODEC_BROTLI, -2, 0}, CPB_E_USAGE},
      {{CPB_CODEC_BROTLI, 5, 31}, CPB_E_USAGE}, {{CPB_CODEC_BROTLI, 5, 9}, CPB_E_USAGE},
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

/* --- Snappy -------------------------------------------------------------------- */

static size_t snappy_size(int level, const uint8_t *data, size_t size, size_t piece, uint8_t *packed) {
  const cpb_codec_options options = {CPB_CODEC_SNAPPY, level, 0};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = cpb_compressor_new(NULL, &options, &error);
  cpb_buffer out = new_buffer(NULL);
  assert_true(compress(c, data, size, piece, 1, &out, &error));
  memcpy(packed, out.data, out.size);
  const size_t n = out.size;
  cpb_buffer_free(&out);
  cpb_compressor_free(c);
  return n;
}

/* Matches of every length at every distance around the limits of the kinds of copies, in data that
 * else has none. */
static void snappy_copies_of_every_length_and_distance(void **state) {
  (void)state;
  static uint8_t data[70000], back[70000], packed[90000];
  const size_t distances[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 2047, 2048, 2049, 60000, 65535, 65536};
  uint32_t seed = 3;
  for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
    for (size_t length = 1; length < 140; length++) {
      const size_t begin = distances[d] + length % 7;
      const size_t size = begin + length + length % 40;
      for (size_t i = 0; i < size; i++)
        data[i] = i >= begin && i < begin + length ? data[i - distances[d]] : (uint8_t)next_random(&seed);
      for (int level = 1; level <= 2; level++) {
        const size_t n = snappy_size(level, data, size, size, packed);
        assert_true(n <= CPB_VARINT_MAX + snappy_max_compressed_length(size));
        assert_true(decompress_by_library(CPB_RIEGELI_SNAPPY, (cpb_span){packed, n}, back, size));
        assert_memory_equal(back, data, size);
      }
    }
  }
}

static void snappy_output_does_not_depend_on_the_pieces(void **state) {
  (void)state;
  static uint8_t data[BIG], one[BIG + 100000], other[BIG + 100000];
  fill(data, BIG, 5);
  const size_t n = snappy_size(1, data, BIG, BIG, one);
  for (size_t piece = 100; piece < BIG; piece *= 5) {
    assert_int_equal(snappy_size(1, data, BIG, piece, other), n);
    assert_memory_equal(one, other, n);
  }
}

/* Within a few percent of the library's, and denser at level 2. */
static void snappy_compresses_as_the_library_does(void **state) {
  (void)state;
  static uint8_t data[BIG], packed[BIG + 100000];
  for (uint32_t seed = 0; seed < 4; seed++) {
    fill(data, BIG, seed);
    const size_t first = snappy_size(1, data, BIG, BIG, packed), dense = snappy_size(2, data, BIG, BIG, packed);
    bytes theirs = compress_by_library('s', data, BIG, 1);
    assert_true(first <= theirs.size + theirs.size / 20);
    assert_true(dense < first);
    free(theirs.data);
  }
}

static void snappy_refuses_what_its_size_cannot_say(void **state) {
  (void)state;
  const cpb_codec_options options = {CPB_CODEC_SNAPPY, 0, 0};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = cpb_compressor_new(NULL, &options, &error);
  assert_true(cpb_compressor_begin(c, UINT32_MAX, &error));
  assert_false(cpb_compressor_begin(c, (uint64_t)UINT32_MAX + 1, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  cpb_compressor_free(c);
}

/* --- Memory ------------------------------------------------------------------- */

static cpb_code round_trip(const cpb_allocator *a, const cpb_codec_options *options, const uint8_t *data, size_t size,
                           size_t piece) {
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_buffer packed = new_buffer(a), out = new_buffer(a);
  cpb_compressor *c = cpb_compressor_new(a, options, &error);
  if (c != NULL && compress(c, data, size, piece, 1, &packed, &error) &&
      cpb_decompress_all(a, NULL, cpb_compressor_type(c), (cpb_span){packed.data, packed.size}, size, &out, &error)) {
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
      {CPB_CODEC_NONE, 0, 0},   {CPB_CODEC_ZSTD, 3, 0},    {CPB_CODEC_BROTLI, 2, 0},
      {CPB_CODEC_BROTLI, 6, 0}, {CPB_CODEC_BROTLI, 10, 0}, {CPB_CODEC_SNAPPY, 0, 0},
  };
  bytes snappy = compress_by_library('s', data, sizeof data, 1);
  for (size_t o = 0; o <= sizeof all / sizeof *all; o++) {
    for (size_t mode = 0; mode < 4; mode++) {
      size_t size = o == 4 ? 5000 : sizeof data;
      for (size_t n = 1;; n++) {
        failing_allocator f = {.fail_at = n, .for_ever = mode % 2 != 0};
        cpb_allocator a = failing_allocator_of(&f);
        cpb_code code = o < sizeof all / sizeof *all ? round_trip(&a, &all[o], data, size, mode < 2 ? size : 9000)
                                                     : snappy_in_pieces(&a, snappy, size);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(code, f.calls < n ? CPB_OK : CPB_E_MEMORY);
        if (f.calls < n) break;
      }
    }
  }
  free(snappy.data);
}

/* The low bytes of next_random() come again too soon. */
static void fill_with_noise(uint8_t *data, size_t size) {
  uint64_t state = 88172645463325252ull;
  for (size_t i = 0; i < size; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    data[i] = (uint8_t)(state >> 24);
  }
}

static size_t compressed_size(const cpb_codec_options *options, const uint8_t *data, size_t size, size_t piece) {
  static uint8_t back[5 << 20];
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = cpb_compressor_new(NULL, options, &error);
  cpb_buffer out = new_buffer(NULL);
  assert_true(compress(c, data, size, piece, 1, &out, &error));
  assert_true(decompress_by_library('b', (cpb_span){out.data, out.size}, back, size));
  assert_memory_equal(back, data, size);
  const size_t compressed = out.size;
  cpb_buffer_free(&out);
  cpb_compressor_free(c);
  return compressed;
}

/* In bytes of Brotli's stream: a head, a length of up to 6 half-bytes, and the end; before it, the size. */
static void brotli_stores_noise_however_it_comes(void **state) {
  (void)state;
  static uint8_t data[5 << 20];
  static const size_t sizes[] = {64 << 10, (64 << 10) + 1, 1 << 20, (1 << 20) + 1, 4 << 20};
  const cpb_codec_options level6 = {CPB_CODEC_BROTLI, 6, 0};
  fill_with_noise(data, sizeof data);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t size = sizes[i], more = size > 2 << 20 ? 4 : 3;
    assert_int_equal(compressed_size(&level6, data, size, size), size + more + (size > 64 << 10 ? 4 : 3) + 1);
    assert_int_equal(compressed_size(&level6, data, size, 9000), size + more + (size > 64 << 10 ? 4 : 3) + 1);
  }
}

/* A tenth that is there twice, or one byte in 20 that is the same, is worth the library's time. */
static void brotli_compresses_what_is_not_quite_noise(void **state) {
  (void)state;
  static uint8_t data[1 << 20];
  const cpb_codec_options level6 = {CPB_CODEC_BROTLI, 6, 0};
  fill_with_noise(data, sizeof data);
  memcpy(data + 700001, data + 1234, 100000);
  assert_true(compressed_size(&level6, data, sizeof data, sizeof data) < sizeof data - 90000);
  fill_with_noise(data, sizeof data);
  assert_true(compressed_size(&level6, data, sizeof data, sizeof data) > sizeof data);
  for (size_t i = 0; i < sizeof data; i += 20) data[i] = 7;
  assert_true(compressed_size(&level6, data, sizeof data, sizeof data) < sizeof data - sizeof data / 100);
}

/* Brotli makes its state anew for each buffer. */
static void large_buffers_are_allocated_once(void **state) {
  (void)state;
  static uint8_t data[1 << 20];
  const cpb_codec_options level6 = {CPB_CODEC_BROTLI, 6, 0};
  failing_allocator f = {0};
  cpb_allocator a = failing_allocator_of(&f);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = cpb_compressor_new(&a, &level6, &error);
  cpb_buffer out = new_buffer(NULL);
  fill(data, sizeof data, 7);
  for (size_t i = 0; i < 6; i++) { /* a large one, a small one, a large one ... */
    const size_t size = i % 2 == 0 ? sizeof data : 3000;
    f.largest = 0;
    out.size = 0;
    assert_true(compress(c, data, size, size, 1, &out, &error));
    assert_true((f.largest > 1 << 20) == (i == 0));
  }
  cpb_buffer_free(&out);
  cpb_compressor_free(c);
  assert_int_equal(f.blocks, 0);
}

/* At level 11 each block of 256 KiB takes seconds. The second buffer takes nothing new, and is ended all the same. */
static void a_host_ends_brotli_within_a_buffer(void **state) {
  (void)state;
  enum { BLOCKS = 3, SIZE = BLOCKS << 18 };
  static uint8_t data[SIZE];
  const cpb_codec_options level11 = {CPB_CODEC_BROTLI, 11, 0};
  failing_allocator f = {.for_ever = true};
  cpb_allocator a = failing_allocator_of(&f);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = cpb_compressor_new(&a, &level11, &error);
  cpb_buffer out = new_buffer(NULL);
  for (size_t i = 0; i < SIZE; i++) data[i] = (uint8_t)(i % 1000 % 251);
  assert_true(compress(c, data, SIZE, SIZE, 1, &out, &error));
  const size_t first = f.calls;
  assert_true(compress(c, data, SIZE, SIZE, 1, &out, &error));
  const size_t calls = f.calls - first;
  assert_true(calls > BLOCKS);
  for (size_t n = 1; n <= BLOCKS; n++) {
    f.fail_at = f.calls + n * calls / (BLOCKS + 1);
    assert_false(compress(c, data, SIZE, SIZE, 1, &out, &error));
    assert_int_equal(error.code, CPB_E_MEMORY);
    assert_int_equal(f.calls, f.fail_at);
    f.fail_at = 0;
  }
  cpb_buffer_free(&out);
  cpb_compressor_free(c);
  assert_int_equal(f.blocks, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(libraries_decode_what_is_encoded),
      cmocka_unit_test(output_does_not_depend_on_the_room_for_it),
      cmocka_unit_test(wrong_options_and_sizes_are_usage_errors),
      cmocka_unit_test(snappy_copies_of_every_length_and_distance),
      cmocka_unit_test(snappy_output_does_not_depend_on_the_pieces),
      cmocka_unit_test(snappy_compresses_as_the_library_does),
      cmocka_unit_test(snappy_refuses_what_its_size_cannot_say),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(brotli_stores_noise_however_it_comes),
      cmocka_unit_test(brotli_compresses_what_is_not_quite_noise),
      cmocka_unit_test(large_buffers_are_allocated_once),
      cmocka_unit_test(a_host_ends_brotli_within_a_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
