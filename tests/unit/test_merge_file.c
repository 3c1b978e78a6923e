/* Opening, merging and reading chunks of a .cpb file: every way it may be laid
 * out, lent in pieces of any size. */
#include "cpb/chunked.h"
#include "failing_allocator.h"
#include "merge_files.h"
#include "stride.h"

/* --- A host --------------------------------------------------------------- */

typedef struct {
  const cpb_buffer *file;
  size_t piece; /* most bytes lent at once */
  void *lent;   /* a copy of exactly those, so that reading beyond is seen */
  size_t fill;  /* bytes that are merged at once by cpb_merge_fill(); 0: a step's */
} host;

static void answer(host *h, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, h->file->size);
  if (need.kind != CPB_NEED_RANGE) return;
  assert_true(need.offset < h->file->size);
  size_t length = need.length < h->piece ? need.length : h->piece;
  if (length > h->file->size - need.offset) length = h->file->size - (size_t)need.offset;
  free(h->lent);
  h->lent = malloc(length);
  memcpy(h->lent, h->file->data + need.offset, length);
  cpb_input_supply(input, need.offset, h->lent, length);
}

static cpb_index *open_index(host *h, const cpb_allocator *a, cpb_error *error) {
  cpb_index *index = cpb_index_new(a, NULL);
  if (index == NULL) {
    cpb_fail_memory(error);
    return NULL;
  }
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) answer(h, cpb_index_input(index));
  if (step == CPB_STEP_DONE) return index;
  *error = *cpb_index_error(index);
  assert_int_equal(cpb_index_step(index), CPB_STEP_ERROR);
  cpb_index_free(index);
  return NULL;
}

static cpb_step run_filling(host *h, cpb_merge *m, cpb_buffer *out) {
  uint8_t *bytes = malloc(h->fill);
  size_t length = 0;
  cpb_step step;
  while ((step = cpb_merge_fill(m, bytes, h->fill, &length)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    if (step == CPB_STEP_NEED) {
      answer(h, cpb_merge_input(m));
      continue;
    }
    assert_int_equal(length, h->fill);
    append(out, bytes, length);
    length = 0;
  }
  assert_true(length < h->fill);
  append(out, bytes, length);
  free(bytes);
  return step;
}

static cpb_step run_merge(host *h, cpb_merge *m, cpb_buffer *out) {
  if (h->fill > 0) return run_filling(h, m, out);
  cpb_step step;
  while ((step = cpb_merge_step(m)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t length;
    const uint8_t *data;
    if (step == CPB_STEP_NEED) {
      answer(h, cpb_merge_input(m));
      continue;
    }
    data = cpb_merge_data(m, &length);
    append(out, data, length);
  }
  return step;
}

/* Opens and merges. Returns the error's code. */
static cpb_code merge_file(host *h, const cpb_allocator *a, const cpb_merge_options *options, cpb_buffer *out,
                           cpb_error *error) {
  memset(error, 0, sizeof *error);
  cpb_index *index = open_index(h, a, error);
  if (index == NULL) return error->code;
  cpb_merge *m = cpb_merge_new(a, index, options);
  if (m == NULL) {
    cpb_fail_memory(error);
  } else {
    if (run_merge(h, m, out) == CPB_STEP_DONE) {
      assert_int_equal(cpb_merge_read(m, 0, UINT64_MAX), CPB_OK);
      run_merge(h, m, out);
    }
    *error = *cpb_merge_error(m);
  }
  cpb_merge_free(m);
  cpb_index_free(index);
  return error->code;
}

static void expect_merge(const cpb_buffer *file, size_t piece, const cpb_merge_options *options, size_t fill,
                         const cpb_buffer *wanted) {
  host h = {file, piece, NULL, fill};
  cpb_buffer out;
  cpb_error error;
  cpb_buffer_init(&out, &plain);
  if (merge_file(&h, NULL, options, &out, &error) != CPB_OK) fail_msg("%s", error.message);
  assert_int_equal(out.size, wanted->size);
  if (out.size > 0) assert_memory_equal(out.data, wanted->data, out.size);
  cpb_buffer_free(&out);
  free(h.lent);
}

/* --- Tests ---------------------------------------------------------------- */

static void every_layout_lent_in_any_pieces_merges_to_the_message(void **state) {
  (void)state;
  const size_t pieces[] = {SIZE_MAX, 7, 100};
  for (uint64_t i = 0; i < 36; i++) {
    merge_case c;
    cpb_buffer whole, file;
    make_case(&c, &whole, i);
    write_file(&c, &layouts[i % 6], &file);
    for (int verify = 0; verify < 3; verify++) {
      cpb_merge_options options = {.struct_size = sizeof options,
                                   .verify = (cpb_verify)verify,
                                   .trust_sizes = i % 2 != 0,
                                   .memory = i % 4 == 0   ? 64
                                             : i % 4 == 1 ? 2000
                                                          : 0,
                                   .read_size = i % 5 == 0 ? 50 : 0};
      const size_t fills[] = {0, 1, 100, whole.size, whole.size + 1};
      for (size_t k = 0; k < 5; k++)
        if (k == 0 || fills[k] > 0) expect_merge(&file, pieces[i / 6 % 3], &options, fills[k], &whole);
    }
    cpb_buffer_free(&file);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
}

static void the_index_says_what_was_written(void **state) {
  (void)state;
  merge_case c;
  cpb_buffer whole, file;
  cpb_error error = {0};
  make_case(&c, &whole, 5);
  write_file(&c, &layouts[1], &file);
  host h = {&file, SIZE_MAX, NULL, 0};
  cpb_index *index = open_index(&h, NULL, &error);
  assert_non_null(index);
  assert_int_equal(cpb_index_num_chunks(index), c.num_chunks);
  assert_int_equal(cpb_index_num_nodes(index), c.index.num_nodes);
  cpb_chunk_info info;
  for (size_t i = 0; i < c.num_chunks; i++) {
    assert_int_equal(cpb_index_get_chunk(index, i, &info), CPB_OK);
    assert_int_equal(info.position, cpb_metadata_chunk(&c.index, i).offset);
    assert_int_equal(info.size, c.chunks[i].size);
    assert_int_equal(info.type, c.chunks[i].type);
  }
  assert_int_equal(cpb_index_get_chunk(index, c.num_chunks, &info), CPB_E_NOT_FOUND);
  cpb_index_node node;
  for (uint32_t n = 0; n < c.index.num_nodes; n++) {
    assert_int_equal(cpb_index_get_node(index, n, &node), CPB_OK);
    cpb_field_tag tag;
    for (uint32_t t = 0; t < node.num_tags; t++) {
      assert_int_equal(cpb_index_get_tag(index, n, t, &tag), CPB_OK);
      assert_int_equal(tag.text != NULL, tag.kind == CPB_TAG_KEY_STRING);
    }
    assert_int_equal(cpb_index_get_tag(index, n, node.num_tags, &tag), CPB_E_NOT_FOUND);
  }
  cpb_record record;
  cpb_riegeli_chunk riegeli;
  cpb_index_get_record(index, &record, &riegeli);
  cpb_buffer metadata;
  cpb_buffer_init(&metadata, &c.index.allocator);
  assert_true(cpb_metadata_encode(&c.index, &metadata, &error));
  assert_int_equal(record.size, metadata.size);
  cpb_buffer_free(&metadata);
  assert_int_equal(riegeli.end, file.size);
  cpb_index_free(index);
  free(h.lent);
  cpb_buffer_free(&file);
  cpb_buffer_free(&whole);
  merge_case_free(&c);
}

static void read_chunk(host *h, cpb_chunk_reader *r, uint64_t chunk, uint64_t offset, uint64_t length,
                       const cpb_chunk_bytes *wanted) {
  uint64_t begin = offset < wanted->size ? offset : wanted->size, at = begin;
  assert_int_equal(cpb_chunk_reader_read(r, chunk, offset, length), CPB_OK);
  cpb_step step;
  while ((step = cpb_chunk_reader_step(r)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t size;
    if (step == CPB_STEP_NEED) {
      answer(h, cpb_chunk_reader_input(r));
      continue;
    }
    const uint8_t *data = cpb_chunk_reader_data(r, &size);
    assert_true(size <= wanted->size - at);
    assert_memory_equal(data, (const uint8_t *)wanted->data + at, size);
    at += size;
  }
  assert_int_equal(step, CPB_STEP_DONE);
  assert_int_equal(at - begin, length < wanted->size - begin ? length : wanted->size - begin);
  assert_int_equal(cpb_chunk_reader_stored(r)->size, wanted->size);
  assert_true(cpb_chunk_reader_stored(r)->riegeli.end <= h->file->size);
}

static void any_range_of_any_chunk_is_read(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 18; i++) {
    merge_case c;
    cpb_buffer whole, file;
    cpb_error error = {0};
    make_case(&c, &whole, i + 100);
    write_file(&c, &layouts[i % 6], &file);
    host h = {&file, i % 2 ? 70 : SIZE_MAX, NULL, 0};
    cpb_index *index = open_index(&h, NULL, &error);
    cpb_chunk_reader_options options = {.struct_size = sizeof options, .verify = (cpb_verify)(i % 3)};
    cpb_chunk_reader *r = cpb_chunk_reader_new(NULL, index, &options);
    for (uint64_t chunk = 0; chunk < c.num_chunks && chunk < 50; chunk++)
      read_chunk(&h, r, chunk, 0, UINT64_MAX, &c.chunks[chunk]);
    for (int n = 0; n < 60; n++) {
      uint64_t chunk = random_below((uint32_t)c.num_chunks);
      read_chunk(&h, r, chunk, random_below((uint32_t)c.chunks[chunk].size + 2), random_below(200), &c.chunks[chunk]);
    }
    assert_int_equal(cpb_chunk_reader_read(r, c.num_chunks, 0, 1), CPB_E_NOT_FOUND);
    cpb_chunk_reader_free(r);
    cpb_index_free(index);
    free(h.lent);
    cpb_buffer_free(&file);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
}

/* What the index says, which may be wrong. */
static void set_size(merge_case *c, size_t i, uint64_t size) {
  cpb_chunk_entry entry = cpb_metadata_chunk(&c->index, i);
  entry.size = size;
  assert_true(cpb_metadata_set_entry(&c->index, i, entry));
}

static void a_lying_size_does_not_matter_unless_it_is_trusted(void **state) {
  (void)state;
  merge_case c;
  cpb_buffer whole, file;
  make_case(&c, &whole, 3);
  for (size_t i = 0; i < c.num_chunks; i++) set_size(&c, i, i % 2 ? (uint64_t)1 << 40 : 1);
  write_file(&c, &layouts[1], &file);
  cpb_merge_options options = {.struct_size = sizeof options, .verify = CPB_VERIFY_LATE};
  expect_merge(&file, SIZE_MAX, &options, 0, &whole);
  options.trust_sizes = 1;
  host h = {&file, SIZE_MAX, NULL, 0};
  cpb_error error;
  cpb_buffer out;
  cpb_buffer_init(&out, &plain);
  assert_int_equal(merge_file(&h, NULL, &options, &out, &error), CPB_E_DAMAGED);
  assert_non_null(strstr(error.message, "its size in the index"));
  cpb_buffer_free(&out);
  free(h.lent);
  cpb_buffer_free(&file);
  cpb_buffer_free(&whole);
  merge_case_free(&c);
}

/* Of a record that is alone in an uncompressed Riegeli chunk of which no block header is part; 0: of none. */
static uint64_t size_that_fits(uint64_t begin, uint64_t end) {
  for (uint64_t size = end - begin; size > 0; size--) {
    uint64_t length = cpb_varint_size(size);
    if (40 + 1 + cpb_varint_size(length) + length + size == end - begin) return size;
  }
  return 0;
}

/* Compressed chunks, whose sizes in the index are what they would be if they were not. */
static void a_lying_size_that_fits_is_damage(void **state) {
  (void)state;
  merge_case c;
  cpb_buffer whole, file;
  make_case(&c, &whole, 3);
  write_file(&c, &layouts[1], &file);
  cpb_buffer_free(&file);
  size_t lies = 0;
  for (size_t i = 0; i + 1 < c.num_chunks; i++) {
    uint64_t begin = cpb_metadata_chunk(&c.index, i).offset, end = cpb_metadata_chunk(&c.index, i + 1).offset;
    uint64_t size = end > begin && begin / 65536 == end / 65536 ? size_that_fits(begin, end) : 0;
    if (size > 0 && size != c.chunks[i].size) set_size(&c, i, size), lies++;
  }
  assert_true(lies > 0);
  write_file(&c, &layouts[1], &file);
  const cpb_merge_options options = {.struct_size = sizeof options, .verify = CPB_VERIFY_LATE};
  host h = {&file, SIZE_MAX, NULL, 0};
  cpb_error error;
  cpb_buffer out;
  cpb_buffer_init(&out, &plain);
  assert_int_equal(merge_file(&h, NULL, &options, &out, &error), CPB_E_DAMAGED);
  assert_non_null(strstr(error.message, "its size in the index"));
  cpb_buffer_free(&out);
  free(h.lent);
  cpb_buffer_free(&file);
  cpb_buffer_free(&whole);
  merge_case_free(&c);
}

static void an_index_without_sizes_is_not_trusted_for_them(void **state) {
  (void)state;
  merge_case c;
  cpb_buffer whole, file;
  make_case(&c, &whole, 3);
  for (size_t i = 0; i < c.num_chunks; i++) set_size(&c, i, 0);
  write_file(&c, &layouts[1], &file);
  const cpb_merge_options options = {.struct_size = sizeof options, .trust_sizes = 1};
  expect_merge(&file, SIZE_MAX, &options, 0, &whole);
  cpb_buffer_free(&file);
  cpb_buffer_free(&whole);
  merge_case_free(&c);
}

/* A message small enough for a flip of each of its file's bits. */
static void make_small_file(cpb_buffer *whole, cpb_buffer *file, const layout *how) {
  merge_case c;
  merge_case_init(&c);
  plain = cpb_allocator_or_default(NULL);
  cpb_buffer_init(whole, &plain);
  uint32_t root = add_node(&c, CPB_NO_NODE, "", MESSAGE(&c, "\x0a\x00\x12\x02\x08\x01"));
  add_node(&c, root, "1", MESSAGE(&c, "\x0a\x05hello"));
  add_node(&c, root, "2.3", BYTES(&c, "a few bytes that are long enough"));
  append(whole,
         "\x0a\x07\x0a\x05hello\x12\x24\x08\x01\x1a\x20"
         "a few bytes that are long enough",
         47);
  write_file(&c, how, file);
  merge_case_free(&c);
}

static void no_flipped_bit_changes_the_message_unseen(void **state) {
  (void)state;
  for (size_t l = 0; l < 6; l++) {
    cpb_buffer whole, file;
    make_small_file(&whole, &file, &layouts[l]);
    size_t errors = 0;
    for (size_t bit = 0; bit < 8 * file.size; bit += sanitized_stride(11)) {
      cpb_merge_options options = {
          .struct_size = sizeof options, .verify = (cpb_verify)(bit % 2), .memory = bit / 2 % 2 ? 64 : 0};
      host h = {&file, bit / 4 % 2 ? 16 : SIZE_MAX, NULL, 0};
      cpb_buffer out;
      cpb_error error;
      cpb_buffer_init(&out, &plain);
      file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
      cpb_code code = merge_file(&h, NULL, &options, &out, &error);
      if (code == CPB_OK) {
        assert_int_equal(out.size, whole.size);
        assert_memory_equal(out.data, whole.data, whole.size);
      } else {
        errors++;
      }
      file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
      cpb_buffer_free(&out);
      free(h.lent);
    }
    assert_true(errors > file.size / sanitized_stride(11));
    cpb_buffer_free(&file);
    cpb_buffer_free(&whole);
  }
}

static void no_truncated_file_gives_a_message(void **state) {
  (void)state;
  cpb_buffer whole, file;
  make_small_file(&whole, &file, &layouts[1]);
  size_t size = file.size;
  for (file.size = 0; file.size < size; file.size++) {
    host h = {&file, SIZE_MAX, NULL, 0};
    cpb_buffer out;
    cpb_error error;
    cpb_buffer_init(&out, &plain);
    assert_int_not_equal(merge_file(&h, NULL, NULL, &out, &error), CPB_OK);
    cpb_buffer_free(&out);
    free(h.lent);
  }
  cpb_buffer_free(&file);
  cpb_buffer_free(&whole);
}

static void another_riegeli_file_is_said_to_be_one(void **state) {
  (void)state;
  plain = cpb_allocator_or_default(NULL);
  cpb_buffer file;
  cpb_buffer_init(&file, &plain);
  cpb_record_writer *w = cpb_record_writer_new(NULL, NULL);
  write_record(w, &file, "just a record", 13);
  cpb_record_writer_finish(w);
  take_output(w, &file);
  cpb_record_writer_free(w);
  host h = {&file, SIZE_MAX, NULL, 0};
  cpb_error error = {0};
  assert_null(open_index(&h, NULL, &error));
  assert_int_equal(error.code, CPB_E_FORMAT);
  assert_non_null(strstr(error.message, "its last Riegeli record is not a ChunkMetadata"));
  assert_int_equal(error.offset, 64);
  free(h.lent);
  cpb_buffer_free(&file);
}

static void a_host_that_cannot_read_ends_it(void **state) {
  (void)state;
  cpb_buffer whole, file;
  make_small_file(&whole, &file, &layouts[0]);
  host h = {&file, SIZE_MAX, NULL, 0};
  cpb_error error = {0};
  cpb_index *index = open_index(&h, NULL, &error);
  cpb_merge *m = cpb_merge_new(NULL, index, NULL);
  assert_int_equal(cpb_merge_step(m), CPB_STEP_NEED);
  cpb_input_fail(cpb_merge_input(m), CPB_E_READ, "the disk is on fire");
  assert_int_equal(cpb_merge_step(m), CPB_STEP_ERROR);
  assert_int_equal(cpb_merge_step(m), CPB_STEP_ERROR);
  assert_int_equal(cpb_merge_error(m)->code, CPB_E_READ);
  assert_int_equal(cpb_merge_read(m, 0, 1), CPB_E_READ);
  cpb_merge_free(m);
  cpb_index_free(index);
  free(h.lent);
  cpb_buffer_free(&file);
  cpb_buffer_free(&whole);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  for (size_t l = 0; l < 6; l++) {
    cpb_buffer whole, file;
    make_small_file(&whole, &file, &layouts[l]);
    cpb_code code = CPB_E_MEMORY;
    for (size_t n = 1; code != CPB_OK; n += sanitized_stride(3)) {
      failing_allocator f = {.fail_at = n};
      cpb_allocator a = failing_allocator_of(&f);
      host h = {&file, 1000, NULL, 0};
      cpb_buffer out;
      cpb_error error;
      cpb_buffer_init(&out, &plain);
      code = merge_file(&h, &a, NULL, &out, &error);
      assert_true(code == CPB_E_MEMORY || (code == CPB_OK && f.calls < n));
      assert_int_equal(f.blocks, 0);
      cpb_buffer_free(&out);
      free(h.lent);
    }
    cpb_buffer_free(&file);
    cpb_buffer_free(&whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_lent_in_any_pieces_merges_to_the_message),
      cmocka_unit_test(the_index_says_what_was_written),
      cmocka_unit_test(any_range_of_any_chunk_is_read),
      cmocka_unit_test(a_lying_size_does_not_matter_unless_it_is_trusted),
      cmocka_unit_test(a_lying_size_that_fits_is_damage),
      cmocka_unit_test(an_index_without_sizes_is_not_trusted_for_them),
      cmocka_unit_test(no_flipped_bit_changes_the_message_unseen),
      cmocka_unit_test(no_truncated_file_gives_a_message),
      cmocka_unit_test(another_riegeli_file_is_said_to_be_one),
      cmocka_unit_test(a_host_that_cannot_read_ends_it),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
