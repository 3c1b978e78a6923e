/* A .cpb file whose chunks are in other files: merged as if they were in one, and never from the wrong file. */
#include "cpb/chunked.h"
#include "cpb/pager.h"
#include "failing_allocator.h"
#include "merge_files.h"
#include "stride.h"

/* --- Files ---------------------------------------------------------------- */

enum { FILES = 3, ALL = FILES + 1 };

static const char *const names[ALL] = {"", "a.cpb", "b.cpb", "c.cpb"};

typedef struct {
  cpb_buffer file[ALL]; /* 0: the one with the index */
} files;

static void free_files(files *f) {
  for (size_t i = 0; i < ALL; i++) cpb_buffer_free(&f->file[i]);
}

/* The data hash of the Riegeli chunk that the record at `position` is in: its header is 40 bytes. */
static uint64_t hash_at(const cpb_buffer *file, uint64_t position) {
  uint64_t hash = 0;
  cpb_record_reader *r = cpb_record_reader_new(NULL, NULL);
  cpb_step step;
  while ((step = cpb_record_reader_step(r)) != CPB_STEP_DONE) {
    assert_int_not_equal(step, CPB_STEP_ERROR);
    if (step == CPB_STEP_NEED) cpb_input_end(cpb_record_reader_input(r), file->size);
    if (step == CPB_STEP_NEED) cpb_input_supply(cpb_record_reader_input(r), 0, file->data, file->size);
    if (step != CPB_STEP_RECORD || cpb_record_reader_record(r)->position != position) continue;
    uint64_t begin = cpb_record_reader_record(r)->chunk_begin;
    assert_true(begin % 65536 + 40 < 65536);
    hash = cpb_load64(file->data + begin + 16);
  }
  cpb_record_reader_free(r);
  return hash;
}

/* Chunk i goes into file (i + first) % 4. */
static void write_files(merge_case *c, const layout *how, size_t first, files *f) {
  const cpb_record_writer_options options = {.struct_size = sizeof options,
                                             .codec = {.codec = how->codec},
                                             .record_per_chunk = how->record_per_chunk,
                                             .chunk_size = how->chunk_size};
  cpb_record_writer *writers[ALL];
  cpb_buffer index;
  cpb_error error = {0};
  cpb_buffer_init(&index, &plain);
  for (size_t i = 0; i < ALL; i++) {
    writers[i] = cpb_record_writer_new(NULL, &options);
    cpb_buffer_init(&f->file[i], &plain);
  }
  for (size_t i = 0; i < c->num_chunks; i++) {
    cpb_chunk_entry entry = cpb_metadata_chunk(&c->index, i);
    size_t in = (i + first) % ALL;
    entry.offset = write_record(writers[in], &f->file[in], c->chunks[i].data, c->chunks[i].size);
    assert_true(cpb_metadata_set_entry(&c->index, i, entry));
  }
  for (size_t i = 1; i < ALL; i++) {
    cpb_record_writer_finish(writers[i]);
    take_output(writers[i], &f->file[i]);
    assert_true(cpb_metadata_add_file(&c->index, (cpb_span){(const uint8_t *)names[i], 5}, f->file[i].size));
  }
  for (size_t i = 0; i < c->num_chunks; i++) {
    size_t in = (i + first) % ALL;
    uint64_t hash = in > 0 ? hash_at(&f->file[in], cpb_metadata_chunk(&c->index, i).offset) : 0;
    assert_true(cpb_metadata_set_reference(&c->index, i, (cpb_chunk_reference){(uint32_t)in, hash}));
  }
  c->index.join_version = CPB_JOIN_FILES;
  assert_true(cpb_metadata_encode(&c->index, &index, &error));
  write_record(writers[0], &f->file[0], index.data, index.size);
  cpb_record_writer_finish(writers[0]);
  take_output(writers[0], &f->file[0]);
  for (size_t i = 0; i < ALL; i++) cpb_record_writer_free(writers[i]);
  cpb_buffer_free(&index);
}

/* --- A host ---------------------------------------------------------------- */

typedef struct {
  const files *files;
  size_t piece;   /* most bytes lent at once */
  bool is_aware;  /* of other files */
  bool is_denied; /* they cannot be had */
  void *lent;     /* a copy of exactly those bytes, so that reading beyond is seen */
} host;

static void check_name(const cpb_input *input, uint32_t file) {
  cpb_other_file other;
  cpb_input_other(input, &other);
  assert_int_equal(other.length, file > 0 ? 5 : 0);
  if (file > 0) assert_memory_equal(other.name, names[file], 5);
}

static void answer(host *h, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  check_name(input, need.file);
  if (need.file > 0 && h->is_denied) {
    cpb_input_fail(input, CPB_E_READ, "denied");
    return;
  }
  uint32_t file = h->is_aware ? need.file : 0;
  const cpb_buffer *from = &h->files->file[file];
  cpb_input_end_other(input, need.file + 1, 5); /* is ignored, as is the next */
  cpb_input_supply_other(input, need.file + 1, need.offset, "?", 1);
  if (file > 0) cpb_input_end_other(input, file, from->size);
  else cpb_input_end(input, from->size);
  if (need.kind != CPB_NEED_RANGE || need.offset >= from->size) return;
  size_t length = need.length < h->piece ? need.length : h->piece;
  if (length > from->size - need.offset) length = from->size - (size_t)need.offset;
  free(h->lent);
  h->lent = malloc(length);
  memcpy(h->lent, from->data + need.offset, length);
  if (file > 0) cpb_input_supply_other(input, file, need.offset, h->lent, length);
  else cpb_input_supply(input, need.offset, h->lent, length);
}

static cpb_index *open_index(host *h, const cpb_allocator *a, cpb_error *error) {
  cpb_index *index = cpb_index_new(a, NULL);
  cpb_step step = CPB_STEP_ERROR;
  while (index && (step = cpb_index_step(index)) == CPB_STEP_NEED) answer(h, cpb_index_input(index));
  if (step == CPB_STEP_DONE) return index;
  if (index) *error = *cpb_index_error(index);
  else cpb_fail_memory(error);
  cpb_index_free(index);
  return NULL;
}

static cpb_step run_merge(host *h, cpb_merge *m, cpb_buffer *out) {
  cpb_step step;
  while ((step = cpb_merge_step(m)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t length;
    const uint8_t *data = cpb_merge_data(m, &length);
    if (step == CPB_STEP_NEED) answer(h, cpb_merge_input(m));
    else append(out, data, length);
  }
  return step;
}

static cpb_error merge_files(host *h, const cpb_allocator *a, const cpb_merge_options *options, cpb_buffer *out) {
  cpb_error error = {0};
  cpb_index *index = open_index(h, a, &error);
  cpb_merge *m = index ? cpb_merge_new(a, index, options) : NULL;
  if (m && run_merge(h, m, out) == CPB_STEP_DONE) {
    assert_int_equal(cpb_merge_read(m, 0, UINT64_MAX), CPB_OK);
    run_merge(h, m, out);
  }
  if (m) error = *cpb_merge_error(m);
  else if (index) cpb_fail_memory(&error);
  cpb_merge_free(m);
  cpb_index_free(index);
  free(h->lent);
  h->lent = NULL;
  return error;
}

/* --- Tests ---------------------------------------------------------------- */

static void every_layout_in_several_files_merges_to_the_message(void **state) {
  (void)state;
  const size_t pieces[] = {SIZE_MAX, 7, 100};
  for (uint64_t i = 0; i < 72; i += sanitized_stride(5)) {
    merge_case c;
    cpb_buffer whole, out;
    files f;
    make_case(&c, &whole, i);
    write_files(&c, &layouts[i % 6], i / 6 % ALL, &f);
    for (int verify = 0; verify < 3; verify++) {
      host h = {.files = &f, .piece = pieces[i / 6 % 3], .is_aware = true};
      cpb_merge_options options = {.struct_size = sizeof options,
                                   .verify = (cpb_verify)verify,
                                   .trust_sizes = i % 2 != 0,
                                   .memory = i % 4 == 0 ? 64 : 0};
      cpb_buffer_init(&out, &plain);
      cpb_error error = merge_files(&h, NULL, &options, &out);
      if (error.code != CPB_OK) fail_msg("case %d: %s", (int)i, error.message);
      assert_int_equal(out.size, whole.size);
      if (out.size > 0) assert_memory_equal(out.data, whole.data, out.size);
      cpb_buffer_free(&out);
    }
    free_files(&f);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
}

/* A host that does not look at need.file never gives bytes of the wrong one. */
static void a_reader_without_other_files_is_refused(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 24; i++) {
    merge_case c;
    cpb_buffer whole, out;
    files f;
    make_case(&c, &whole, i);
    write_files(&c, &layouts[i % 6], 1, &f); /* chunk 0 is elsewhere */
    for (int denied = 0; denied < 2; denied++) {
      host h = {.files = &f, .piece = SIZE_MAX, .is_denied = denied != 0};
      cpb_buffer_init(&out, &plain);
      cpb_error error = merge_files(&h, NULL, NULL, &out);
      if (c.num_chunks > 0 && cpb_metadata_node(&c.index, 0).chunk == 0) {
        const char *text = denied ? "file \"a.cpb\": denied" : "file \"a.cpb\": only one file can be read here";
        assert_int_equal(error.code, denied ? CPB_E_READ : CPB_E_UNSUPPORTED);
        assert_non_null(strstr(error.message, text));
        assert_int_equal(out.size, 0);
      }
      cpb_buffer_free(&out);
    }
    free_files(&f);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
}

static void begin(merge_case *c, files *f) {
  merge_case_init(c);
  MESSAGE(c, "\x08\x01");
  BYTES(c, "first");
  BYTES(c, "second");
  BYTES(c, "third");
  uint32_t root = add_node(c, CPB_NO_NODE, "", 0);
  add_node(c, root, "2", 1);
  add_node(c, root, "3", 2);
  add_node(c, root, "4", 3);
  write_files(c, &layouts[0], 0, f);
}

static void the_index_says_which_files(void **state) {
  (void)state;
  merge_case c;
  files f;
  cpb_error error = {0};
  cpb_other_file other;
  cpb_chunk_info info;
  begin(&c, &f);
  host h = {.files = &f, .piece = SIZE_MAX};
  cpb_index *index = open_index(&h, NULL, &error);
  assert_non_null(index);
  assert_int_equal(cpb_index_num_files(index), FILES);
  assert_int_equal(cpb_index_get_file(index, 0, &other), CPB_E_NOT_FOUND);
  assert_int_equal(cpb_index_get_file(index, ALL, &other), CPB_E_NOT_FOUND);
  assert_int_equal(cpb_index_get_file(index, 2, &other), CPB_OK);
  assert_int_equal(other.size, f.file[2].size);
  assert_memory_equal(other.name, "b.cpb", 5);
  for (uint64_t i = 0; i < ALL; i++) {
    assert_int_equal(cpb_index_get_chunk(index, i, &info), CPB_OK);
    assert_int_equal(info.file, i);
    assert_int_equal(info.position, 64);
  }
  cpb_index_free(index);
  free(h.lent);
  free_files(&f);
  merge_case_free(&c);
}

static void a_pager_reads_what_is_here_and_refuses_the_rest(void **state) {
  (void)state;
  merge_case c;
  files f;
  begin(&c, &f);
  for (uint64_t chunk = 0; chunk < 2; chunk++) {
    host h = {.files = &f, .piece = SIZE_MAX};
    const cpb_pager_options options = {.struct_size = sizeof options, .memory = 256 << 10};
    cpb_pager *p = cpb_pager_new(NULL, &options);
    cpb_step step;
    while ((step = cpb_pager_step(p)) == CPB_STEP_NEED) answer(&h, cpb_pager_input(p));
    assert_int_equal(step, CPB_STEP_DONE);
    assert_int_equal(cpb_pager_read(p, chunk, 0, UINT64_MAX), CPB_OK);
    while ((step = cpb_pager_step(p)) == CPB_STEP_NEED || step == CPB_STEP_DATA)
      if (step == CPB_STEP_NEED) answer(&h, cpb_pager_input(p));
    assert_int_equal(cpb_pager_error(p)->code, chunk == 0 ? CPB_OK : CPB_E_UNSUPPORTED);
    cpb_pager_free(p);
    free(h.lent);
  }
  free_files(&f);
  merge_case_free(&c);
}

/* Damaged anywhere, a file gives what was written, or an error that names it. */
static void damage_elsewhere_is_named(void **state) {
  (void)state;
  merge_case c;
  files f;
  cpb_buffer wanted, out;
  begin(&c, &f);
  host h = {.files = &f, .piece = SIZE_MAX, .is_aware = true};
  cpb_buffer_init(&wanted, &plain);
  assert_int_equal(merge_files(&h, NULL, NULL, &wanted).code, CPB_OK);
  for (size_t i = 0; i < f.file[2].size; i += sanitized_stride(5)) {
    f.file[2].data[i] ^= 0x10;
    cpb_buffer_init(&out, &plain);
    cpb_error error = merge_files(&h, NULL, NULL, &out);
    if (error.code == CPB_OK) assert_memory_equal(out.data, wanted.data, wanted.size);
    else assert_memory_equal(error.message, "file \"b.cpb\"", 12);
    if (error.code != CPB_OK) assert_true(error.offset == CPB_NO_OFFSET);
    cpb_buffer_free(&out);
    f.file[2].data[i] ^= 0x10;
  }
  cpb_buffer_free(&wanted);
  free_files(&f);
  merge_case_free(&c);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  merge_case c;
  files f;
  cpb_error error;
  size_t n = 0;
  begin(&c, &f);
  do {
    failing_allocator failing = {.fail_at = ++n};
    cpb_allocator a = {&failing, failing_allocate, failing_resize, failing_release};
    host h = {.files = &f, .piece = SIZE_MAX, .is_aware = true};
    cpb_buffer out;
    cpb_buffer_init(&out, &plain);
    error = merge_files(&h, &a, NULL, &out);
    assert_true(error.code == CPB_OK || error.code == CPB_E_MEMORY);
    assert_int_equal(failing.blocks, 0);
    cpb_buffer_free(&out);
  } while (error.code != CPB_OK);
  assert_true(n > 10);
  free_files(&f);
  merge_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_in_several_files_merges_to_the_message),
      cmocka_unit_test(a_reader_without_other_files_is_refused),
      cmocka_unit_test(the_index_says_which_files),
      cmocka_unit_test(a_pager_reads_what_is_here_and_refuses_the_rest),
      cmocka_unit_test(damage_elsewhere_is_named),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
