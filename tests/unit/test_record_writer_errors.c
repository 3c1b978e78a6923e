/* The record writer refuses what it cannot do, and survives without memory. */
#include "riegeli_parts.h"

#include "failing_allocator.h"
#include "riegeli/chunk_writer.h"

static void a_record_too_large_is_refused_before_its_chunk_begins(void **state) {
  (void)state;
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  uint8_t *data = malloc(400000);
  for (size_t i = 0; i < 400000; i++) data[i] = (uint8_t)rand();
  for (size_t c = 0; c < 3; c++) {
    cpb_record_writer_options o = options_for(codecs[c]);
    o.buffer = 100000;
    cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
    memory_file f = {0};
    write_record(w, &f, data, 1000, 0);
    cpb_code code = cpb_record_writer_begin_record(w, 400000);
    cpb_step step = drain(w, &f);
    if (code == CPB_OK && step != CPB_STEP_ERROR) {
      code = cpb_record_writer_write(w, data, 400000);
      step = drain(w, &f);
    }
    assert_int_equal(step, CPB_STEP_ERROR);
    assert_int_equal(cpb_record_writer_error(w)->code, CPB_E_LIMIT);
    assert_non_null(strstr(cpb_record_writer_error(w)->message, "400000 bytes"));
    assert_int_equal(cpb_record_writer_finish(w), CPB_E_LIMIT);
    chunks *all = parse(&f); /* what was written before is whole */
    records *r = parse_records(all);
    assert_int_equal(r->count, 1);
    records_free(r);
    chunks_free(all);
    file_free(&f);
    cpb_record_writer_free(w);
  }
  free(data);
}

/* Compressed it fits, so no streaming is needed. */
static void a_large_record_that_compresses_well_is_held(void **state) {
  (void)state;
  cpb_record_writer_options o = options_for(CPB_CODEC_ZSTD);
  o.buffer = 100000;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  uint8_t *data = calloc(1, 3000000);
  write_record(w, &f, data, 3000000, 0);
  finish(w, &f);
  chunks *all = parse(&f);
  assert_int_equal(all->items[1].header.decoded_data_size, 3000000);
  chunks_free(all);
  file_free(&f);
  free(data);
}

static void sizes_beyond_64_bits_are_refused(void **state) {
  (void)state;
  cpb_record_writer *writer = cpb_record_writer_new(NULL, NULL);
  assert_int_equal(cpb_record_writer_begin_record(writer, UINT64_MAX), CPB_E_LIMIT);
  cpb_record_writer_free(writer);

  cpb_chunk_writer w;
  const cpb_span none = {NULL, 0};
  const cpb_chunk_header header = {.data_size = UINT64_MAX - 100, .type = 'r'};
  cpb_chunk_writer_init(&w, 64);
  assert_false(cpb_chunk_writer_chunk(&w, &header, none, none));
  assert_false(cpb_chunk_writer_open(&w, UINT64_MAX - 100));
  assert_true(cpb_chunk_writer_open(&w, UINT64_MAX)); /* unknown */
  assert_false(cpb_chunk_writer_close(&w, &header));
  for (uint64_t before_end = 1; before_end < 100; before_end++) {
    cpb_chunk_writer_init(&w, UINT64_MAX - before_end);
    assert_false(cpb_chunk_writer_pad(&w, 65536)); /* 2^64 is the next multiple */
    assert_false(cpb_chunk_writer_pad(&w, 1000));
  }
}

typedef struct wrong_use {
  const char *text;
  void (*make)(cpb_record_writer *w, memory_file *f);
} wrong_use;

static void too_many(cpb_record_writer *w, memory_file *f) {
  cpb_record_writer_begin_record(w, 3);
  drain(w, f);
  cpb_record_writer_write(w, "abcd", 4);
}

static void more_after_the_end(cpb_record_writer *w, memory_file *f) {
  write_record(w, f, (const uint8_t *)"abc", 3, 0);
  cpb_record_writer_write(w, "d", 1);
}

static void too_few(cpb_record_writer *w, memory_file *f) {
  cpb_record_writer_begin_record(w, 3);
  drain(w, f);
  cpb_record_writer_write(w, "ab", 2);
  drain(w, f);
  cpb_record_writer_finish(w);
}

static void output_not_taken(cpb_record_writer *w, memory_file *f) {
  write_record(w, f, (const uint8_t *)"abc", 3, 0);
  cpb_record_writer_flush(w, NULL);
  cpb_record_writer_begin_record(w, 1);
}

static void after_finish(cpb_record_writer *w, memory_file *f) {
  cpb_record_writer_finish(w);
  drain(w, f);
  cpb_record_writer_begin_record(w, 1);
}

static void wrong_use_is_said_and_stays(void **state) {
  (void)state;
  static const wrong_use uses[] = {{"more bytes", too_many},
                                   {"more bytes", more_after_the_end},
                                   {"fewer bytes", too_few},
                                   {"output to take", output_not_taken},
                                   {"no call is allowed", after_finish}};
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
    cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
    memory_file f = {0};
    uses[i].make(w, &f);
    assert_int_equal(cpb_record_writer_step(w), CPB_STEP_ERROR);
    assert_int_equal(cpb_record_writer_error(w)->code, CPB_E_USAGE);
    assert_non_null(strstr(cpb_record_writer_error(w)->message, uses[i].text));
    assert_int_equal(cpb_record_writer_begin_record(w, 1), CPB_E_USAGE);
    file_free(&f);
    cpb_record_writer_free(w);
  }
}

static void wrong_options_are_the_writers_first_error(void **state) {
  (void)state;
  cpb_record_writer_options wrong[5];
  for (size_t i = 0; i < 5; i++) wrong[i] = options_for(CPB_CODEC_NONE);
  wrong[0].codec = (cpb_codec_options){CPB_CODEC_SNAPPY, 1, 15};
  wrong[1].codec.codec = (cpb_codec)9;
  wrong[2].append_at = 63;
  wrong[3].final_padding = ((uint64_t)1 << 30) + 1;
  wrong[4].append_at = 64;
  wrong[4].metadata = "";
  for (size_t i = 0; i < 5; i++) {
    cpb_record_writer *w = cpb_record_writer_new(NULL, &wrong[i]);
    assert_non_null(w);
    assert_int_equal(cpb_record_writer_begin_record(w, 1), CPB_E_USAGE);
    assert_int_equal(cpb_record_writer_step(w), CPB_STEP_ERROR);
    cpb_record_writer_free(w);
  }
}

/* Writes as far as it goes; true when the file was finished. */
static bool write_with(const cpb_allocator *a, const uint8_t *data, memory_file *f) {
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  cpb_record_writer_options o = options_for(CPB_CODEC_ZSTD);
  o.seekable = 1;
  o.buffer = 20000;
  o.final_padding = 1000;
  o.metadata = data;
  o.metadata_size = 100;
  cpb_record_writer *w = cpb_record_writer_new(a, &o);
  if (w == NULL) return false;
  for (size_t i = 0; i < 9; i++) {
    const cpb_codec_options next = {.codec = codecs[i % 3], .level = 1};
    size_t size = i < 3 ? 100 : i < 6 ? 60000 : 15000;
    cpb_record_writer_flush(w, &next);
    drain(w, f);
    cpb_record_writer_begin_record(w, size);
    drain(w, f);
    for (size_t done = 0; done < size; done += 100) {
      cpb_record_writer_write(w, data + done, 100);
      drain(w, f);
    }
  }
  cpb_record_writer_finish(w);
  cpb_step step = drain(w, f);
  assert_true(step == CPB_STEP_DONE || cpb_record_writer_error(w)->code == CPB_E_MEMORY);
  cpb_record_writer_free(w);
  return step == CPB_STEP_DONE;
}

static void any_allocation_may_fail(void **state) {
  (void)state;
  uint8_t *data = noise(60000, 8);
  memory_file expected = {0};
  assert_true(write_with(NULL, data, &expected));
  for (int for_ever = 0; for_ever < 2; for_ever++) {
    bool failed = true;
    for (size_t n = 1; failed; n++) {
      failing_allocator f = {.fail_at = n, .for_ever = for_ever != 0};
      const cpb_allocator a = failing_allocator_of(&f);
      memory_file out = {0};
      bool done = write_with(&a, data, &out);
      failed = f.calls >= n;
      if (done) assert_same_file(&out, &expected, "after a failed allocation");
      assert_true(done || failed);
      assert_int_equal(f.blocks, 0);
      file_free(&out);
    }
  }
  file_free(&expected);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_record_too_large_is_refused_before_its_chunk_begins),
      cmocka_unit_test(a_large_record_that_compresses_well_is_held),
      cmocka_unit_test(sizes_beyond_64_bits_are_refused),
      cmocka_unit_test(wrong_use_is_said_and_stays),
      cmocka_unit_test(wrong_options_are_the_writers_first_error),
      cmocka_unit_test(any_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
