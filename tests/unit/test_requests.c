/* What a remote reader fetches to open a file, for a chunk, and to read on. */
#include "base/budget.h"
#include "base/checked.h"
#include "counting_host.h"
#include "stride.h"

enum { BLOCK = 65536, TAIL = BLOCK + 24 };

/* --- Opening -------------------------------------------------------------- */

/* A file with one record of `filler` bytes and an index that names `count`
 * chunks, which is all that opening looks at. */
static bytes index_file(cpb_span index, size_t filler, cpb_codec codec) {
  const cpb_record_writer_options options = {
      .struct_size = sizeof options, .record_per_chunk = 1, .codec = {.codec = CPB_CODEC_NONE}};
  const cpb_codec_options how = {.codec = codec};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &options);
  bytes file = {NULL, 0}, zeros = {calloc(filler + 1, 1), filler};
  write_record(w, &file, zeros);
  cpb_record_writer_flush(w, &how);
  take(w, &file);
  write_record(w, &file, (bytes){(uint8_t *)index.data, index.size});
  cpb_record_writer_finish(w);
  take(w, &file);
  trim(&file);
  cpb_record_writer_free(w);
  free(zeros.data);
  return file;
}

static cpb_buffer index_of(size_t count) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata m;
  cpb_buffer out;
  cpb_error error = {0};
  cpb_metadata_init(&m, &a);
  cpb_buffer_init(&out, &a);
  uint32_t root = cpb_metadata_add_node(&m, CPB_NO_NODE, 0);
  assert_true(cpb_metadata_set_message(&m, root, true));
  for (size_t i = 0; i < count; i++)
    assert_true(cpb_metadata_add_chunk(&m, (cpb_chunk_entry){i * 7919 % 10007, 64 + 50 * i, CPB_CHUNK_BYTES}));
  assert_true(cpb_metadata_encode(&m, &out, &error));
  cpb_metadata_free(&m);
  return out;
}

static void expect_cheap_opening(cpb_span metadata, size_t filler, cpb_codec codec, size_t count) {
  bytes file = index_file(metadata, filler, codec);
  remote *r = remote_of(file);
  cpb_index *index = open_index(r);
  cpb_record record;
  cpb_riegeli_chunk riegeli;
  cpb_index_get_record(index, &record, &riegeli);
  assert_int_equal(cpb_index_num_chunks(index), count);
  assert_int_equal(riegeli.end, file.size);
  uint64_t tail = file.size > TAIL ? file.size - TAIL : 0;
  expect_request(r, 0, tail, file.size);
  assert_int_equal(r->count, riegeli.begin < tail ? 2 : 1);
  if (r->count == 2) expect_request(r, 1, riegeli.begin, tail);
  assert_true(r->bytes <= riegeli.end - riegeli.begin + BLOCK + 64);
  cpb_index_free(index);
  free_remote(r);
  free(file.data);
}

static void opening_takes_the_tail_and_what_of_the_index_lies_before_it(void **state) {
  (void)state;
  const size_t counts[] = {1, 10000, 1000000};
  for (size_t i = 0; i < 3; i++) {
    cpb_buffer metadata = index_of(counts[i]);
    const cpb_span span = {metadata.data, metadata.size};
    expect_cheap_opening(span, 0, CPB_CODEC_NONE, counts[i]);
    expect_cheap_opening(span, 200000, CPB_CODEC_NONE, counts[i]);
    expect_cheap_opening(span, 200000, CPB_CODEC_ZSTD, counts[i]);
    cpb_buffer_free(&metadata);
  }
}

/* What is in it, and of the record that it was decoded from nothing. */
static void an_index_takes_no_memory_for_its_record(void **state) {
  (void)state;
  enum { COUNT = 100000, ENTRY = 1 + 2 + 3 }; /* its type, its size, its position: each in as few bytes as do for all */
  const size_t entries = (size_t)COUNT * ENTRY, room = entries / 8, rest = 16384;
  const cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_budget budget;
  cpb_budget_init(&budget, &system, SIZE_MAX);
  const cpb_allocator a = cpb_budget_allocator(&budget);
  cpb_buffer metadata = index_of(COUNT);
  assert_true(metadata.size > room + rest); /* or it would not be seen */
  bytes file = index_file((cpb_span){metadata.data, metadata.size}, 0, CPB_CODEC_NONE);
  remote *r = remote_of(file);
  cpb_index *index = open_index_with(r, &a);
  assert_int_equal(cpb_index_num_chunks(index), COUNT);
  assert_in_range(budget.peak, entries, entries + room + rest);
  cpb_index_free(index);
  index = cpb_index_from_metadata(&a, NULL, metadata.data, metadata.size, NULL);
  assert_int_equal(cpb_index_num_chunks(index), COUNT);
  assert_in_range(budget.peak, entries, entries + room + rest);
  cpb_index_free(index);
  assert_int_equal(budget.used, 0);
  free_remote(r);
  free(file.data);
  cpb_buffer_free(&metadata);
}

/* The end of the file, and with larger indexes their begin, passes every place
 * around a block header. */
static void the_same_holds_wherever_a_block_ends(void **state) {
  (void)state;
  const size_t counts[] = {1, 5000, 9000};
  for (size_t i = 0; i < 3; i++) {
    cpb_buffer metadata = index_of(counts[i]);
    const cpb_span span = {metadata.data, metadata.size};
    size_t end = (size_t)cpb_max_u64(metadata.size, 300) + 200;
    size_t step = i == 0 ? 1 : 7;
    for (size_t n = 0; n < 500; n += step * sanitized_stride(5)) /* the file ends within 300 of a block's end */
      expect_cheap_opening(span, 4 * BLOCK - end % BLOCK - 200 + n, CPB_CODEC_NONE, counts[i]);
    for (size_t n = 0; n < BLOCK; n += 1999 * sanitized_stride(5))
      expect_cheap_opening(span, BLOCK + n, CPB_CODEC_NONE, counts[i]);
    cpb_buffer_free(&metadata);
  }
}

/* --- Chunks --------------------------------------------------------------- */

static cpb_chunk_reader *new_chunk_reader(const cpb_index *index, cpb_verify verify) {
  const cpb_chunk_reader_options options = {.struct_size = sizeof options, .verify = verify};
  return cpb_chunk_reader_new(NULL, index, &options);
}

static void read_chunk(remote *r, cpb_chunk_reader *reader, uint64_t chunk, uint64_t offset, uint64_t length,
                       bytes wanted) {
  size_t at = (size_t)offset, size;
  assert_int_equal(cpb_chunk_reader_read(reader, chunk, offset, length), CPB_OK);
  cpb_step step;
  while ((step = cpb_chunk_reader_step(reader)) > CPB_STEP_DONE) {
    if (step == CPB_STEP_NEED) {
      answer(r, cpb_chunk_reader_input(reader));
      continue;
    }
    const uint8_t *data = cpb_chunk_reader_data(reader, &size);
    assert_true(size <= wanted.size - at);
    assert_memory_equal(data, wanted.data + at, size);
    at += size;
  }
  if (step != CPB_STEP_DONE) fail_msg("%s", cpb_chunk_reader_error(reader)->message);
  assert_int_equal(at, cpb_min_u64(wanted.size, length == UINT64_MAX ? length : offset + length));
}

enum { CHUNKS = 12 };

/* Among them one that only a large stream holds, and an empty one. */
static void make_chunks(bytes chunks[CHUNKS], size_t first) {
  const size_t sizes[CHUNKS] = {first, 0, 1, 100, 65000, 66000, 5, 200000, 65536, 3000000, 70, 4000};
  for (size_t i = 0; i < CHUNKS; i++) chunks[i] = random_bytes(sizes[i], (uint32_t)i);
}

static void free_chunks(bytes chunks[CHUNKS]) {
  for (size_t i = 0; i < CHUNKS; i++) free(chunks[i].data);
}

/* In an order that goes forth and back. */
static void expect_exact_chunks(const bytes chunks[CHUNKS], cpb_codec codec, bool shared, bool backwards) {
  bytes file = write_chunks(chunks, CHUNKS, NULL, codec, shared, backwards);
  remote *r = remote_of(file);
  cpb_index *index = open_index(r);
  for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
    for (size_t n = 0; n < CHUNKS; n++) {
      size_t i = n * 5 % CHUNKS;
      cpb_chunk_reader *reader = new_chunk_reader(index, verify);
      forget(r);
      read_chunk(r, reader, i, 0, UINT64_MAX, chunks[i]);
      const cpb_chunk_stored *stored = cpb_chunk_reader_stored(reader);
      if (!shared || verify != CPB_VERIFY_NEVER) {
        assert_int_equal(r->count, 1);
        expect_request(r, 0, stored->riegeli.begin, stored->riegeli.end);
      }
      cpb_chunk_reader_free(reader);
    }
  }
  cpb_index_free(index);
  free_remote(r);
  free(file.data);
}

static void a_chunk_is_one_request_of_its_stored_bytes(void **state) {
  (void)state;
  bytes chunks[CHUNKS];
  make_chunks(chunks, 1000);
  expect_exact_chunks(chunks, CPB_CODEC_NONE, false, false);
  expect_exact_chunks(chunks, CPB_CODEC_NONE, false, true);
  expect_exact_chunks(chunks, CPB_CODEC_ZSTD, false, false);
  expect_exact_chunks(chunks, CPB_CODEC_BROTLI, false, true);
  free_chunks(chunks);
}

static void chunks_that_share_a_riegeli_chunk_are_one_request_of_that(void **state) {
  (void)state;
  bytes chunks[CHUNKS];
  make_chunks(chunks, 1000);
  expect_exact_chunks(chunks, CPB_CODEC_BROTLI, true, false);
  expect_exact_chunks(chunks, CPB_CODEC_NONE, true, true);
  free_chunks(chunks);
}

static void a_chunk_is_one_request_wherever_a_block_header_cuts_it(void **state) {
  (void)state;
  for (size_t n = 0; n < 120; n += sanitized_stride(5)) { /* chunk 1 begins from 110 bytes before a block's end on */
    bytes chunks[CHUNKS];
    make_chunks(chunks, BLOCK - 64 - 43 - 110 + n);
    for (size_t i = 2; i < CHUNKS; i++) chunks[i].size = cpb_min_size(chunks[i].size, 30);
    expect_exact_chunks(chunks, CPB_CODEC_NONE, false, false);
    free_chunks(chunks);
  }
}

static void a_range_of_an_unverified_chunk_takes_its_head_and_itself(void **state) {
  (void)state;
  bytes chunks[CHUNKS];
  make_chunks(chunks, 1000);
  bytes file = write_chunks(chunks, CHUNKS, NULL, CPB_CODEC_NONE, false, false);
  remote *r = remote_of(file);
  cpb_index *index = open_index(r);
  cpb_chunk_reader *reader = new_chunk_reader(index, CPB_VERIFY_NEVER);
  forget(r);
  read_chunk(r, reader, 9, 1500000, 700000, chunks[9]);
  assert_int_equal(r->count, 2);
  assert_int_equal(r->requests[1].end - r->requests[1].begin, 700000 + 11 * 24);
  assert_true(r->bytes < 700000 + 11 * 24 + 200);
  read_chunk(r, reader, 9, 2900000, 10, chunks[9]); /* further on in the same */
  assert_int_equal(r->count, 3);
  read_chunk(r, reader, 9, 5000, 10, chunks[9]); /* and back */
  assert_int_equal(r->count, 4);
  assert_true(r->bytes < 700000 + 11 * 24 + 300);
  cpb_chunk_reader_free(reader);
  cpb_index_free(index);
  free_remote(r);
  free(file.data);
  free_chunks(chunks);
}

/* --- Damage --------------------------------------------------------------- */

static cpb_error chunk_error(remote *r, const cpb_index *index, uint64_t chunk) {
  cpb_chunk_reader *reader = new_chunk_reader(index, CPB_VERIFY_FIRST);
  cpb_step step;
  cpb_chunk_reader_read(reader, chunk, 0, UINT64_MAX);
  while ((step = cpb_chunk_reader_step(reader)) > CPB_STEP_DONE)
    if (step == CPB_STEP_NEED) answer(r, cpb_chunk_reader_input(reader));
  assert_int_equal(step, CPB_STEP_ERROR);
  cpb_error error = *cpb_chunk_reader_error(reader);
  cpb_chunk_reader_free(reader);
  return error;
}

static cpb_error record_error(remote *r, uint64_t position) {
  const cpb_record_reader_options options = {.struct_size = sizeof options, .position = position};
  cpb_record_reader *reader = cpb_record_reader_new(NULL, &options);
  cpb_step step;
  while ((step = cpb_record_reader_step(reader)) == CPB_STEP_NEED) answer(r, cpb_record_reader_input(reader));
  assert_int_equal(step, CPB_STEP_ERROR);
  cpb_error error = *cpb_record_reader_error(reader);
  cpb_record_reader_free(reader);
  return error;
}

static void a_damaged_header_is_named_as_it_is_by_who_walks_there(void **state) {
  (void)state;
  bytes chunks[CHUNKS];
  make_chunks(chunks, 1000);
  bytes file = write_chunks(chunks, CHUNKS, NULL, CPB_CODEC_NONE, false, false);
  remote *r = remote_of(file);
  cpb_index *index = open_index(r);
  for (size_t i = 0; i < CHUNKS; i++) {
    cpb_chunk_info info;
    assert_int_equal(cpb_index_get_chunk(index, i, &info), CPB_OK);
    file.data[info.position + 9] ^= 4;
    cpb_error walked = record_error(r, info.position), tried = chunk_error(r, index, i);
    file.data[info.position + 9] ^= 4;
    assert_int_equal(tried.code, CPB_E_DAMAGED);
    assert_int_equal(tried.offset, info.position);
    assert_non_null(strstr(tried.message, walked.message));
    assert_non_null(strstr(tried.message, "the chunk header does not match its hash"));
  }
  cpb_index_free(index);
  free_remote(r);
  free(file.data);
  free_chunks(chunks);
}

/* --- A file from its beginning -------------------------------------------- */

static void reading_on_asks_for_all_that_follows(void **state) {
  (void)state;
  bytes chunks[CHUNKS];
  make_chunks(chunks, 1000);
  bytes file = write_chunks(chunks, CHUNKS, NULL, CPB_CODEC_ZSTD, false, false);
  for (uint64_t cap = 0; cap <= 1 << 20; cap += 1 << 18) {
    remote *r = remote_of(file);
    r->cap = cap;
    cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
    cpb_step step;
    while ((step = cpb_record_reader_step(reader)) > CPB_STEP_DONE)
      if (step == CPB_STEP_NEED) answer(r, cpb_record_reader_input(reader));
    assert_int_equal(step, CPB_STEP_DONE);
    assert_int_equal(r->bytes, file.size);
    assert_int_equal(r->count, cap == 0 ? 1 : (file.size + cap - 1) / cap);
    cpb_record_reader_free(reader);
    free_remote(r);
  }
  free(file.data);
  free_chunks(chunks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opening_takes_the_tail_and_what_of_the_index_lies_before_it),
      cmocka_unit_test(an_index_takes_no_memory_for_its_record),
      cmocka_unit_test(the_same_holds_wherever_a_block_ends),
      cmocka_unit_test(a_chunk_is_one_request_of_its_stored_bytes),
      cmocka_unit_test(chunks_that_share_a_riegeli_chunk_are_one_request_of_that),
      cmocka_unit_test(a_chunk_is_one_request_wherever_a_block_header_cuts_it),
      cmocka_unit_test(a_range_of_an_unverified_chunk_takes_its_head_and_itself),
      cmocka_unit_test(a_damaged_header_is_named_as_it_is_by_who_walks_there),
      cmocka_unit_test(reading_on_asks_for_all_that_follows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
