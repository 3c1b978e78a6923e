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
  uint8_t *fetched; /* of each byte, whether it was */
  uint64_t cap;     /* of one request; 0: none */
  bool forgets;     /* what it has fetched */
  range requests[4096];
  size_t count;
  uint64_t bytes; /* in all requests */
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
  while (!r->forgets && begin < end && r->fetched[begin]) begin++;
  while (!r->forgets && end > begin && r->fetched[end - 1]) end--;
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

/* A chunk's place in the message: in the chunk before, by a field number; -1: in
 * the root, which -2 is. */
typedef struct {
  int parent;
  uint32_t field, type;
} place;

/* A file of these chunks and their index. `places` NULL: one bytes field of the
 * message each. `backwards`: the index names the last chunk first. */
static bytes write_chunks(const bytes *chunks, size_t count, const place *places, cpb_codec codec, bool shared,
                          bool backwards) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const cpb_record_writer_options options = {
      .struct_size = sizeof options, .codec = {.codec = codec}, .record_per_chunk = !shared, .chunk_size = 1 << 24};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &options);
  bytes file = {NULL, 0};
  cpb_metadata m;
  cpb_buffer index;
  cpb_error error = {0};
  cpb_metadata_init(&m, &a);
  cpb_buffer_init(&index, &a);
  uint32_t nodes[64], root = 0;
  if (places == NULL) root = cpb_metadata_add_node(&m, CPB_NO_NODE, CPB_NO_CHUNK);
  for (size_t i = 0; i < count; i++) {
    place p = places != NULL ? places[i] : (place){-1, 1 + (uint32_t)i, CPB_CHUNK_BYTES};
    nodes[i] = cpb_metadata_add_node(&m, p.parent == -2 ? CPB_NO_NODE : p.parent < 0 ? root : nodes[p.parent], i);
    if (p.parent != -2) cpb_metadata_add_tag(&m, (cpb_tag){.kind = CPB_TAG_FIELD, .value = p.field});
    cpb_metadata_add_chunk(&m, (cpb_chunk_entry){chunks[i].size, 0, p.type});
  }
  for (size_t i = 0; i < m.num_nodes; i++) m.nodes[i].has_message = true;
  for (size_t i = 0; i < count; i++) {
    size_t chunk = backwards ? count - 1 - i : i;
    m.chunks[chunk].offset = write_record(w, &file, chunks[chunk]);
  }
  assert_true(cpb_metadata_encode(&m, &index, &error));
  if (shared) cpb_record_writer_flush(w, NULL);
  take(w, &file);
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
    size_t step = i == 0 ? 1 : 7;
    for (size_t n = 0; n < 500; n += step) /* the file ends within 300 of a block's end */
      expect_cheap_opening(span, 4 * BLOCK - end % BLOCK - 200 + n, CPB_CODEC_NONE, counts[i]);
    for (size_t n = 0; n < BLOCK; n += 1999) expect_cheap_opening(span, BLOCK + n, CPB_CODEC_NONE, counts[i]);
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

static bytes random_bytes(size_t size, uint32_t seed) {
  bytes b = {malloc(size + 1), size};
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < size; i++) b.data[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
  return b;
}

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

static void it_is_one_request_wherever_a_block_header_cuts_it(void **state) {
  (void)state;
  for (size_t n = 0; n < 120; n++) { /* chunk 1 begins from 110 bytes before a block's end on */
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
  while ((step = cpb_chunk_reader_step(reader)) > CPB_STEP_DONE) {
    if (step == CPB_STEP_NEED) answer(r, cpb_chunk_reader_input(reader));
  }
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

/* --- Merging -------------------------------------------------------------- */

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
    put(&out, data, size);
  }
  if (step != CPB_STEP_DONE) fail_msg("%s", cpb_merge_error(m->merge)->message);
  return out;
}

static void plan(model *m, cpb_verify verify) {
  const cpb_merge_options options = {.struct_size = sizeof options, .verify = verify, .trust_sizes = 1};
  m->merge = cpb_merge_new(NULL, m->index, &options);
  cpb_step step;
  while ((step = cpb_merge_step(m->merge)) == CPB_STEP_NEED) answer(m->remote, cpb_merge_input(m->merge));
  assert_int_equal(step, CPB_STEP_DONE);
}

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
    while ((step = cpb_record_reader_step(reader)) > CPB_STEP_DONE) {
      if (step == CPB_STEP_NEED) answer(r, cpb_record_reader_input(reader));
    }
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
      cmocka_unit_test(it_does_so_wherever_a_block_ends),
      cmocka_unit_test(a_chunk_is_one_request_of_its_stored_bytes),
      cmocka_unit_test(chunks_that_share_a_riegeli_chunk_are_one_request_of_that),
      cmocka_unit_test(it_is_one_request_wherever_a_block_header_cuts_it),
      cmocka_unit_test(a_range_of_an_unverified_chunk_takes_its_head_and_itself),
      cmocka_unit_test(a_damaged_header_is_named_as_it_is_by_who_walks_there),
      cmocka_unit_test(planning_takes_one_exact_request_a_parent),
      cmocka_unit_test(a_range_of_a_payload_takes_two_requests_and_a_payload_one),
      cmocka_unit_test(a_whole_merge_takes_each_byte_once_in_long_ranges),
      cmocka_unit_test(a_merged_range_joins_the_chunks_it_lies_in),
      cmocka_unit_test(reading_on_asks_for_all_that_follows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
