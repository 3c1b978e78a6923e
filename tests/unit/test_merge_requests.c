/* What a remote reader fetches to plan a merge, and for ranges of the merged message. */
#include "base/checked.h"
#include "counting_host.h"

/* A message with two messages that have payloads, in three levels. */
enum { PARTS = 11 };
static const place parts[PARTS] = {
    {-2, 0, CPB_CHUNK_MESSAGE}, {0, 10, CPB_CHUNK_MESSAGE}, {1, 20, CPB_CHUNK_BYTES}, {1, 21, CPB_CHUNK_BYTES},
    {1, 22, CPB_CHUNK_BYTES},   {0, 11, CPB_CHUNK_MESSAGE}, {5, 20, CPB_CHUNK_BYTES}, {5, 21, CPB_CHUNK_MESSAGE},
    {7, 20, CPB_CHUNK_BYTES},   {5, 22, CPB_CHUNK_BYTES},   {0, 12, CPB_CHUNK_BYTES},
};
static const size_t part_sizes[PARTS] = {300, 100000, 300000, 5000000, 20, 7000, 70000, 66000, 80000, 3000000, 1000};

static bool is_parent(size_t i) { return i == 0 || i == 1 || i == 5 || i == 7; }

typedef struct {
  bytes chunks[PARTS], file, whole;
  remote *remote;
  cpb_index *index;
  cpb_merge *merge;
  uint64_t begins[PARTS + 1]; /* of the Riegeli chunks */
} model;

static bytes read_merged(model *m, uint64_t offset, uint64_t length) {
  bytes out = {NULL, 0};
  cpb_step step;
  assert_int_equal(cpb_merge_read(m->merge, offset, length), CPB_OK);
  while ((step = cpb_merge_step(m->merge)) > CPB_STEP_DONE) {
    if (step == CPB_STEP_NEED) {
      answer(m->remote, cpb_merge_input(m->merge));
      continue;
    }
    size_t size;
    const uint8_t *data = cpb_merge_data(m->merge, &size);
    write_at(&out, out.size, data, size);
  }
  if (step != CPB_STEP_DONE) fail_msg("%s", cpb_merge_error(m->merge)->message);
  return out;
}

static void plan_trusting(model *m, cpb_verify verify, bool trusting) {
  const cpb_merge_options options = {.struct_size = sizeof options, .verify = verify, .trust_sizes = trusting};
  m->merge = cpb_merge_new(NULL, m->index, &options);
  cpb_step step;
  while ((step = cpb_merge_step(m->merge)) == CPB_STEP_NEED) answer(m->remote, cpb_merge_input(m->merge));
  assert_int_equal(step, CPB_STEP_DONE);
}

static void plan(model *m, cpb_verify verify) { plan_trusting(m, verify, true); }

static void open_model(model *m, cpb_codec codec) {
  for (size_t i = 0; i < PARTS; i++) {
    bytes content = random_bytes(part_sizes[i], (uint32_t)i), message = {NULL, 0};
    m->chunks[i] = is_parent(i) ? *put_message(&message, 1, content) : content;
  }
  m->file = write_chunks(m->chunks, PARTS, parts, codec, false, false);
  m->remote = remote_of(m->file);
  m->index = open_index(m->remote);
  for (size_t i = 0; i < PARTS; i++) {
    cpb_chunk_info info;
    cpb_index_get_chunk(m->index, i, &info);
    m->begins[i] = info.position;
  }
  cpb_record record;
  cpb_riegeli_chunk riegeli;
  cpb_index_get_record(m->index, &record, &riegeli);
  m->begins[PARTS] = riegeli.begin;
  cpb_chunk_bytes chunks[PARTS];
  for (size_t i = 0; i < PARTS; i++) chunks[i] = (cpb_chunk_bytes){m->chunks[i].data, m->chunks[i].size, 0};
  m->merge = cpb_merge_from_chunks(NULL, m->index, chunks, PARTS, NULL);
  assert_int_equal(cpb_merge_step(m->merge), CPB_STEP_DONE);
  m->whole = read_merged(m, 0, UINT64_MAX);
  cpb_merge_free(m->merge);
  forget(m->remote);
}

static void close_model(model *m) {
  for (size_t i = 0; i < PARTS; i++) free(m->chunks[i].data);
  free(m->file.data);
  free(m->whole.data);
  free_remote(m->remote);
  cpb_index_free(m->index);
}

static void expect_merged(model *m, uint64_t offset, uint64_t length) {
  bytes out = read_merged(m, offset, length);
  assert_int_equal(out.size, cpb_min_u64(length, m->whole.size - offset));
  assert_memory_equal(out.data, m->whole.data + offset, out.size);
  free(out.data);
}

/* Where the first byte of the chunk is in the merged message. */
static uint64_t merged_offset(const model *m, uint64_t chunk) {
  cpb_segment segment = {.chunk = CPB_NO_CHUNK};
  for (size_t i = 0; segment.chunk != chunk; i++)
    assert_int_equal(cpb_merge_get_segment(m->merge, i, &segment), CPB_OK);
  return segment.offset;
}

static void planning_takes_one_exact_request_a_parent(void **state) {
  (void)state;
  model m;
  for (cpb_codec codec = CPB_CODEC_NONE; codec <= CPB_CODEC_ZSTD; codec++) {
    open_model(&m, codec);
    for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
      forget(m.remote);
      plan(&m, verify);
      const size_t parents[] = {0, 1, 5, 7};
      assert_int_equal(m.remote->count, 4);
      for (size_t i = 0; i < 4; i++) expect_request(m.remote, i, m.begins[parents[i]], m.begins[parents[i] + 1]);
      cpb_merge_free(m.merge);
    }
    close_model(&m);
  }
}

/* One that fits its place, of a chunk that is alone and not compressed, is as good as trusted. */
static void sizes_that_are_not_trusted_take_a_request_unless_they_fit(void **state) {
  (void)state;
  model m;
  open_model(&m, CPB_CODEC_NONE);
  forget(m.remote);
  plan_trusting(&m, CPB_VERIFY_NEVER, false);
  assert_int_equal(m.remote->count, 4);
  cpb_merge_free(m.merge);
  close_model(&m);
  open_model(&m, CPB_CODEC_ZSTD);
  forget(m.remote);
  plan_trusting(&m, CPB_VERIFY_NEVER, false);
  assert_true(m.remote->count > 4);
  cpb_merge_free(m.merge);
  close_model(&m);
}

static void a_range_of_a_payload_takes_two_requests_and_a_payload_one(void **state) {
  (void)state;
  model m;
  open_model(&m, CPB_CODEC_NONE);
  for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
    plan(&m, verify);
    forget(m.remote);
    expect_merged(&m, merged_offset(&m, 3), part_sizes[3]);
    assert_int_equal(m.remote->count, 1);
    expect_request(m.remote, 0, m.begins[3], m.begins[4]);
    forget(m.remote);
    expect_merged(&m, merged_offset(&m, 9) + 1000000, 1200000);
    assert_int_equal(m.remote->count, verify == CPB_VERIFY_NEVER ? 2 : 1);
    if (verify == CPB_VERIFY_NEVER) assert_true(m.remote->bytes < 1200000 + 20 * 24 + 200);
    else expect_request(m.remote, 0, m.begins[9], m.begins[10]);
    cpb_merge_free(m.merge);
  }
  close_model(&m);
}

static void a_whole_merge_takes_each_byte_once_in_long_ranges(void **state) {
  (void)state;
  model m;
  for (cpb_codec codec = CPB_CODEC_NONE; codec <= CPB_CODEC_ZSTD; codec++) {
    open_model(&m, codec);
    for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
      forget(m.remote);
      plan(&m, verify);
      m.remote->forgets = true;
      expect_merged(&m, 0, UINT64_MAX);
      m.remote->forgets = false;
      assert_int_equal(m.remote->bytes, m.begins[PARTS] - m.begins[0]);
      assert_int_equal(m.remote->count, 7);
      expect_request(m.remote, 4, m.begins[2], m.begins[5]); /* the parents are kept */
      expect_request(m.remote, 5, m.begins[6], m.begins[7]);
      expect_request(m.remote, 6, m.begins[8], m.begins[PARTS]);
      cpb_merge_free(m.merge);
    }
    close_model(&m);
  }
}

static void a_merged_range_joins_the_chunks_it_lies_in(void **state) {
  (void)state;
  model m;
  open_model(&m, CPB_CODEC_NONE);
  plan(&m, CPB_VERIFY_NEVER);
  forget(m.remote);
  uint64_t begin = merged_offset(&m, 2), end = merged_offset(&m, 3) + 70000; /* all of one, some of the next */
  expect_merged(&m, begin, end - begin);
  assert_int_equal(m.remote->count, 3);
  expect_request(m.remote, 0, m.begins[2], m.begins[3]);
  assert_true(m.remote->bytes < 300000 + 70000 + 1000);
  cpb_merge_free(m.merge);
  close_model(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planning_takes_one_exact_request_a_parent),
      cmocka_unit_test(sizes_that_are_not_trusted_take_a_request_unless_they_fit),
      cmocka_unit_test(a_range_of_a_payload_takes_two_requests_and_a_payload_one),
      cmocka_unit_test(a_whole_merge_takes_each_byte_once_in_long_ranges),
      cmocka_unit_test(a_merged_range_joins_the_chunks_it_lies_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
