/* Transposed chunks that Riegeli wrote, whole and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "failing_allocator.h"
#include "riegeli/transpose/transpose.h"
#include "transposed_files.h"

/* Compares with the records in `lp`, each after its size. */
static size_t compare(const cpb_transposed *got, const uint8_t *lp) {
  const uint8_t *at = lp;
  uint64_t begin = 0;
  for (size_t i = 0; i < got->num_records; i++) {
    const size_t size = (size_t)cpb_load64(at);
    assert_int_equal(got->ends[i] - begin, size);
    if (size > 0) assert_memory_equal(got->values.data + begin, at + 8, size);
    at += 8 + size;
    begin = got->ends[i];
  }
  assert_int_equal(begin, got->values.size);
  return (size_t)(at - lp);
}

static void chunks_by_riegeli_give_the_records_that_were_written(void **state) {
  (void)state;
  static const char *const names[] = {
      "tr_odd_uncompressed",
      "tr_odd_brotli",
      "tr_odd_zstd",
      "tr_odd_snappy",
      "tr_mixed_uncompressed",
      "tr_nonproto_zstd",
      "tr_groups",
      "tr_deep",
      "tr_doubles_bools",
      "tr_strings",
      "tr_one_record",
      "tr_bucket_05_brotli",
      "tr_bucket_0_zstd",
      "tr_bucket_1_zstd",
      "tr_varints",
      "tr_many_tags",
      "tr_packed",
      "tr_protos_zstd_small_chunks",
      "tr_nodedef_zstd",
      "tr_example_snappy",
  };
  static file in, records;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[100];
    snprintf(name, sizeof name, "records/%s.riegeli", names[i]);
    read_file(&in, name);
    snprintf(name, sizeof name, "records/%s.lp", names[i]);
    read_file(&records, name);
    without_block_headers(&in);
    size_t position = 0, compared = 0;
    riegeli_chunk chunk;
    while (next_chunk(&in, &position, &chunk)) {
      cpb_transposed out;
      cpb_error error = {0};
      if (!cpb_transpose_decode(NULL, NULL, chunk.data, chunk.num_records, chunk.decoded_size, &out, &error))
        fail_msg("%s: %s", name, error.message);
      compared += compare(&out, records.data + compared);
      cpb_transposed_free(&out);
    }
    assert_int_equal(compared, records.size);
  }
}

static riegeli_chunk first_chunk(file *f, const char *name) {
  riegeli_chunk chunk;
  size_t position = 0;
  read_file(f, name);
  without_block_headers(f);
  assert_true(next_chunk(f, &position, &chunk));
  return chunk;
}

/* An exact copy, so that sanitizers see a read out of it. */
static cpb_code decode_copy(const riegeli_chunk *chunk, const uint8_t *data, size_t size) {
  failing_allocator f = {0};
  const cpb_allocator a = failing_allocator_of(&f);
  const cpb_limits limits = {.struct_size = sizeof limits, .window = 1u << 22};
  cpb_transposed out;
  cpb_error error = {0};
  uint8_t *copy = malloc(size > 0 ? size : 1);
  memcpy(copy, data, size);
  const bool done =
      cpb_transpose_decode(&a, &limits, (cpb_span){copy, size}, chunk->num_records, chunk->decoded_size, &out, &error);
  if (done) {
    assert_int_equal(out.num_records, chunk->num_records);
    assert_int_equal(out.values.size, chunk->decoded_size);
    cpb_transposed_free(&out);
  }
  free(copy);
  assert_int_equal(f.blocks, 0);
  assert_true(f.largest <= 1u << 23);
  return error.code;
}

static const char *const small_files[] = {"corrupt/base_tr_none.riegeli", "corrupt/base_tr_zstd.riegeli",
                                          "corrupt/base_tr_brotli.riegeli", "corrupt/base_tr_snappy.riegeli"};

static void a_chunk_cut_anywhere_is_an_error(void **state) {
  (void)state;
  static file in;
  for (size_t i = 0; i < sizeof small_files / sizeof *small_files; i++) {
    const riegeli_chunk chunk = first_chunk(&in, small_files[i]);
    assert_int_equal(decode_copy(&chunk, chunk.data.data, chunk.data.size), CPB_OK);
    for (size_t size = 0; size < chunk.data.size; size++)
      assert_int_equal(decode_copy(&chunk, chunk.data.data, size), CPB_E_DAMAGED);
  }
}

static void a_flipped_bit_is_an_error_or_other_values(void **state) {
  (void)state;
  static file in;
  static uint8_t copy[1 << 17];
  for (size_t i = 0; i < sizeof small_files / sizeof *small_files; i++) {
    const riegeli_chunk chunk = first_chunk(&in, small_files[i]);
    memcpy(copy, chunk.data.data, chunk.data.size);
    for (size_t bit = 0; bit < 8 * chunk.data.size; bit++) {
      copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
      const cpb_code code = decode_copy(&chunk, copy, chunk.data.size);
      if (code != CPB_OK && code != CPB_E_DAMAGED && code != CPB_E_LIMIT && code != CPB_E_UNSUPPORTED)
        fail_msg("bit %zu of %s: %s", bit, small_files[i], cpb_code_name(code));
      copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  static file in;
  for (size_t i = 0; i < sizeof small_files / sizeof *small_files; i++) {
    const riegeli_chunk chunk = first_chunk(&in, small_files[i]);
    bool failed = true;
    for (size_t n = 1; failed; n++) {
      for (int for_ever = 0; for_ever < 2; for_ever++) {
        failing_allocator f = {.fail_at = n, .for_ever = for_ever};
        const cpb_allocator a = failing_allocator_of(&f);
        cpb_transposed out;
        cpb_error error = {0};
        failed = !cpb_transpose_decode(&a, NULL, chunk.data, chunk.num_records, chunk.decoded_size, &out, &error);
        assert_int_equal(failed, f.calls >= n);
        assert_int_equal(error.code, failed ? CPB_E_MEMORY : CPB_OK);
        if (!failed) cpb_transposed_free(&out);
        assert_int_equal(f.blocks, 0);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_by_riegeli_give_the_records_that_were_written),
      cmocka_unit_test(a_chunk_cut_anywhere_is_an_error),
      cmocka_unit_test(a_flipped_bit_is_an_error_or_other_values),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
