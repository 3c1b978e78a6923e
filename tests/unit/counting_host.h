/* A host that counts what it fetches: it answers each need by one request of need.ahead
 * bytes, and keeps what it has fetched. And the chunked files that it reads. */
#ifndef COUNTING_HOST_H
#define COUNTING_HOST_H

#include "split_help.h"

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

static inline remote *remote_of(bytes file) {
  remote *r = calloc(1, sizeof *r);
  r->file = file;
  r->fetched = calloc(file.size + 1, 1);
  return r;
}

static inline void forget(remote *r) {
  memset(r->fetched, 0, r->file.size);
  r->count = 0;
  r->bytes = 0;
}

static inline void free_remote(remote *r) {
  free(r->fetched);
  free(r);
}

/* One request, from the first to the last byte that is missing. */
static inline void fetch(remote *r, uint64_t begin, uint64_t end) {
  while (!r->forgets && begin < end && r->fetched[begin]) begin++;
  while (!r->forgets && end > begin && r->fetched[end - 1]) end--;
  if (begin == end) return;
  if (r->count < 4096) r->requests[r->count] = (range){begin, end};
  r->count++;
  r->bytes += end - begin;
  memset(r->fetched + begin, 1, (size_t)(end - begin));
}

static inline void answer(remote *r, cpb_input *input) {
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

static inline void expect_request(const remote *r, size_t i, uint64_t begin, uint64_t end) {
  assert_true(i < r->count);
  assert_int_equal(r->requests[i].begin, begin);
  assert_int_equal(r->requests[i].end, end);
}

/* --- Writing files -------------------------------------------------------- */

static inline void take(cpb_record_writer *w, bytes *file) {
  while (cpb_record_writer_step(w) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    write_at(file, offset, data, length);
  }
  assert_int_equal(cpb_record_writer_error(w)->code, CPB_OK);
}

static inline uint64_t write_record(cpb_record_writer *w, bytes *file, bytes record) {
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
static inline bytes write_chunks(const bytes *chunks, size_t count, const place *places, cpb_codec codec, bool shared,
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
    if (p.parent != -2) cpb_metadata_add_tag(&m, nodes[i], (cpb_tag){.kind = CPB_TAG_FIELD, .value = p.field});
    cpb_metadata_add_chunk(&m, (cpb_chunk_entry){chunks[i].size, 0, p.type});
  }
  for (size_t i = 0; i < m.num_nodes; i++) assert_true(cpb_metadata_set_message(&m, (uint32_t)i, true));
  for (size_t i = 0; i < count; i++) {
    size_t chunk = backwards ? count - 1 - i : i;
    cpb_chunk_entry entry = cpb_metadata_chunk(&m, chunk);
    entry.offset = write_record(w, &file, chunks[chunk]);
    assert_true(cpb_metadata_set_entry(&m, chunk, entry));
  }
  assert_true(cpb_metadata_encode(&m, &index, &error));
  if (shared) cpb_record_writer_flush(w, NULL);
  take(w, &file);
  write_record(w, &file, (bytes){index.data, index.size});
  cpb_record_writer_finish(w);
  take(w, &file);
  trim(&file);
  cpb_record_writer_free(w);
  cpb_buffer_free(&index);
  cpb_metadata_free(&m);
  return file;
}

static inline cpb_index *open_index_with(remote *r, const cpb_allocator *a) {
  cpb_index *index = cpb_index_new(a, NULL);
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) answer(r, cpb_index_input(index));
  if (step != CPB_STEP_DONE) fail_msg("%s", cpb_index_error(index)->message);
  return index;
}

static inline cpb_index *open_index(remote *r) { return open_index_with(r, NULL); }

static inline bytes random_bytes(size_t size, uint32_t seed) {
  bytes b = {malloc(size + 1), size};
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < size; i++) b.data[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
  return b;
}

#endif
