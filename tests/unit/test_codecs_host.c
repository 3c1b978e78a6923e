/* A build with CPB_CODECS=host: src/riegeli/codecs_host.c stands in for the
 * codecs that the library holds, and the host's decoder is below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <zstd.h>

#include "cpb/host_codec.h"
#include "failing_allocator.h"
#include "riegeli/codec/compressor.h"
#include "riegeli/codec/decompressor.h"

/* --- The host ------------------------------------------------------------------ */

static struct {
  unsigned calls;
  size_t largest;     /* dst_size so far */
  int32_t answer;     /* when not 0: instead of decoding */
  const uint8_t *dst; /* of the last call */
} host;

int32_t cpb_host_decode(int32_t codec, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size) {
  host.calls++;
  host.dst = dst;
  if (dst_size > host.largest) host.largest = dst_size;
  if (host.answer != 0) return host.answer;
  size_t size = dst_size;
  if (codec == 'b') {
    return BrotliDecoderDecompress(src_size, src, &size, dst) == BROTLI_DECODER_RESULT_SUCCESS ? (int32_t)size : -1;
  }
  assert_int_equal(codec, 'z');
  size = ZSTD_decompress(dst, dst_size, src, src_size);
  return ZSTD_isError(size) ? -1 : (int32_t)size;
}

static int reset_host(void **state) {
  (void)state;
  memset(&host, 0, sizeof host);
  return 0;
}

/* --- Buffers -------------------------------------------------------------------- */

enum { SIZE = 200000, ROOM = SIZE + 1000 };

typedef struct sample {
  uint8_t data[SIZE], stored[ROOM];
  size_t size, stored_size;
} sample;

/* `size` bytes compressed behind the size `claimed`. */
static sample *new_sample(char codec, size_t size, uint64_t claimed) {
  sample *s = calloc(1, sizeof *s);
  s->size = size;
  for (size_t i = 0; i < size; i++) s->data[i] = (uint8_t)(i * i / 777 ^ i >> 9);
  uint8_t *to = cpb_varint_write(s->stored, claimed);
  size_t n = ROOM - CPB_VARINT_MAX;
  if (codec == 'b') assert_true(BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, size, s->data, &n, to));
  else n = ZSTD_compress(to, n, s->data, size, 3);
  s->stored_size = (size_t)(to - s->stored) + n;
  return s;
}

static cpb_codec_error decode_whole(const cpb_allocator *a, const cpb_limits *limits, char codec, const sample *s,
                                    cpb_buffer *out) {
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_buffer_init(out, &allocator);
  cpb_decompress_all(a, limits, (uint8_t)codec, (cpb_span){s->stored, s->stored_size}, SIZE, out, &error);
  return error;
}

static void expect_error(char codec, const sample *s, const cpb_limits *limits, cpb_code code) {
  cpb_buffer out;
  cpb_codec_error error = decode_whole(NULL, limits, codec, s, &out);
  assert_int_equal(error.code, code);
  assert_non_null(error.what);
  assert_int_equal(out.size, 0);
  cpb_buffer_free(&out);
}

static void whole_buffers_are_decoded_by_one_call_of_the_host(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, 70000, SIZE};
  for (const char *codec = "bz"; *codec != '\0'; codec++) {
    for (size_t i = 0; i < 4; i++) {
      sample *s = new_sample(*codec, sizes[i], sizes[i]);
      cpb_buffer out;
      host.calls = 0;
      assert_int_equal(decode_whole(NULL, NULL, *codec, s, &out).code, CPB_OK);
      assert_int_equal(out.size, s->size);
      if (s->size > 0) assert_memory_equal(out.data, s->data, s->size);
      assert_int_equal(host.calls, 1);
      cpb_buffer_free(&out);
      free(s);
    }
  }
}

/* As in whole records that are handed out by windows, and over several streams
 * with one decompressor. */
static void pieces_of_any_size_give_the_same(void **state) {
  (void)state;
  const size_t pieces[][2] = {{1, SIZE}, {7, 1000}, {1000, 1}, {ROOM, 1000}, {ROOM, SIZE}, {4096, 65536}};
  for (const char *codec = "bz"; *codec != '\0'; codec++) {
    sample *s = new_sample(*codec, SIZE, SIZE);
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, (uint8_t)*codec, s->stored_size, &error);
    uint8_t *out = malloc(SIZE);
    for (size_t i = 0; i < 6; i++) {
      assert_true(cpb_decompressor_reset(d, (uint8_t)*codec, s->stored_size, &error));
      memset(out, 0, SIZE);
      size_t at = 0, used = 0;
      while (!cpb_decompressor_done(d)) {
        size_t give = pieces[i][0] < s->stored_size - used ? pieces[i][0] : s->stored_size - used;
        size_t room = pieces[i][1] < SIZE - at ? pieces[i][1] : SIZE - at;
        cpb_span in = {s->stored + used, give};
        size_t n = cpb_decompressor_read(d, &in, out + at, room);
        assert_int_equal(cpb_decompressor_error(d)->code, CPB_OK);
        at += n;
        used += give - in.size;
        assert_true(n > 0 || give > in.size || cpb_decompressor_done(d));
      }
      assert_int_equal(at, SIZE);
      assert_memory_equal(out, s->data, SIZE);
    }
    cpb_decompressor_free(d);
    free(out);
    free(s);
  }
}

static void what_has_room_is_decoded_in_place(void **state) {
  (void)state;
  sample *s = new_sample('z', SIZE, SIZE);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, 'z', s->stored_size, &error);
  uint8_t *out = malloc(SIZE);
  cpb_span in = {s->stored, s->stored_size};
  assert_int_equal(cpb_decompressor_read(d, &in, out, SIZE), SIZE);
  assert_ptr_equal(host.dst, out);
  cpb_decompressor_free(d);
  free(out);
  free(s);
}

static void a_claim_above_the_limit_is_refused_before_memory_is_taken(void **state) {
  (void)state;
  for (const char *codec = "bz"; *codec != '\0'; codec++) {
    for (int i = 0; i < 2; i++) {
      sample *s = new_sample(*codec, 1000, i == 0 ? 1001 : (uint64_t)1 << 40);
      cpb_limits limits = {.struct_size = sizeof limits, .riegeli_chunk = i == 0 ? 1000 : 0};
      expect_error(*codec, s, &limits, CPB_E_LIMIT);
      free(s);
    }
  }
  assert_int_equal(host.calls, 0);
}

static void a_claim_takes_no_memory_before_the_data_is_there(void **state) {
  (void)state;
  failing_allocator f = {0};
  cpb_allocator a = failing_allocator_of(&f);
  sample *s = new_sample('b', 1000, 1u << 28);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(&a, NULL, 'b', s->stored_size, &error);
  cpb_span in = {s->stored, s->stored_size - 1};
  uint8_t out[10];
  assert_int_equal(cpb_decompressor_read(d, &in, out, sizeof out), 0);
  assert_true(f.largest < 65536);
  cpb_decompressor_free(d);
  assert_int_equal(f.blocks, 0);
  free(s);
}

static void a_claim_too_small_is_damage_and_one_too_large_is_none(void **state) {
  (void)state;
  for (const char *codec = "bz"; *codec != '\0'; codec++) {
    sample *small = new_sample(*codec, 1000, 999), *large = new_sample(*codec, 1000, 5000);
    expect_error(*codec, small, NULL, CPB_E_DAMAGED);
    cpb_buffer out;
    assert_int_equal(decode_whole(NULL, NULL, *codec, large, &out).code, CPB_OK);
    assert_int_equal(out.size, 1000);
    assert_memory_equal(out.data, large->data, 1000);
    cpb_buffer_free(&out);
    free(small);
    free(large);
  }
}

static void each_answer_of_the_host_has_its_error(void **state) {
  (void)state;
  const struct {
    int32_t answer;
    cpb_code code;
  } answers[] = {{CPB_HOST_DECODE_DAMAGED, CPB_E_DAMAGED},
                 {CPB_HOST_DECODE_UNSUPPORTED, CPB_E_UNSUPPORTED},
                 {CPB_HOST_DECODE_MEMORY, CPB_E_MEMORY},
                 {INT32_MIN, CPB_E_DAMAGED},
                 {SIZE + 1, CPB_E_DAMAGED}}; /* more than fits */
  for (const char *codec = "bz"; *codec != '\0'; codec++) {
    sample *s = new_sample(*codec, SIZE, SIZE);
    for (size_t i = 0; i < 5; i++) {
      host.answer = answers[i].answer;
      expect_error(*codec, s, NULL, answers[i].code);
    }
    host.answer = 0;
    s->stored_size--;
    expect_error(*codec, s, NULL, CPB_E_DAMAGED);
    free(s);
  }
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  sample *s = new_sample('b', SIZE, SIZE);
  for (size_t n = 1, failed = 1; failed; n++) {
    failing_allocator f = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&f);
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_decompressor *d = cpb_decompressor_new(&a, NULL, 'b', s->stored_size, &error);
    uint8_t out[1000];
    size_t used = 0;
    while (d != NULL && !cpb_decompressor_done(d) && error.code == CPB_OK) {
      size_t give = s->stored_size - used < 5000 ? s->stored_size - used : 5000;
      cpb_span in = {s->stored + used, give};
      cpb_decompressor_read(d, &in, out, sizeof out);
      used += give - in.size;
      error = *cpb_decompressor_error(d);
    }
    failed = f.calls >= n;
    assert_int_equal(error.code, failed ? CPB_E_MEMORY : CPB_OK);
    cpb_decompressor_free(d);
    assert_int_equal(f.blocks, 0);
  }
  free(s);
}

static void neither_codec_is_written(void **state) {
  (void)state;
  const cpb_codec codecs[] = {CPB_CODEC_DEFAULT, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  for (size_t i = 0; i < 3; i++) {
    cpb_codec_error error = {CPB_OK, NULL};
    assert_null(cpb_compressor_new(NULL, &(cpb_codec_options){.codec = codecs[i]}, &error));
    assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(whole_buffers_are_decoded_by_one_call_of_the_host, reset_host),
      cmocka_unit_test_setup(pieces_of_any_size_give_the_same, reset_host),
      cmocka_unit_test_setup(what_has_room_is_decoded_in_place, reset_host),
      cmocka_unit_test_setup(a_claim_above_the_limit_is_refused_before_memory_is_taken, reset_host),
      cmocka_unit_test_setup(a_claim_takes_no_memory_before_the_data_is_there, reset_host),
      cmocka_unit_test_setup(a_claim_too_small_is_damage_and_one_too_large_is_none, reset_host),
      cmocka_unit_test_setup(each_answer_of_the_host_has_its_error, reset_host),
      cmocka_unit_test_setup(every_failing_allocation_is_a_clean_error, reset_host),
      cmocka_unit_test_setup(neither_codec_is_written, reset_host),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
