/* Cut-up random messages merge to the same bytes, whole and in ranges. */
#include "random_message.h"
#include "stride.h"

/* --- The properties ------------------------------------------------------- */

static void canonical_messages_come_back_byte_for_byte(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 1500; i += sanitized_stride(5)) {
    merge_case c;
    cpb_buffer whole, out;
    cpb_error error;
    make_case(&c, &whole, i);
    cpb_buffer_init(&out, &plain);
    if (merge_with(&c, NULL, NULL, &out, &error) != CPB_OK) fail_msg("case %u: %s", (unsigned)i, error.message);
    bool same = out.size == whole.size && (out.size == 0 || memcmp(out.data, whole.data, out.size) == 0);
    if (!same) fail_msg("case %u differs", (unsigned)i);
    cpb_buffer_free(&out);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
}

static void check_range(cpb_merge *m, const cpb_buffer *whole, uint64_t offset, uint64_t length) {
  assert_int_equal(cpb_merge_read(m, offset, length), CPB_OK);
  uint64_t at = offset;
  while (cpb_merge_step(m) == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_merge_data(m, &size);
    assert_true(size > 0 && size <= whole->size - at);
    assert_memory_equal(data, whole->data + at, size);
    at += size;
  }
  assert_int_equal(cpb_merge_error(m)->code, CPB_OK);
  assert_int_equal(at, offset + (length < whole->size - offset ? length : whole->size - offset));
}

/* The segments are the message: literal bytes and ranges of chunks. */
static void check_segments(const cpb_merge *m, const merge_case *c, const cpb_buffer *whole) {
  uint64_t at = 0;
  cpb_segment s;
  for (size_t i = 0; i < cpb_merge_num_segments(m); i++) {
    assert_int_equal(cpb_merge_get_segment(m, i, &s), CPB_OK);
    assert_int_equal(s.offset, at);
    assert_true(s.length > 0);
    const uint8_t *bytes = s.literal;
    if (s.chunk != CPB_NO_CHUNK) bytes = (const uint8_t *)c->chunks[s.chunk].data + s.chunk_offset;
    assert_memory_equal(bytes, whole->data + at, s.length);
    assert_int_equal(cpb_merge_find_segment(m, at), i);
    assert_int_equal(cpb_merge_find_segment(m, at + s.length - 1), i);
    at += s.length;
  }
  assert_int_equal(at, whole->size);
  assert_int_equal(cpb_merge_find_segment(m, at), cpb_merge_num_segments(m));
  assert_int_equal(cpb_merge_get_segment(m, cpb_merge_num_segments(m), &s), CPB_E_NOT_FOUND);
}

static void every_range_reads_as_part_of_the_whole(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 300; i += sanitized_stride(5)) {
    merge_case c;
    cpb_buffer whole, bytes;
    cpb_error error = {0};
    make_case(&c, &whole, i);
    cpb_buffer_init(&bytes, &plain);
    assert_true(cpb_metadata_encode(&c.index, &bytes, &error));
    cpb_index *index = cpb_index_from_metadata(NULL, NULL, bytes.data, bytes.size, &error);
    cpb_merge *m = cpb_merge_from_chunks(NULL, index, c.chunks, c.num_chunks, NULL);
    assert_int_equal(cpb_merge_read(m, 0, 1), CPB_E_USAGE);
    assert_int_equal(cpb_merge_step(m), CPB_STEP_DONE);
    check_segments(m, &c, &whole);
    for (int r = 0; r < 30; r++) check_range(m, &whole, random_below((uint32_t)whole.size + 1), random_below(300));
    check_range(m, &whole, 0, UINT64_MAX);
    cpb_merge_free(m);
    cpb_index_free(index);
    cpb_buffer_free(&bytes);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(canonical_messages_come_back_byte_for_byte),
      cmocka_unit_test(every_range_reads_as_part_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
