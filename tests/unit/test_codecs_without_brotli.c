/* A build with CPB_WITH_BROTLI=OFF: src/riegeli/codec/without_brotli.c stands in
 * for the Brotli that the library holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "riegeli/codec/compressor.h"
#include "riegeli/codec/decompressor.h"

static void brotli_says_which_build_reads_it(void **state) {
  (void)state;
  const uint8_t stored[] = {1, 0x0b, 0x00, 0x80, 'x', 0x03};
  cpb_codec_error error = {CPB_OK, NULL};
  assert_null(cpb_decompressor_new(NULL, NULL, CPB_RIEGELI_BROTLI, sizeof stored, &error));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  assert_non_null(strstr(error.what, "CPB_WITH_BROTLI"));
}

static void a_decompressor_goes_on_to_another_codec(void **state) {
  (void)state;
  const uint8_t sized[] = {3, 3, 2 << 2, 'a', 'b', 'c'};
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, CPB_RIEGELI_NONE, 3, &error);
  assert_non_null(d);
  assert_false(cpb_decompressor_reset(d, CPB_RIEGELI_BROTLI, 3, &error));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  assert_true(cpb_decompressor_reset(d, CPB_RIEGELI_SNAPPY, sizeof sized, &error));
  uint8_t out[4];
  cpb_span in = {sized, sizeof sized};
  assert_int_equal(cpb_decompressor_read(d, &in, out, sizeof out), 3);
  assert_memory_equal(out, "abc", 3);
  assert_true(cpb_decompressor_done(d));
  cpb_decompressor_free(d);
}

static void zstd_is_written_and_brotli_is_not(void **state) {
  (void)state;
  cpb_codec_error error = {CPB_OK, NULL};
  assert_null(cpb_compressor_new(NULL, &(cpb_codec_options){.codec = CPB_CODEC_BROTLI}, &error));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  cpb_compressor *c = cpb_compressor_new(NULL, &(cpb_codec_options){.codec = CPB_CODEC_ZSTD}, &error);
  assert_non_null(c);
  cpb_compressor_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(brotli_says_which_build_reads_it),
      cmocka_unit_test(a_decompressor_goes_on_to_another_codec),
      cmocka_unit_test(zstd_is_written_and_brotli_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
