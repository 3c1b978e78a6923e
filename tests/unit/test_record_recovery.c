#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "reader_cases.h"

/* --- Damage --------------------------------------------------------------- */

static bool is_prefix(const outcome *o, const built_file *f) {
  if (o->num_records > f->num_records || o->size > f->contents_size) return false;
  for (size_t i = 0; i < o->num_records; i++)
    if (o->records[i].size != f->records[i].size) return false;
  return o->size == 0 || memcmp(o->contents, f->contents, o->size) == 0;
}

/* However the host feeds the file, and whenever hashes are checked. */
static void expect_everywhere(const built_file *f, const cpb_error *error) {
  for (manner m = ALL_AT_ONCE; m < MANNERS; m++) {
    for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_LATE; verify++) {
      outcome o = {0};
      read_file(f, m, (cpb_record_reader_options){.verify = verify}, &o);
      assert_int_equal(o.last, CPB_STEP_ERROR);
      assert_string_equal(o.error.message, error->message);
      assert_int_equal(o.error.code, error->code);
      assert_int_equal(o.error.offset, error->offset);
      outcome_free(&o);
    }
  }
}

static void a_flipped_bit_is_the_same_error_everywhere_before_any_wrong_record(void **state) {
  (void)state;
  built_file f = small_file();
  for (size_t bit = 0; bit < 8 * f.size; bit++) {
    f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    outcome o = {0};
    read_file(&f, ALL_AT_ONCE, (cpb_record_reader_options){0}, &o);
    assert_int_equal(o.last, CPB_STEP_ERROR);
    assert_int_equal(o.error.code == CPB_E_FORMAT, bit < 8 * CPB_FILE_SIGNATURE_SIZE);
    assert_true(is_prefix(&o, &f) && !o.cut);
    expect_everywhere(&f, &o.error);
    outcome_free(&o);
    f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  built_free(&f);
}

static void a_truncated_file_is_an_error_unless_a_chunk_ends_there(void **state) {
  (void)state;
  built_file f = small_file(), cut = f;
  for (cut.size = 1; cut.size < f.size; cut.size++) {
    for (manner m = ALL_AT_ONCE; m <= AS_ASKED; m++) {
      bool clean = cut.size == 64;
      for (size_t i = 0; i < f.num_records; i++) clean |= cut.size == f.records[i].chunk_begin;
      outcome o = {0};
      read_file(&cut, m, (cpb_record_reader_options){0}, &o);
      assert_int_equal(o.last, clean ? CPB_STEP_DONE : CPB_STEP_ERROR);
      if (!clean) assert_int_equal(o.error.code, CPB_E_TRUNCATED);
      if (!clean) assert_int_equal(o.error.offset, cut.size);
      assert_true(is_prefix(&o, &f) && !o.cut);
      outcome_free(&o);
    }
  }
  built_free(&f);
}

static void recovery_leaves_out_exactly_the_damaged_chunk(void **state) {
  (void)state;
  built_file f = small_file();
  f.bytes[f.records[4].chunk_begin + 50] ^= 1;
  for (manner m = ALL_AT_ONCE; m < MANNERS; m++) {
    outcome o = {0};
    read_file(&f, m, (cpb_record_reader_options){.recover = 1}, &o);
    assert_int_equal(o.last, CPB_STEP_DONE);
    assert_int_equal(o.num_records, 8);
    assert_int_equal(o.records[4].chunk_begin, f.records[8].chunk_begin);
    assert_int_equal(o.num_skipped, 1);
    assert_int_equal(o.skipped[0].begin, f.records[4].chunk_begin);
    assert_int_equal(o.skipped[0].end, f.records[8].chunk_begin);
    outcome_free(&o);
  }
  built_free(&f);
}

static void recovery_finds_the_next_chunk_through_the_block_headers(void **state) {
  (void)state;
  built_file f = {0};
  const size_t sizes[] = {5, 20000};
  put_signature(&f);
  for (int i = 0; i < 12; i++) put_records(&f, sizes, 2);
  f.bytes[f.records[2].chunk_begin + 9] ^= 1; /* its header: 2 to the next block are lost */
  size_t next = 2;
  while (f.records[next].chunk_begin < CPB_BLOCK_SIZE) next++;
  for (manner m = ALL_AT_ONCE; m < MANNERS; m++) {
    outcome o = {0};
    read_file(&f, m, (cpb_record_reader_options){.recover = 1}, &o);
    assert_int_equal(o.last, CPB_STEP_DONE);
    assert_int_equal(o.num_skipped, 1);
    assert_int_equal(o.skipped[0].begin, f.records[2].chunk_begin);
    assert_int_equal(o.skipped[0].end, f.records[next].chunk_begin);
    assert_int_equal(o.num_records, 2 + f.num_records - next);
    outcome_free(&o);
  }
  built_free(&f);
}

static void a_file_that_grows_after_a_skipped_end_reports_the_gap(void **state) {
  (void)state;
  built_file f = {0};
  const size_t sizes[] = {40000, 40000};
  put_signature(&f);
  put_records(&f, sizes, 2);
  put_records(&f, sizes, 2);
  f.bytes[64] ^= 1;
  host h = host_of(&f, AS_ASKED);
  outcome o = {0};
  cpb_record_reader *r = reader((cpb_record_reader_options){.recover = 1});
  h.size = 50000;
  cpb_input_end(cpb_record_reader_input(r), h.size);
  run(&h, r, SIZE_MAX, &o);
  assert_int_equal(o.last, CPB_STEP_DONE);
  h.size = f.size;
  cpb_input_end(cpb_record_reader_input(r), h.size);
  run(&h, r, SIZE_MAX, &o);
  assert_int_equal(o.last, CPB_STEP_DONE);
  assert_true(o.num_skipped >= 2 && o.skipped[0].begin == 64);
  for (size_t i = 1; i < o.num_skipped; i++) assert_true(o.skipped[i].begin == o.skipped[i - 1].end);
  assert_int_equal(o.skipped[o.num_skipped - 1].end, f.records[2].chunk_begin);
  assert_int_equal(o.num_records, 2);
  cpb_record_reader_free(r);
  outcome_free(&o);
  free(h.lent);
  built_free(&f);
}

static void a_block_header_must_name_the_chunk_around_it(void **state) {
  (void)state;
  const size_t sizes[] = {40000, 40000};
  for (int which = 0; which < 2; which++) {
    built_file f = {0};
    put_signature(&f);
    for (int i = 0; i < 3; i++) put_records(&f, sizes, 2);
    uint64_t previous = CPB_BLOCK_SIZE - 64, next = f.records[2].chunk_begin - CPB_BLOCK_SIZE;
    const cpb_block_header lie = {previous + (which == 0), next + (which == 1)};
    cpb_block_header_encode(&lie, f.bytes + CPB_BLOCK_SIZE);
    for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
      outcome o = {0};
      read_file(&f, AS_ASKED, (cpb_record_reader_options){.verify = verify}, &o);
      assert_int_equal(o.error.code, CPB_E_DAMAGED);
      assert_int_equal(o.error.offset, CPB_BLOCK_SIZE);
      outcome_free(&o);
    }
    built_free(&f);
  }
}

static void data_that_changes_between_two_passes_is_damage(void **state) {
  (void)state;
  const size_t size = 100000;
  built_file f = {0};
  put_signature(&f);
  put_records(&f, &size, 1);
  host h = host_of(&f, AS_ASKED);
  cpb_record_reader *r = reader((cpb_record_reader_options){.buffer = 1000, .read_size = 1000});
  outcome o = {0};
  while ((o.last = cpb_record_reader_step(r)) == CPB_STEP_NEED) answer(&h, cpb_record_reader_input(r));
  assert_int_equal(o.last, CPB_STEP_RECORD); /* so the first pass was fine */
  f.bytes[50000] ^= 1;
  run(&h, r, SIZE_MAX, &o);
  assert_int_equal(o.error.code, CPB_E_DAMAGED);
  cpb_record_reader_free(r);
  outcome_free(&o);
  free(h.lent);
  built_free(&f);
}

static void a_block_header_that_points_at_itself_does_not_stop_recovery(void **state) {
  (void)state;
  for (uint64_t next_chunk = 0; next_chunk < 30; next_chunk++) {
    built_file f = {0};
    const size_t sizes[] = {40000, 40000};
    put_signature(&f);
    for (int i = 0; i < 3; i++) put_records(&f, sizes, 2);
    const cpb_block_header lie = {next_chunk == 29 ? UINT64_MAX : 40, next_chunk == 28 ? UINT64_MAX : next_chunk};
    cpb_block_header_encode(&lie, f.bytes + CPB_BLOCK_SIZE);
    outcome o = {0};
    read_file(&f, AS_ASKED, (cpb_record_reader_options){.recover = 1}, &o);
    assert_int_equal(o.last, CPB_STEP_DONE);
    assert_true(o.num_skipped >= 1);
    outcome_free(&o);
    built_free(&f);
  }
}

/* --- What a chunk may not say --------------------------------------------- */

typedef struct lie {
  const char *data;
  size_t size;
  uint64_t num_records, decoded_size;
  uint8_t type;
  cpb_code code;
} lie;

/* The data of the last chunk, which begins there, does not match its hash: whatever else is wrong
 * with it, that is what is said. */
static void expect_the_hash_first(built_file *f, uint64_t begin) {
  cpb_chunk_header header;
  assert_true(cpb_chunk_header_decode(f->bytes + begin, &header));
  header.data_hash ^= 1;
  cpb_chunk_header_encode(&header, f->bytes + begin);
  const cpb_error error = {
      .code = CPB_E_DAMAGED, .offset = begin, .message = "Riegeli chunk: the data does not match its hash"};
  expect_everywhere(f, &error);
}

static void lying_chunks_are_refused_before_their_first_record(void **state) {
  (void)state;
  static const lie lies[] = {
      {"\0\1\2ab", 5, 1, 2, 'r', CPB_OK},
      {"\0\2\1\1ab", 6, 2, 2, 'r', CPB_OK},
      {"", 0, 1, 2, 'r', CPB_E_DAMAGED},
      {"\0", 1, 1, 2, 'r', CPB_E_DAMAGED},
      {"\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", 13, 1, 2, 'r', CPB_E_DAMAGED},
      {"\0\x7f\2ab", 5, 1, 2, 'r', CPB_E_DAMAGED},   /* sizes past the end */
      {"\0\1\2ab", 5, 2, 2, 'r', CPB_E_DAMAGED},     /* too few sizes */
      {"\0\2\2\0ab", 6, 1, 2, 'r', CPB_E_DAMAGED},   /* too many */
      {"\0\1\1ab", 5, 1, 2, 'r', CPB_E_DAMAGED},     /* sizes below decoded_size */
      {"\0\1\3ab", 5, 1, 2, 'r', CPB_E_DAMAGED},     /* and above */
      {"\0\1\2a", 4, 1, 2, 'r', CPB_E_DAMAGED},      /* bytes missing */
      {"\0\1\2abc", 6, 1, 2, 'r', CPB_E_DAMAGED},    /* and trailing */
      {"x\1\2ab", 5, 1, 2, 'r', CPB_E_UNSUPPORTED},  /* codec */
      {"\0\1\2ab", 5, 1, 2, 'q', CPB_E_UNSUPPORTED}, /* chunk type */
      {"\0\1\2ab", 5, 0, 2, 'q', CPB_OK},            /* ignored */
      {"", 0, 0, 1, 'p', CPB_E_DAMAGED},
      {"", 0, 1, 0, 'p', CPB_E_DAMAGED},
      {"x", 1, 0, 0, 's', CPB_E_DAMAGED},
      {"", 0, 1, 0, 'm', CPB_E_DAMAGED},
      {"xyz", 3, 0, 0, 'm', CPB_OK}, /* not right after the signature */
      {"\0xy", 3, 1, 0, 't', CPB_E_DAMAGED},
  };
  const size_t one[] = {3};
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    built_file f = {0};
    put_signature(&f);
    put_records(&f, one, 1);
    uint64_t begin = f.size;
    put_chunk(&f, lies[i].type, lies[i].data, lies[i].size, lies[i].num_records, lies[i].decoded_size);
    for (manner m = ALL_AT_ONCE; m < MANNERS; m++) {
      outcome o = {0};
      read_file(&f, m, (cpb_record_reader_options){.verify = m % 3}, &o);
      assert_int_equal(o.error.code, lies[i].code);
      if (lies[i].code != CPB_OK) assert_int_equal(o.num_records, 1);
      if (lies[i].code != CPB_OK) assert_int_equal(o.error.offset, begin);
      outcome_free(&o);
    }
    expect_the_hash_first(&f, begin);
    built_free(&f);
  }
}

static void a_size_past_64_bits_is_a_truncated_file(void **state) {
  (void)state;
  static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX / 2, UINT64_MAX - 200, (uint64_t)1 << 40};
  for (size_t i = 0; i < 4; i++) {
    built_file f = {0};
    put_signature(&f);
    const cpb_chunk_header header = {sizes[i], 0, 1, 1, 'r'};
    uint8_t bytes[CPB_CHUNK_HEADER_SIZE];
    cpb_chunk_header_encode(&header, bytes);
    put_bytes(&f, 64, 1000, bytes, sizeof bytes);
    put_bytes(&f, 64, 1000, "abcd", 4);
    outcome o = {0};
    read_file(&f, AS_ASKED, (cpb_record_reader_options){0}, &o);
    assert_int_equal(o.error.code, CPB_E_TRUNCATED);
    outcome_free(&o);
    built_free(&f);
  }
}

static void limits_have_errors_of_their_own(void **state) {
  (void)state;
  cpb_limits limits = {.struct_size = sizeof limits, .records_per_chunk = 3};
  built_file f = small_file();
  outcome o = {0};
  read_file(&f, ALL_AT_ONCE, (cpb_record_reader_options){.limits = &limits, .recover = 1}, &o);
  assert_int_equal(o.error.code, CPB_E_LIMIT);
  assert_non_null(strstr(o.error.message, "limit records_per_chunk"));
  outcome_free(&o);
  built_free(&f);

  /* Collected, a transposed chunk may not be larger than the buffer. */
  uint8_t zeros[3000] = {0};
  limits = (cpb_limits){.struct_size = sizeof limits, .riegeli_chunk = 2000};
  put_signature(&f);
  put_chunk(&f, 't', zeros, sizeof zeros, 1, 1);
  read_file(&f, AS_ASKED, (cpb_record_reader_options){.limits = &limits, .read_size = 500, .buffer = 100}, &o);
  assert_int_equal(o.error.code, CPB_E_LIMIT);
  outcome_free(&o);
  built_free(&f);
}

static void expect_recovered(const built_file *f, size_t lost, uint64_t begin, uint64_t end) {
  for (manner m = ALL_AT_ONCE; m < MANNERS; m++) {
    outcome o = {0};
    read_file(f, m, (cpb_record_reader_options){.recover = 1}, &o);
    assert_int_equal(o.last, CPB_STEP_DONE);
    assert_int_equal(o.num_records, f->num_records - lost);
    assert_true(o.num_skipped > 0);
    assert_int_equal(o.skipped[0].begin, begin);
    for (size_t i = 1; i < o.num_skipped; i++) assert_int_equal(o.skipped[i].begin, o.skipped[i - 1].end);
    assert_int_equal(o.skipped[o.num_skipped - 1].end, end);
    outcome_free(&o);
  }
}

static void recovery_finds_a_chunk_that_begins_with_its_block(void **state) {
  (void)state;
  const size_t sizes[] = {5, 20000};
  built_file f = {0};
  put_signature(&f);
  put_records(&f, sizes, 2);
  put_padding_to_block(&f);
  assert_int_equal(f.size, CPB_BLOCK_SIZE);
  put_records(&f, sizes, 2);
  f.bytes[f.records[0].chunk_begin + 9] ^= 1; /* its header */
  expect_recovered(&f, 2, f.records[0].chunk_begin, CPB_BLOCK_SIZE);
  built_free(&f);
}

/* The first of two Riegeli chunks has a damaged header, and the block header on
 * the way to the second, with a right hash, says that this ends elsewhere. */
static void a_block_header_that_lies_leads_recovery_no_further_than_the_end(void **state) {
  (void)state;
  const size_t sizes[] = {5, 100000};
  built_file f = {0};
  put_signature(&f);
  for (int i = 0; i < 3; i++) put_records(&f, sizes, 2);
  const uint64_t second = f.records[2].chunk_begin, third = f.records[4].chunk_begin, size = f.size;
  const struct {
    uint64_t target; /* what the header says; from 0 on again: past 2^64 */
    size_t lost;
    uint64_t end;
  } cases[] = {
      {second, 2, second},
      {third, 4, third},
      {size, 6, size},
      {size + 1, 6, size},
      {UINT64_MAX - 5, 6, size},
      {UINT64_MAX, 6, size},
      {0 - CPB_BLOCK_SIZE + 10, 6, size},  /* within the last block header there could be */
      {0, 6, size},                        /* 2^64 */
      {100, 6, size},                      /* beyond it */
      {2 * CPB_BLOCK_SIZE + 10, 4, third}, /* within a block header: the block after that is tried */
      {CPB_BLOCK_SIZE + 10, 4, third},     /* within this one: so is the next */
  };
  f.bytes[f.records[0].chunk_begin + 9] ^= 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cpb_block_header header = {CPB_BLOCK_SIZE - f.records[0].chunk_begin, cases[i].target - CPB_BLOCK_SIZE};
    cpb_block_header_encode(&header, f.bytes + CPB_BLOCK_SIZE);
    expect_recovered(&f, cases[i].lost, f.records[0].chunk_begin, cases[i].end);
  }
  built_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flipped_bit_is_the_same_error_everywhere_before_any_wrong_record),
      cmocka_unit_test(a_truncated_file_is_an_error_unless_a_chunk_ends_there),
      cmocka_unit_test(recovery_leaves_out_exactly_the_damaged_chunk),
      cmocka_unit_test(recovery_finds_the_next_chunk_through_the_block_headers),
      cmocka_unit_test(recovery_finds_a_chunk_that_begins_with_its_block),
      cmocka_unit_test(a_block_header_that_lies_leads_recovery_no_further_than_the_end),
      cmocka_unit_test(a_file_that_grows_after_a_skipped_end_reports_the_gap),
      cmocka_unit_test(a_block_header_must_name_the_chunk_around_it),
      cmocka_unit_test(data_that_changes_between_two_passes_is_damage),
      cmocka_unit_test(a_block_header_that_points_at_itself_does_not_stop_recovery),
      cmocka_unit_test(lying_chunks_are_refused_before_their_first_record),
      cmocka_unit_test(a_size_past_64_bits_is_a_truncated_file),
      cmocka_unit_test(limits_have_errors_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
