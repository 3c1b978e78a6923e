/* What a remote reader fetches: a host answers each need by one request of
 * need.ahead bytes, keeps what it has fetched, and counts. */
#include "base/checked.h"
#include "split_help.h"

enum { BLOCK = 65536, TAIL = BLOCK + 24 };

/* --- A host that counts --------------------------------------------------- */

typedef struct {
  uint64_t begin, end;
} range;

typedef struct {
  bytes file;
  uint8_t *fetched;   /* of each byte, whether it was */
  uint64_t cap;       /* of one request; 0: none */
  range requests[4096];
  size_t count;
  uint64_t bytes;     /* in all requests */
} remote;

static remote *remote_of(bytes file) {
  remote *r = calloc(1, sizeof *r);
  r->file = file;
  r->fetched = calloc(file.size + 1, 1);
  return r;
}

static void forget(remote *r) {
  memset(r->fetched, 0, r->file.size);
  r->count = 0;
  r->bytes = 0;
}

static void free_remote(remote *r) {
  free(r->fetched);
  free(r);
}

/* One request, from the first to the last byte that is missing. */
static void fetch(remote *r, uint64_t begin, uint64_t end) {
  while (begin < end && r->fetched[begin]) begin++;
  while (end > begin && r->fetched[end - 1]) end--;
  if (begin == end) return;
  if (r->count < 4096) r->requests[r->count] = (range){begin, end};
  r->count++;
  r->bytes += end - begin;
  memset(r->fetched + begin, 1, (size_t)(end - begin));
}

static void answer(remote *r, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  uint64_t size = r->file.size, begin = need.offset, length = need.ahead;
  assert_true(need.ahead >= need.length && need.length > 0);
  if (need.kind == CPB_NEED_SIZE) {
    begin = need.length < size ? size - need.length : 0;
    length = need.length;
    cpb_input_end(input, size);
  }
  if (begin >= size) {
    cpb_input_end(input, size);
    return;
  }
  if (r->cap > 0 && length > r->cap) length = r->cap > need.length ? r->cap : need.length;
  if (length > size - begin) length = size - begin;
  fetch(r, begin, begin + length);
  cpb_input_supply(input, begin, r->file.data + begin, (size_t)length);
}

static void expect_request(const remote *r, size_t i, uint64_t begin, uint64_t end) {
  assert_true(i < r->count);
  assert_int_equal(r->requests[i].begin, begin);
  assert_int_equal(r->requests[i].end, end);
}

/* --- Writing files -------------------------------------------------------- */

static void take(cpb_record_writer *w, bytes *file) {
  while (cpb_record_writer_step(w) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    write_at(file, offset, data, length);
  }
  assert_int_equal(cpb_record_writer_error(w)->code, CPB_OK);
}

static uint64_t write_record(cpb_record_writer *w, bytes *file, bytes record) {
  cpb_record_writer_begin_record(w, record.size);
  take(w, file);
  cpb_record_writer_write(w, record.data, record.size);
  take(w, file);
  return cpb_record_writer_position(w);
}

/* A file of these chunks and their index, for a message with one bytes field for
 * each. `backwards`: the index names the last chunk first. */
static bytes write_chunks(const bytes *chunks, size_t count, cpb_codec codec, bool shared, bool backwards) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const cpb_record_writer_options options = {.struct_size = sizeof options, .codec = {.codec = codec},
                                             .record_per_chunk = !shared, .chunk_size = 1 << 24};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &options);
  bytes file = {NULL, 0};
  cpb_metadata m;
  cpb_buffer index;
  cpb_error error = {0};
  cpb_metadata_init(&m, &a);
  cpb_buffer_init(&index, &a);
  uint32_t root = cpb_metadata_add_node(&m, CPB_NO_NODE, CPB_NO_CHUNK);
  m.nodes[root].has_message = true;
  for (size_t i = 0; i < count; i++) {
    uint32_t node = cpb_metadata_add_node(&m, root, i);
    m.nodes[node].has_message = true;
    cpb_metadata_add_step(&m, (cpb_tag_step){.kind = CPB_TAG_FIELD, .value = 1 + i});
    cpb_metadata_add_chunk(&m, (cpb_chunk_entry){chunks[i].size, 0, CPB_CHUNK_BYTES});
  }
  for (size_t i = 0; i < count; i++) {
    size_t chunk = backwards ? count - 1 - i : i;
    m.chunks[chunk].offset = write_record(w, &file, chunks[chunk]);
  }
  assert_true(cpb_metadata_encode(&m, &index, &error));
  if (shared) cpb_record_writer_flush(w, NULL);
  write_record(w, &file, (bytes){index.data, index.size});
  cpb_record_writer_finish(w);
  take(w, &file);
  cpb_record_writer_free(w);
  cpb_buffer_free(&index);
  cpb_metadata_free(&m);
  return file;
}

/* --- Opening -------------------------------------------------------------- */

static cpb_index *open_index(remote *r) {
  cpb_index *index = cpb_index_new(NULL, NULL);
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) answer(r, cpb_index_input(index));
  if (step != CPB_STEP_DONE) fail_msg("%s", cpb_index_error(index)->message);
  return index;
}

/* A file with one record of `filler` bytes and an index that names `count`
 * chunks, which is all that opening looks at. */
static bytes index_file(cpb_span index, size_t filler, cpb_codec codec) {
  const cpb_record_writer_options options = {.struct_size = sizeof options, .record_per_chunk = 1,
                                             .codec = {.codec = CPB_CODEC_NONE}};
  const cpb_codec_options how = {.codec = codec};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &options);
  bytes file = {NULL, 0}, zeros = {calloc(filler + 1, 1), filler};
  write_record(w, &file, zeros);
  cpb_record_writer_flush(w, &how);
  take(w, &file);
  write_record(w, &file, (bytes){(uint8_t *)index.data, index.size});
  cpb_record_writer_finish(w);
  take(w, &file);
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
  m.nodes[root].has_message = true;
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

/* The end of the file, and with larger indexes their begin, passes every place
 * around a block header. */
static void it_does_so_wherever_a_block_ends(void **state) {
  (void)state;
  const size_t counts[] = {1, 5000, 9000};
  for (size_t i = 0; i < 3; i++) {
    cpb_buffer metadata = index_of(counts[i]);
    const cpb_span span = {metadata.data, metadata.size};
    size_t end = (size_t)cpb_max_u64(metadata.size, 300) + 200;
    for (size_t n = 0; n < 500; n++) /* the file ends within 300 of a block's end */
      expect_cheap_opening(span, 4 * BLOCK - end % BLOCK - 200 + n, CPB_CODEC_NONE, counts[i]);
    for (size_t n = 0; n < BLOCK; n += 599) expect_cheap_opening(span, BLOCK + n, CPB_CODEC_NONE, counts[i]);
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
  for (size_t i = 0; i < CHUNKS; i++) chunks[i] = noise(sizes[i], (uint32_t)i);
}

static void free_chunks(bytes chunks[CHUNKS]) {
  for (size_t i = 0; i < CHUNKS; i++) free(chunks[i].data);
}

/* In an order that goes forth and back. */
static void expect_exact_chunks(const bytes chunks[CHUNKS], cpb_codec codec, bool shared, bool backwards) {
  bytes file = write_chunks(chunks, CHUNKS, codec, shared, backwards);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opening_takes_the_tail_and_what_of_the_index_lies_before_it),
      cmocka_unit_test(it_does_so_wherever_a_block_ends),
      cmocka_unit_test(a_chunk_is_one_request_of_its_stored_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
