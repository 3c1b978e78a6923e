/* The record writer's options as text: what Riegeli's documentation of them says
 * (doc/record_writer_options.md), and what the errors say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "cpb/records.h"

typedef struct good_case {
  const char *text;
  cpb_codec_options codec;
  uint64_t chunk_size;
  double bucket_fraction;
  uint64_t initial_padding, final_padding;
  cpb_transpose transpose;
} good_case;

#define BROTLI {CPB_CODEC_BROTLI, 0, 0}

static const good_case good[] = {
    {"", BROTLI, 0, 0, 0, 0, 0},
    {"default", BROTLI, 0, 0, 0, 0, 0},
    {",default,,zstd,", {CPB_CODEC_ZSTD, 0, 0}, 0, 0, 0, 0, 0},
    {"transpose", BROTLI, 0, 0, 0, 0, 1},
    {"transpose:true", BROTLI, 0, 0, 0, 0, 1},
    {"transpose:false", BROTLI, 0, 0, 0, 0, 0},
    {"uncompressed", {CPB_CODEC_NONE, 0, 0}, 0, 0, 0, 0, 0},
    {"brotli:0", {CPB_CODEC_BROTLI, -1, 0}, 0, 0, 0, 0, 0},
    {"brotli:11", {CPB_CODEC_BROTLI, 11, 0}, 0, 0, 0, 0, 0},
    {"zstd:-131072", {CPB_CODEC_ZSTD, -131072, 0}, 0, 0, 0, 0, 0},
    {"zstd:0", {CPB_CODEC_ZSTD, 0, 0}, 0, 0, 0, 0, 0}, /* which is 3, the default */
    {"zstd:22", {CPB_CODEC_ZSTD, 22, 0}, 0, 0, 0, 0, 0},
    {"snappy", {CPB_CODEC_SNAPPY, 0, 0}, 0, 0, 0, 0, 0},
    {"snappy:2", {CPB_CODEC_SNAPPY, 2, 0}, 0, 0, 0, 0, 0},
    {"window_log:auto,snappy", {CPB_CODEC_SNAPPY, 0, 0}, 0, 0, 0, 0, 0},
    {"window_log:30", {CPB_CODEC_BROTLI, 0, 30}, 0, 0, 0, 0, 0},
    {"window_log:31,zstd", {CPB_CODEC_ZSTD, 0, 31}, 0, 0, 0, 0, 0}, /* whatever comes first */
    {"brotli_encoder:cbrotli", BROTLI, 0, 0, 0, 0, 0},
    {"chunk_size:auto", BROTLI, 0, 0, 0, 0, 0},
    {"chunk_size:1", BROTLI, 1, 0, 0, 0, 0},
    {"chunk_size:100B", BROTLI, 100, 0, 0, 0, 0},
    {"chunk_size:64k", BROTLI, 65536, 0, 0, 0, 0},
    {"chunk_size:64K", BROTLI, 65536, 0, 0, 0, 0},
    {"chunk_size:1.5M", BROTLI, 1572864, 0, 0, 0, 0},
    {"chunk_size:2.0000001", BROTLI, 2, 0, 0, 0, 0},
    {"chunk_size:1e3", BROTLI, 1000, 0, 0, 0, 0},
    {"chunk_size:3G", BROTLI, (uint64_t)3 << 30, 0, 0, 0, 0},
    {"chunk_size:.5T", BROTLI, (uint64_t)1 << 39, 0, 0, 0, 0},
    {"chunk_size:1P", BROTLI, (uint64_t)1 << 50, 0, 0, 0, 0},
    {"chunk_size:1E", BROTLI, (uint64_t)1 << 60, 0, 0, 0, 0},
    {"bucket_fraction:0", BROTLI, 0, -1, 0, 0, 0},
    {"bucket_fraction:0.25", BROTLI, 0, 0.25, 0, 0, 0},
    {"bucket_fraction:1", BROTLI, 0, 1, 0, 0, 0},
    {"padding", BROTLI, 0, 0, 65536, 65536, 0},
    {"padding:1K", BROTLI, 0, 0, 1024, 1024, 0},
    {"initial_padding,final_padding:512", BROTLI, 0, 0, 65536, 512, 0},
    {"pad_to_block_boundary", BROTLI, 0, 0, 65536, 65536, 0},
    {"pad_to_block_boundary:true", BROTLI, 0, 0, 65536, 65536, 0},
    {"pad_to_block_boundary:false", BROTLI, 0, 0, 0, 0, 0},
    {"pad_to_block_boundary:initial", BROTLI, 0, 0, 65536, 0, 0},
    {"parallelism:10", BROTLI, 0, 0, 0, 0, 0},
    {"transpose,zstd:9,window_log:20,chunk_size:2M,bucket_fraction:0.5,padding:4K,parallelism:4",
     {CPB_CODEC_ZSTD, 9, 20},
     2 << 20,
     0.5,
     4096,
     4096,
     1},
};

static void riegelis_words_set_the_options(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    cpb_record_writer_options o = {.struct_size = sizeof o, .buffer = 77, .chunk_size = 5, .bucket_fraction = 0.1};
    cpb_error error;
    const cpb_code code = cpb_record_writer_options_parse(&o, good[i].text, &error);
    if (code != CPB_OK) fail_msg("%s: %s", good[i].text, error.message);
    const bool same = o.codec.codec == good[i].codec.codec && o.codec.level == good[i].codec.level &&
                      o.codec.window_log == good[i].codec.window_log && o.chunk_size == good[i].chunk_size &&
                      o.bucket_fraction == good[i].bucket_fraction && o.initial_padding == good[i].initial_padding &&
                      o.final_padding == good[i].final_padding && o.transpose == good[i].transpose;
    if (!same || o.buffer != 77 || o.struct_size != sizeof o) fail_msg("%s", good[i].text);
    cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
    if (cpb_record_writer_error(w)->code != CPB_OK && o.codec.window_log < 31) fail_msg("%s", good[i].text);
    cpb_record_writer_free(w);
  }
}

static const struct {
  const char *text;
  uint64_t at;
  const char *message;
} bad[] = {
    {"zstd,transposed", 5, "the option transposed is unknown; expected one of transpose, uncompressed, brotli, "},
    {"transpose:yes", 10, "the option transpose is \"yes\"; expected true or false"},
    {"zstd,default", 5, "the option default is not the first; expected no option before it"},
    {"zstd,brotli:3", 5, "the option brotli is a second codec; expected one"},
    {"zstd:1,zstd:2", 7, "the option zstd is there twice; expected each once"},
    {"brotli:12", 7, "the option brotli is \"12\"; expected a level from 0 to 11"},
    {"brotli:x", 7, "the option brotli is \"x\"; expected a level from 0 to 11"},
    {"zstd:23", 5, "the option zstd is \"23\"; expected a level from -131072 to 22"},
    {"zstd:99999999999", 5, "the option zstd is \"99999999999\"; expected a level from -131072 to 22"},
    {"zstd:-", 5, "the option zstd is \"-\"; expected a level from -131072 to 22"},
    {"snappy:3", 7, "the option snappy is \"3\"; expected a level from 1 to 2"},
    {"uncompressed:1", 13, "the option uncompressed is \"1\"; expected no value"},
    {"window_log:31", 11, "the option window_log is \"31\"; expected auto or 10 to 30 with brotli"},
    {"zstd,window_log:9", 16, "the option window_log is \"9\"; expected auto or 10 to 31 with zstd"},
    {"window_log:20,uncompressed", 11, "the option window_log is \"20\"; expected auto with uncompressed"},
    {"window_log", 0, "the option window_log is \"\"; expected auto, or a number from 10 to 31"},
    {"brotli_encoder:mine", 15,
     "the option brotli_encoder is \"mine\"; expected rbrotli_or_cbrotli, cbrotli or rbrotli"},
    {"chunk_size", 0, "the option chunk_size is \"\"; expected auto, or a number of bytes, at least 1, with"},
    {"chunk_size:0", 11, "the option chunk_size is \"0\"; expected auto, or a number of bytes, at least 1, with"},
    {"chunk_size:0.4", 11, "the option chunk_size is \"0.4\"; expected auto, "},
    {"chunk_size:-1", 11, "the option chunk_size is \"-1\"; expected auto, "},
    {"chunk_size:1.2.3", 11, "the option chunk_size is \"1.2.3\"; expected auto, "},
    {"chunk_size:64KB", 11, "the option chunk_size is \"64KB\"; expected auto, "},
    {"chunk_size:0x10", 11, "the option chunk_size is \"0x10\"; expected auto, "},
    {"chunk_size:16E", 11, "the option chunk_size is \"16E\"; expected auto, "},
    {"chunk_size:K", 11, "the option chunk_size is \"K\"; expected auto, "},
    {"bucket_fraction:1.01", 16, "the option bucket_fraction is \"1.01\"; expected a number from 0 to 1"},
    {"bucket_fraction:nan", 16, "the option bucket_fraction is \"nan\"; expected a number from 0 to 1"},
    {"padding:2G", 8, "the option padding is \"2G\"; expected a number of bytes from 1 to 1G, with"},
    {"padding:0", 8, "the option padding is \"0\"; expected a number of bytes from 1 to 1G, with"},
    {"pad_to_block_boundary:1", 22, "the option pad_to_block_boundary is \"1\"; expected true, false or initial"},
    {"parallelism:-1", 12, "the option parallelism is \"-1\"; expected a number from 0 on"},
    {"zstd:\x01", 5, "the option zstd is \"\\x01\"; expected a level"},
};

static void errors_name_option_value_place_and_what_was_expected(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cpb_record_writer_options o = {.struct_size = sizeof o, .chunk_size = 5}, before = o;
    cpb_error error;
    if (cpb_record_writer_options_parse(&o, bad[i].text, &error) != CPB_E_USAGE) fail_msg("%s is taken", bad[i].text);
    if (strncmp(error.message, bad[i].message, strlen(bad[i].message)) != 0 || error.offset != bad[i].at)
      fail_msg("%s: at %llu %s", bad[i].text, (unsigned long long)error.offset, error.message);
    assert_memory_equal(&o, &before, sizeof o);
  }
}

static void a_smaller_struct_is_not_written_past_its_end(void **state) {
  (void)state;
  cpb_record_writer_options o = {.struct_size = offsetof(cpb_record_writer_options, transpose)};
  assert_int_equal(cpb_record_writer_options_parse(&o, "transpose,chunk_size:9", NULL), CPB_OK);
  assert_int_equal(o.transpose, CPB_TRANSPOSE_NEVER);
  assert_int_equal(o.chunk_size, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(riegelis_words_set_the_options),
      cmocka_unit_test(errors_name_option_value_place_and_what_was_expected),
      cmocka_unit_test(a_smaller_struct_is_not_written_past_its_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
