/* Records by their numbers, which the headers of Riegeli chunks tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "failing_allocator.h"
#include "reader_cases.h"

/* Chunks of 0 to 5 records, some larger than a block, and padding between them. */
static built_file file_of(size_t chunks) {
  built_file f = {0};
  put_signature(&f);
  for (size_t i = 0; i < chunks; i++) {
    const size_t sizes[] = {i % 7, 0, i % 11 == 3 ? 70000 : 9, 1, i};
    put_records(&f, sizes, i % 6);
    if (i % 5 == 2) put_chunk(&f, CPB_CHUNK_PADDING, "\0\0\0", 3, 0, 0);
  }
  return f;
}

static void expect_number(host *h, cpb_record_reader *r, const built_file *f, size_t number) {
  const built_record *record = &f->records[number];
  static outcome o;
  memset(&o, 0, sizeof o);
  cpb_record_reader_seek_number(r, number);
  run(h, r, 1, &o);
  assert_string_equal(o.error.message, "");
  assert_int_equal(o.num_records, 1);
  assert_int_equal(o.records[0].position, record->chunk_begin + record->index);
  assert_int_equal(o.size, record->size);
  if (o.size > 0) assert_memory_equal(o.contents, f->contents + record->offset, o.size);
  outcome_free(&o);
}

static cpb_step to_the_end(host *h, cpb_record_reader *r) {
  cpb_step step;
  cpb_record_reader_seek_number(r, UINT64_MAX);
  while ((step = cpb_record_reader_step(r)) == CPB_STEP_NEED && answer(h, cpb_record_reader_input(r))) continue;
  return step;
}

static void records_are_found_by_number_in_any_order(void **state) {
  (void)state;
  built_file f = file_of(40);
  for (int m = 0; m < MANNERS; m++) {
    for (int verify = 0; verify <= CPB_VERIFY_NEVER; verify++) {
      host h = host_of(&f, (manner)m);
      cpb_record_reader *r = reader((cpb_record_reader_options){.verify = (cpb_verify)verify, .buffer = 4096});
      uint64_t count = 1;
      if (m % 2 == 0) assert_int_equal(cpb_record_reader_count(r, &count), 0);
      for (size_t i = 0; i < 2 * f.num_records; i++) expect_number(&h, r, &f, i * 37 % f.num_records);
      assert_int_equal(to_the_end(&h, r), CPB_STEP_DONE);
      assert_int_not_equal(cpb_record_reader_count(r, &count), 0);
      assert_int_equal(count, f.num_records);
      expect_number(&h, r, &f, f.num_records - 1);
      free(h.lent);
      cpb_record_reader_free(r);
    }
  }
  built_free(&f);
}

static void counting_reads_headers_alone_and_once(void **state) {
  (void)state;
  built_file f = {0};
  const size_t sizes[] = {3000, 4000};
  enum { CHUNKS = 100 };
  put_signature(&f);
  for (size_t i = 0; i < CHUNKS; i++) put_records(&f, sizes, 2);
  host h = host_of(&f, AS_ASKED);
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  assert_int_equal(to_the_end(&h, r), CPB_STEP_DONE);
  uint64_t count;
  assert_true(cpb_record_reader_count(r, &count) && count == 2 * CHUNKS);
  assert_true(h.asked <= (CHUNKS + 20) * (CPB_CHUNK_HEADER_SIZE + 1 + CPB_BLOCK_HEADER_SIZE));
  h.asked = h.requests = 0;
  expect_number(&h, r, &f, 150);
  assert_true(h.asked < 7300);
  const uint64_t before = h.asked;
  expect_number(&h, r, &f, 151); /* of the same chunk */
  assert_int_equal(h.asked, before);
  free(h.lent);
  cpb_record_reader_free(r);
  built_free(&f);
}

/* More chunks than are noted; each record is its number. */
static void memory_for_numbers_is_bounded(void **state) {
  (void)state;
  enum { CHUNKS = 150000, ROOM = CHUNKS * 48 };
  const cpb_record_writer_options how = {
      .struct_size = sizeof how, .codec = {.codec = CPB_CODEC_NONE}, .record_per_chunk = 1};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &how);
  built_file f = {.bytes = malloc(ROOM)};
  for (uint32_t i = 0; i <= CHUNKS; i++) {
    assert_int_equal(i < CHUNKS ? cpb_record_writer_record(w, &i, 3) : cpb_record_writer_finish(w), CPB_OK);
    while (cpb_record_writer_step(w) == CPB_STEP_OUTPUT) {
      uint64_t offset;
      size_t size;
      const uint8_t *data = cpb_record_writer_output(w, &offset, &size);
      assert_true(offset + size <= ROOM);
      memcpy(f.bytes + offset, data, size);
      f.size = (size_t)offset + size;
    }
  }
  cpb_record_writer_free(w);

  failing_allocator memory = {0};
  const cpb_allocator a = failing_allocator_of(&memory);
  host h = host_of(&f, ALL_AT_ONCE);
  cpb_record_reader *r = cpb_record_reader_new(&a, NULL);
  uint64_t count = 0;
  assert_int_equal(to_the_end(&h, r), CPB_STEP_DONE);
  assert_true(cpb_record_reader_count(r, &count));
  assert_int_equal(count, CHUNKS);
  assert_true(memory.largest <= (size_t)3 << 20);
  for (uint32_t i = 0; i < 20; i++) {
    const uint32_t number = i * 7919 * 13 % CHUNKS;
    static outcome o;
    memset(&o, 0, sizeof o);
    cpb_record_reader_seek_number(r, number);
    run(&h, r, 1, &o);
    assert_int_equal(o.size, 3);
    assert_memory_equal(o.contents, &number, 3);
    outcome_free(&o);
  }
  cpb_record_reader_free(r);
  assert_int_equal(memory.blocks, 0);
  free(h.lent);
  built_free(&f);
}

static void past_the_end_is_the_end_until_the_file_grows(void **state) {
  (void)state;
  built_file f = file_of(10);
  const size_t chunks[] = {2, 3};
  const size_t before = f.num_records, size = f.size;
  put_records(&f, chunks, 2);
  host h = host_of(&f, AS_ASKED);
  h.size = size;
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  uint64_t count;
  static outcome o;
  memset(&o, 0, sizeof o);
  cpb_record_reader_seek_number(r, before);
  run(&h, r, SIZE_MAX, &o);
  assert_int_equal(o.last, CPB_STEP_DONE);
  assert_int_equal(o.num_records, 0);
  assert_true(cpb_record_reader_count(r, &count) && count == before);
  h.size = f.size;
  cpb_input_end(cpb_record_reader_input(r), f.size);
  run(&h, r, SIZE_MAX, &o);
  assert_int_equal(o.num_records, 2);
  assert_int_equal(to_the_end(&h, r), CPB_STEP_DONE);
  assert_true(cpb_record_reader_count(r, &count) && count == before + 2);
  outcome_free(&o);
  free(h.lent);
  cpb_record_reader_free(r);
  built_free(&f);
}

/* The header of the chunk with the records 4 to 7 is damaged, and in the next file the data. */
static void damage_is_an_error_or_skipped(void **state) {
  (void)state;
  for (int data = 0; data < 2; data++) {
    built_file f = small_file();
    const size_t begin = (size_t)f.records[4].chunk_begin;
    f.bytes[begin + (data ? CPB_CHUNK_HEADER_SIZE + 10 : 9)] ^= 1;
    host h = host_of(&f, ALL_AT_ONCE);
    cpb_record_reader *r = reader((cpb_record_reader_options){0});
    uint64_t count = 0;
    assert_int_equal(to_the_end(&h, r), data ? CPB_STEP_DONE : CPB_STEP_ERROR);
    assert_int_equal(cpb_record_reader_count(r, &count), data);
    assert_int_equal(count, data ? 12 : 0);
    if (data) expect_number(&h, r, &f, 11);
    cpb_record_reader_free(r);

    static outcome o;
    memset(&o, 0, sizeof o);
    r = reader((cpb_record_reader_options){.recover = 1});
    cpb_record_reader_seek_number(r, 6);
    run(&h, r, 1, &o);
    assert_int_equal(o.num_skipped, 1);
    assert_int_equal(o.num_records, data);
    outcome_free(&o);
    free(h.lent);
    cpb_record_reader_free(r);
    built_free(&f);
  }
}

static void a_truncated_file_has_no_count(void **state) {
  (void)state;
  built_file f = small_file();
  host h = host_of(&f, AS_ASKED);
  h.size = f.size - 3;
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  uint64_t count;
  assert_int_equal(to_the_end(&h, r), CPB_STEP_ERROR);
  assert_int_equal(cpb_record_reader_error(r)->code, CPB_E_TRUNCATED);
  assert_int_equal(cpb_record_reader_count(r, &count), 0);
  free(h.lent);
  cpb_record_reader_free(r);
  built_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_found_by_number_in_any_order),
      cmocka_unit_test(counting_reads_headers_alone_and_once),
      cmocka_unit_test(memory_for_numbers_is_bounded),
      cmocka_unit_test(past_the_end_is_the_end_until_the_file_grows),
      cmocka_unit_test(damage_is_an_error_or_skipped),
      cmocka_unit_test(a_truncated_file_has_no_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
