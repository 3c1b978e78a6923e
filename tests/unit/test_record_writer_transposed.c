/* Transposed chunks of the record writer: what they hold, when they are chosen, and that
 * everything else of the writer goes with them. The reader is the oracle for the records, and
 * the crate `riegeli` in tests/interop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cpb/records.h"

enum { COUNT = 400, ROOM = 4 << 20 };

typedef struct sample {
  uint8_t bytes[ROOM / 2];
  size_t sizes[COUNT];
} sample;

/* Messages that are alike, texts, empty records, and every 100th a long one. */
static void make(sample *s) {
  uint8_t *at = s->bytes;
  for (unsigned i = 0; i < COUNT; i++) {
    char text[64];
    int n = snprintf(text, sizeof text, "\x0a%cnode%03u\x12\x05%05u\x18%c", 7, i, i * 37 % 1000, (int)(i % 100));
    if (i % 10 == 3) n = snprintf(text, sizeof text, "no message: %u", i);
    if (i % 10 == 7) n = 0;
    memcpy(at, text, (size_t)n);
    size_t size = (size_t)n;
    for (; i % 100 == 50 && size < 9000; size++) at[size] = (uint8_t)(size * size >> 3);
    s->sizes[i] = size;
    at += size;
  }
}

typedef struct file {
  uint8_t bytes[ROOM];
  size_t size;
  uint64_t positions[COUNT];
  unsigned transposed, simple; /* chunks */
} file;

static cpb_step drain(cpb_record_writer *w, file *f) {
  cpb_step step;
  while ((step = cpb_record_writer_step(w)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    assert_true(offset + length <= ROOM);
    memcpy(f->bytes + offset, data, length);
    if (offset + length > f->size) f->size = (size_t)offset + length;
  }
  return step;
}

/* How records are given: 0: each at once, 1: in two parts, 2: in batches of 7. */
static void put(cpb_record_writer *w, file *f, const sample *s, size_t from, size_t to, int how) {
  const uint8_t *at = s->bytes;
  for (size_t i = 0; i < from; i++) at += s->sizes[i];
  for (size_t i = from, n; i < to; i += n) {
    size_t total = 0, half = s->sizes[i] / 2;
    n = how == 2 ? (to - i < 7 ? to - i : 7) : 1;
    for (size_t k = 0; k < n; k++) total += s->sizes[i + k];
    if (how == 0) assert_int_equal(cpb_record_writer_record(w, at, total), CPB_OK);
    if (how == 2) assert_int_equal(cpb_record_writer_batch(w, at, s->sizes + i, n), CPB_OK);
    if (how == 1) {
      assert_int_equal(cpb_record_writer_begin_record(w, total), CPB_OK);
      drain(w, f);
      assert_int_equal(cpb_record_writer_write(w, at, half), CPB_OK);
      drain(w, f);
      assert_int_equal(cpb_record_writer_write(w, at + half, total - half), CPB_OK);
    }
    assert_int_equal(drain(w, f), CPB_STEP_NEED);
    f->positions[i + n - 1] = cpb_record_writer_position(w);
    at += total;
  }
}

static void finish(cpb_record_writer *w, file *f) {
  assert_int_equal(cpb_record_writer_finish(w), CPB_OK);
  assert_int_equal(drain(w, f), CPB_STEP_DONE);
  cpb_record_writer_free(w);
}

static void write_file(file *f, const cpb_record_writer_options *o, const sample *s, int how) {
  memset(f, 0, sizeof *f);
  cpb_record_writer *w = cpb_record_writer_new(NULL, o);
  put(w, f, s, 0, COUNT, how);
  finish(w, f);
}

static cpb_step next(cpb_record_reader *r, const file *f) {
  cpb_step step;
  while ((step = cpb_record_reader_step(r)) == CPB_STEP_NEED) {
    cpb_input_supply(cpb_record_reader_input(r), 0, f->bytes, f->size);
    cpb_input_end(cpb_record_reader_input(r), f->size);
  }
  return step;
}

/* The file has the records, at the positions that the writer said. */
static void check(file *f, const sample *s) {
  const cpb_record_reader_options o = {.struct_size = sizeof o};
  cpb_record_reader *r = cpb_record_reader_new(NULL, &o);
  const uint8_t *at = s->bytes;
  uint64_t last = 0;
  f->transposed = f->simple = 0;
  for (size_t i = 0; i < COUNT; i++) {
    assert_int_equal(next(r, f), CPB_STEP_RECORD);
    const cpb_record *record = cpb_record_reader_record(r);
    assert_int_equal(record->size, s->sizes[i]);
    if (f->positions[i] != 0) assert_int_equal(record->position, f->positions[i]);
    if (record->chunk_begin != last) *(cpb_record_reader_chunk(r)->type == 't' ? &f->transposed : &f->simple) += 1;
    last = record->chunk_begin;
    for (size_t left = s->sizes[i], n; left > 0; left -= n, at += n) {
      assert_int_equal(next(r, f), CPB_STEP_DATA);
      const uint8_t *data = cpb_record_reader_data(r, &n);
      assert_memory_equal(data, at, n);
    }
  }
  assert_int_equal(next(r, f), CPB_STEP_DONE);
  cpb_record_reader_free(r);
}

static sample records;
static file one, other, third;

static void every_codec_size_and_way_gives_the_records(void **state) {
  (void)state;
  const uint64_t sizes[] = {0, 1, 300, 5000};
  for (int codec = CPB_CODEC_NONE; codec <= CPB_CODEC_SNAPPY; codec++) {
    for (size_t i = 0; i < 4 * 2 * 3; i++) {
      const cpb_record_writer_options o = {.struct_size = sizeof o,
                                           .codec = {.codec = (cpb_codec)codec},
                                           .chunk_size = sizes[i % 4],
                                           .transpose = i / 4 % 2 ? CPB_TRANSPOSE_ALWAYS : CPB_TRANSPOSE_IF_SMALLER,
                                           .bucket_fraction = i % 3 == 0   ? -1
                                                              : i % 3 == 1 ? 0.2
                                                                           : 0,
                                           .final_padding = 1000};
      write_file(&one, &o, &records, (int)(i / 8));
      check(&one, &records);
      if (o.transpose == CPB_TRANSPOSE_ALWAYS) assert_int_equal(one.simple, 0);
    }
  }
}

static void how_records_come_in_does_not_matter(void **state) {
  (void)state;
  const cpb_record_writer_options o = {.struct_size = sizeof o, .chunk_size = 3000, .transpose = CPB_TRANSPOSE_ALWAYS};
  write_file(&one, &o, &records, 0);
  for (int how = 1; how <= 2; how++) {
    write_file(&other, &o, &records, how);
    assert_int_equal(one.size, other.size);
    assert_memory_equal(one.bytes, other.bytes, one.size);
  }
}

static void the_smaller_of_both_is_kept(void **state) {
  (void)state;
  bool mixed = false;
  for (int codec = CPB_CODEC_NONE; codec <= CPB_CODEC_SNAPPY; codec++) {
    cpb_record_writer_options o = {.struct_size = sizeof o, .codec = {.codec = (cpb_codec)codec}, .chunk_size = 2000};
    write_file(&one, &o, &records, 0);
    o.transpose = CPB_TRANSPOSE_ALWAYS;
    write_file(&other, &o, &records, 0);
    o.transpose = CPB_TRANSPOSE_IF_SMALLER;
    write_file(&third, &o, &records, 0);
    check(&third, &records);
    if (third.size > one.size || third.size > other.size)
      fail_msg("codec %d: simple %zu, transposed %zu, smaller %zu", codec, one.size, other.size, third.size);
    mixed |= third.transposed > 0 && third.simple > 0;
  }
  assert_true(mixed);
}

static void a_record_beyond_the_buffer_goes_into_a_simple_chunk(void **state) {
  (void)state;
  cpb_record_writer_options o = {
      .struct_size = sizeof o, .chunk_size = 3000, .buffer = 4000, .seekable = 1, .transpose = CPB_TRANSPOSE_ALWAYS};
  for (int codec = CPB_CODEC_NONE; codec <= CPB_CODEC_SNAPPY; codec++) {
    o.codec.codec = (cpb_codec)codec;
    for (int how = 0; how <= 2; how++) {
      write_file(&one, &o, &records, how);
      check(&one, &records);
      assert_int_equal(one.simple, 4);
      assert_true(one.transposed > 4);
    }
  }
}

static void compression_changes_between_records_and_appends(void **state) {
  (void)state;
  cpb_record_writer_options o = {.struct_size = sizeof o, .chunk_size = 1 << 20};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memset(&one, 0, sizeof one);
  put(w, &one, &records, 0, 100, 0);
  assert_int_equal(cpb_record_writer_transpose(w, CPB_TRANSPOSE_ALWAYS), CPB_OK);
  assert_int_equal(drain(w, &one), CPB_STEP_NEED);
  put(w, &one, &records, 100, 200, 0);
  assert_int_equal(cpb_record_writer_transpose(w, CPB_TRANSPOSE_NEVER), CPB_OK);
  assert_int_equal(drain(w, &one), CPB_STEP_NEED);
  put(w, &one, &records, 200, 300, 0);
  finish(w, &one);
  o.append_at = one.size;
  o.initial_padding = 65536;
  o.transpose = CPB_TRANSPOSE_ALWAYS;
  w = cpb_record_writer_new(NULL, &o);
  put(w, &one, &records, 300, COUNT, 0);
  finish(w, &one);
  check(&one, &records);
  assert_int_equal(one.transposed, 2);
  assert_int_equal(one.simple, 2);
}

static void wrong_options_are_usage_errors(void **state) {
  (void)state;
  const cpb_record_writer_options wrong[] = {
      {.struct_size = sizeof *wrong, .transpose = (cpb_transpose)3},
      {.struct_size = sizeof *wrong, .bucket_fraction = 1.5},
      {.struct_size = sizeof *wrong, .bucket_fraction = -0.5},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cpb_record_writer *w = cpb_record_writer_new(NULL, &wrong[i]);
    assert_int_equal(cpb_record_writer_error(w)->code, CPB_E_USAGE);
    cpb_record_writer_free(w);
  }
  cpb_record_writer *w = cpb_record_writer_new(NULL, NULL);
  assert_int_equal(cpb_record_writer_transpose(w, (cpb_transpose)7), CPB_E_USAGE);
  cpb_record_writer_free(w);
}

static int set_up(void **state) {
  (void)state;
  make(&records);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_codec_size_and_way_gives_the_records),
      cmocka_unit_test(how_records_come_in_does_not_matter),
      cmocka_unit_test(the_smaller_of_both_is_kept),
      cmocka_unit_test(a_record_beyond_the_buffer_goes_into_a_simple_chunk),
      cmocka_unit_test(compression_changes_between_records_and_appends),
      cmocka_unit_test(wrong_options_are_usage_errors),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
