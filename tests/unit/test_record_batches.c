/* Records written whole, one or many by a call, are those that are begun and written. */
#include "riegeli_parts.h"

#include "failing_allocator.h"

/* --- The same file, however the records are given ------------------------------ */

enum { RECORDS = 150 };

typedef struct sample {
  size_t sizes[RECORDS], size;
  uint8_t *data;
} sample;

static uint64_t random_state;

static size_t random_below(size_t bound) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(random_state >> 33) % bound;
}

/* Mostly small records, of sizes around a varint's next byte and a chunk's end. */
static sample sample_of(unsigned seed) {
  static const size_t sizes[] = {0, 1, 84, 92, 100, 127, 128, 300, 1000, 4080, 4088, 4096, 16383, 16384, 90000};
  sample s = {.size = 0};
  random_state = seed;
  for (size_t i = 0; i < RECORDS; i++) {
    size_t rare = random_below(4) == 0 ? sizeof sizes / sizeof *sizes : 8;
    s.size += s.sizes[i] = sizes[random_below(rare)];
  }
  s.data = noise(s.size, seed);
  return s;
}

static memory_file written_in_pieces(const sample *s, const cpb_record_writer_options *o, uint64_t *positions) {
  cpb_record_writer *w = cpb_record_writer_new(NULL, o);
  memory_file f = {0};
  const uint8_t *at = s->data;
  for (size_t i = 0; i < RECORDS; at += s->sizes[i++]) {
    write_record(w, &f, at, s->sizes[i], 0);
    positions[i] = cpb_record_writer_position(w);
  }
  finish(w, &f);
  return f;
}

/* In batches of up to `most`, between them single records and some in pieces. */
static memory_file written_whole(const sample *s, const cpb_record_writer_options *o, size_t most,
                                 const uint64_t *positions) {
  cpb_record_writer *w = cpb_record_writer_new(NULL, o);
  memory_file f = {0};
  const uint8_t *at = s->data;
  for (size_t i = 0, count; i < RECORDS; i += count) {
    count = 1 + random_below(most);
    if (count > RECORDS - i) count = RECORDS - i;
    if (count > 1) assert_int_equal(cpb_record_writer_batch(w, at, s->sizes + i, count), CPB_OK);
    else if (random_below(8) > 0) assert_int_equal(cpb_record_writer_record(w, at, s->sizes[i]), CPB_OK);
    else write_record(w, &f, at, s->sizes[i], 0);
    assert_int_equal(drain(w, &f), CPB_STEP_NEED);
    assert_int_equal(cpb_record_writer_position(w), positions[i + count - 1]);
    for (size_t k = 0; k < count; k++) at += s->sizes[i + k];
  }
  finish(w, &f);
  return f;
}

static void assert_same_file_in_batches(const cpb_record_writer_options *o, unsigned seed) {
  uint64_t positions[RECORDS];
  sample s = sample_of(seed);
  memory_file expected = written_in_pieces(&s, o, positions);
  for (size_t most = 1; most <= RECORDS; most = most * 3 + 1) {
    memory_file f = written_whole(&s, o, most, positions);
    assert_same_file(&f, &expected, "in batches");
    file_free(&f);
  }
  file_free(&expected);
  free(s.data);
}

static void whole_records_are_those_in_pieces(void **state) {
  (void)state;
  static const uint64_t chunk_sizes[] = {0, 1, 15, 16, 100, 1000, 50000};
  for (size_t i = 0; i < sizeof chunk_sizes / sizeof *chunk_sizes; i++) {
    for (cpb_codec codec = CPB_CODEC_NONE; codec <= CPB_CODEC_ZSTD; codec++) {
      cpb_record_writer_options o = options_for(codec);
      o.chunk_size = chunk_sizes[i];
      o.codec.level = 1;
      o.seekable = 1;
      o.buffer = i % 2 == 0 ? 0 : 70000; /* so that some are streamed */
      assert_same_file_in_batches(&o, (unsigned)i);
    }
  }
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  o.record_per_chunk = 1;
  assert_same_file_in_batches(&o, 99);
}

static void a_batch_may_be_empty_or_of_empty_records(void **state) {
  (void)state;
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  size_t sizes[1000] = {0};
  assert_int_equal(cpb_record_writer_batch(w, NULL, NULL, 0), CPB_OK);
  assert_int_equal(drain(w, &f), CPB_STEP_NEED);
  assert_int_equal(cpb_record_writer_batch(w, NULL, sizes, 1000), CPB_OK);
  assert_int_equal(drain(w, &f), CPB_STEP_NEED);
  assert_int_equal(cpb_record_writer_record(w, NULL, 0), CPB_OK);
  finish(w, &f);
  chunks *all = parse(&f);
  records *r = parse_records(all);
  assert_int_equal(all->count, 3); /* signature, 512 records of 8 bytes, the rest */
  assert_int_equal(r->count, 1001);
  records_free(r);
  chunks_free(all);
  file_free(&f);
}

static void records_that_fill_chunks_are_output_in_place(void **state) {
  (void)state;
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  size_t sizes[200], in_place = 0;
  uint8_t *data = noise(200 * 120, 3);
  for (size_t i = 0; i < 200; i++) sizes[i] = 120;
  assert_int_equal(cpb_record_writer_batch(w, data, sizes, 200), CPB_OK);
  while (cpb_record_writer_step(w) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *piece = cpb_record_writer_output(w, &offset, &length);
    if (piece == data + in_place) in_place += length;
  }
  assert_int_equal(in_place, 192 * 120); /* 6 chunks of 32 records of 128 bytes */
  cpb_record_writer_free(w);
  free(data);
}

/* --- Errors -------------------------------------------------------------------- */

static void wrong_use_of_batches_is_said(void **state) {
  (void)state;
  const size_t sizes[2] = {1, 1};
  for (int i = 0; i < 4; i++) {
    cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
    cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
    memory_file f = {0};
    if (i % 2 == 0) {
      cpb_record_writer_begin_record(w, 3); /* which is not written */
      drain(w, &f);
    } else {
      write_record(w, &f, (const uint8_t *)"a", 1, 0);
      cpb_record_writer_flush(w, NULL); /* of which the output is not taken */
    }
    cpb_code code = i < 2 ? cpb_record_writer_batch(w, "ab", sizes, 2) : cpb_record_writer_record(w, "a", 1);
    assert_int_equal(code, CPB_E_USAGE);
    const char *text = i % 2 == 0 ? "fewer bytes" : "output to take";
    assert_non_null(strstr(cpb_record_writer_error(w)->message, text));
    assert_int_equal(cpb_record_writer_batch(w, "ab", sizes, 2), CPB_E_USAGE); /* and stays */
    file_free(&f);
    cpb_record_writer_free(w);
  }
}

static void a_record_too_large_ends_its_batch(void **state) {
  (void)state;
  const size_t sizes[] = {10, 20, 400000, 30};
  uint8_t *data = noise(400060, 5);
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  o.buffer = 100000;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  cpb_record_writer_batch(w, data, sizes, 4);
  assert_int_equal(drain(w, &f), CPB_STEP_ERROR);
  assert_int_equal(cpb_record_writer_error(w)->code, CPB_E_LIMIT);
  assert_non_null(strstr(cpb_record_writer_error(w)->message, "400000 bytes"));
  chunks *all = parse(&f); /* what was written before is whole */
  records *r = parse_records(all);
  assert_int_equal(r->count, 2);
  records_free(r);
  chunks_free(all);
  file_free(&f);
  free(data);
  cpb_record_writer_free(w);
}

static void no_record_has_more_than_2_to_the_62_bytes(void **state) {
  (void)state;
  if (SIZE_MAX <= UINT32_MAX) return; /* nor can it be said there */
  cpb_record_writer *w = cpb_record_writer_new(NULL, NULL);
  memory_file f = {0};
  cpb_record_writer_record(w, "a", SIZE_MAX);
  assert_int_equal(drain(w, &f), CPB_STEP_ERROR);
  assert_int_equal(cpb_record_writer_error(w)->code, CPB_E_LIMIT);
  file_free(&f);
  cpb_record_writer_free(w);
}

/* Writes as far as it goes; true when the file was finished. */
static bool write_with(const cpb_allocator *a, const sample *s, cpb_codec codec, memory_file *f) {
  cpb_record_writer_options o = options_for(codec);
  o.seekable = 1;
  o.buffer = 20000;
  cpb_record_writer *w = cpb_record_writer_new(a, &o);
  if (w == NULL) return false;
  const uint8_t *at = s->data;
  for (size_t i = 0; i < RECORDS; i += 50) {
    cpb_record_writer_batch(w, at, s->sizes + i, 49);
    drain(w, f);
    for (size_t k = 0; k < 49; k++) at += s->sizes[i + k];
    cpb_record_writer_record(w, at, s->sizes[i + 49]);
    drain(w, f);
    at += s->sizes[i + 49];
  }
  cpb_record_writer_finish(w);
  cpb_step step = drain(w, f);
  assert_true(step == CPB_STEP_DONE || cpb_record_writer_error(w)->code == CPB_E_MEMORY);
  cpb_record_writer_free(w);
  return step == CPB_STEP_DONE;
}

static void any_allocation_may_fail_in_a_batch(void **state) {
  (void)state;
  for (cpb_codec codec = CPB_CODEC_NONE; codec <= CPB_CODEC_ZSTD; codec += CPB_CODEC_ZSTD - CPB_CODEC_NONE) {
    sample s = sample_of(7);
    memory_file expected = {0};
    assert_true(write_with(NULL, &s, codec, &expected));
    bool failed = true;
    for (size_t n = 1; failed; n++) {
      failing_allocator f = {.fail_at = n};
      const cpb_allocator a = failing_allocator_of(&f);
      memory_file out = {0};
      bool done = write_with(&a, &s, codec, &out);
      failed = f.calls >= n;
      if (done) assert_same_file(&out, &expected, "after a failed allocation");
      assert_true(done || failed);
      assert_int_equal(f.blocks, 0);
      file_free(&out);
    }
    file_free(&expected);
    free(s.data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_records_are_those_in_pieces),
      cmocka_unit_test(a_batch_may_be_empty_or_of_empty_records),
      cmocka_unit_test(records_that_fill_chunks_are_output_in_place),
      cmocka_unit_test(wrong_use_of_batches_is_said),
      cmocka_unit_test(a_record_too_large_ends_its_batch),
      cmocka_unit_test(no_record_has_more_than_2_to_the_62_bytes),
      cmocka_unit_test(any_allocation_may_fail_in_a_batch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
