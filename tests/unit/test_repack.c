/* Repacking: the chunks are the same bytes, the index says where they now are,
 * and the message that they are merged to is the same. Files are made from
 * records by hand and read back by the record reader, not by repack's own
 * readers. */
#include "split_help.h"

#include "cpb/repack.h"
#include "failing_allocator.h"

/* --- Files ------------------------------------------------------------------ */

static cpb_step take_output(cpb_record_writer *w, bytes *file) {
  cpb_step step;
  while ((step = cpb_record_writer_step(w)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    write_at(file, offset, data, length);
  }
  assert_int_equal(step, CPB_STEP_NEED);
  return step;
}

static uint64_t write_record(cpb_record_writer *w, bytes record, bytes *file) {
  assert_int_equal(cpb_record_writer_begin_record(w, record.size), CPB_OK);
  take_output(w, file);
  assert_int_equal(cpb_record_writer_write(w, record.data, record.size), CPB_OK);
  take_output(w, file);
  return cpb_record_writer_position(w);
}

enum { NUM_CHUNKS = 6 };

/* A chunk of each kind: text, noise, little, nothing. Those after the root
 * belong to its fields 2, 3 ... */
static bytes chunk_of(size_t i) {
  bytes b = {NULL, 0};
  switch (i) {
    case 0: return *put_int(&b, 1, 7);
    case 1:
      for (int n = 0; n < 9000; n++) put(&b, "compressible ", 13);
      return b;
    case 2: return noise(150000, 1);
    case 3: return *put(&b, "x", 0);
    case 4: return noise(70, 2);
    default: return *put(&b, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 63);
  }
}

/* All in one Riegeli chunk, the index too. `lie` is added to the first sizes
 * and positions that it gives. */
static bytes make_file(uint64_t lie_size, uint64_t lie_position) {
  bytes file = {NULL, 0};
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata m;
  cpb_metadata_init(&m, &a);
  m.splitter_version = 3;
  const cpb_record_writer_options options = {.struct_size = sizeof options, .codec = {.codec = CPB_CODEC_BROTLI}};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &options);
  take_output(w, &file);
  for (size_t i = 0; i < NUM_CHUNKS; i++) {
    bytes chunk = chunk_of(i);
    uint64_t position = write_record(w, chunk, &file);
    cpb_chunk_entry entry = {chunk.size + (i == 1 ? lie_size : 0), position + (i == 1 ? lie_position : 0),
                             i == 0 ? CPB_CHUNK_MESSAGE : CPB_CHUNK_BYTES};
    assert_true(cpb_metadata_add_chunk(&m, entry));
    uint32_t node = cpb_metadata_add_node(&m, i == 0 ? CPB_NO_NODE : 0, i);
    assert_true(cpb_metadata_set_message(&m, node, true));
    cpb_tag tag = {.kind = CPB_TAG_FIELD, .value = i + 1};
    if (i > 0) assert_true(cpb_metadata_add_tag(&m, node, tag));
    free(chunk.data);
  }
  cpb_buffer index;
  cpb_error error = {0};
  cpb_buffer_init(&index, &a);
  assert_true(cpb_metadata_encode(&m, &index, &error));
  write_record(w, (bytes){index.data, index.size}, &file);
  assert_int_equal(cpb_record_writer_finish(w), CPB_OK);
  cpb_step tag;
  while ((tag = cpb_record_writer_step(w)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    write_at(&file, offset, data, length);
  }
  trim(&file);
  cpb_record_writer_free(w);
  cpb_buffer_free(&index);
  cpb_metadata_free(&m);
  return file;
}

/* --- Running ------------------------------------------------------------------ */

static cpb_step run(cpb_repack *r, bytes file, size_t piece, bytes *out) {
  uint8_t *lent = NULL;
  cpb_step step;
  for (;;) {
    step = cpb_repack_step(r);
    if (step == CPB_STEP_NEED) {
      lent = lend(cpb_repack_input(r), file, piece, lent);
    } else if (step == CPB_STEP_OUTPUT) {
      uint64_t offset;
      size_t length;
      const uint8_t *data = cpb_repack_output(r, &offset, &length);
      assert_true(length > 0 && offset <= out->size);
      write_at(out, offset, data, length);
    } else {
      break;
    }
  }
  free(lent);
  trim(out);
  return step;
}

static split_file repacked(bytes file, const cpb_repack_options *options, size_t piece) {
  split_file f = {.code = CPB_OK};
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata_init(&f.index, &a);
  cpb_repack *r = cpb_repack_new(NULL, options);
  assert_non_null(r);
  cpb_step step = run(r, file, piece, &f.file);
  f.error = *cpb_repack_error(r);
  f.code = f.error.code;
  assert_int_equal(step, f.code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR);
  assert_int_equal(cpb_repack_step(r), step); /* for ever after */
  if (step == CPB_STEP_DONE) {
    uint64_t done, total;
    cpb_repack_progress(r, &done, &total);
    read_records(&f);
    read_index(&f);
    uint64_t sum = 0;
    for (size_t i = 0; i < f.num_chunks; i++) sum += f.chunks[i].size;
    assert_int_equal(done, sum);
  }
  cpb_repack_free(r);
  return f;
}

static void same_chunks(const split_file *f) {
  assert_int_equal(f->num_chunks, NUM_CHUNKS);
  assert_int_equal(f->index.splitter_version, 3);
  for (size_t i = 0; i < NUM_CHUNKS; i++) {
    bytes chunk = chunk_of(i);
    assert_int_equal(f->chunks[i].size, chunk.size);
    assert_memory_equal(f->chunks[i].data, chunk.data, chunk.size);
    assert_int_equal(cpb_metadata_chunk(&f->index, i).type, i == 0 ? CPB_CHUNK_MESSAGE : CPB_CHUNK_BYTES);
    char tag[128], number[32];
    snprintf(number, sizeof number, "%zu", i + 1);
    assert_string_equal(tag_of(f, i, tag), i == 0 ? "-" : number);
    free(chunk.data);
  }
}

/* --- Layouts -------------------------------------------------------------------- */

static void each_chunk_has_the_codec_that_pays_for_remote_reading(void **state) {
  (void)state;
  bytes file = make_file(0, 0);
  split_file f = repacked(file, NULL, 0);
  same_chunks(&f);
  static const char codecs[NUM_CHUNKS] = {0, 'z', 0, 0, 0, 0};
  for (size_t i = 0; i < NUM_CHUNKS; i++) {
    assert_int_equal(f.codecs[i], codecs[i]);
    assert_int_equal(f.records[i].index, 0);
    assert_int_equal(f.records[i].position, f.records[i].chunk_begin);
  }
  free_split(&f);
  free(file.data);
}

static void the_compatible_layout_puts_small_chunks_together(void **state) {
  (void)state;
  bytes file = make_file(0, 0);
  const cpb_repack_options options = {.struct_size = sizeof options, .layout = CPB_LAYOUT_COMPAT};
  split_file f = repacked(file, &options, 0);
  same_chunks(&f);
  for (size_t i = 0; i < NUM_CHUNKS; i++) {
    assert_int_equal(f.codecs[i], 'b');
    assert_int_equal(f.records[i].index, i);
    assert_int_equal(f.records[i].chunk_begin, f.records[0].chunk_begin);
  }
  free_split(&f);
  free(file.data);
}

static void a_codec_that_is_asked_for_is_used_for_all(void **state) {
  (void)state;
  bytes file = make_file(0, 0);
  for (int layout = CPB_LAYOUT_REMOTE; layout <= CPB_LAYOUT_COMPAT; layout++) {
    for (cpb_codec codec = CPB_CODEC_NONE; codec <= CPB_CODEC_ZSTD; codec++) {
      const cpb_repack_options options = {
          .struct_size = sizeof options, .layout = (cpb_layout)layout, .codec = {.codec = codec}};
      split_file f = repacked(file, &options, 0);
      same_chunks(&f);
      for (size_t i = 0; i < NUM_CHUNKS; i++) {
        assert_int_equal(f.codecs[i], codec == CPB_CODEC_NONE ? 0 : codec == CPB_CODEC_BROTLI ? 'b' : 'z');
        assert_int_equal(f.records[i].index, layout == CPB_LAYOUT_COMPAT ? i : 0);
      }
      free_split(&f);
    }
  }
  free(file.data);
}

static void a_round_trip_gives_the_same_file(void **state) {
  (void)state;
  bytes file = make_file(0, 0);
  const cpb_repack_options compat = {.struct_size = sizeof compat, .layout = CPB_LAYOUT_COMPAT};
  split_file remote = repacked(file, NULL, 0), there = repacked(remote.file, &compat, 0),
             back = repacked(there.file, NULL, 0);
  assert_int_equal(back.file.size, remote.file.size);
  assert_memory_equal(back.file.data, remote.file.data, remote.file.size);
  bytes before = merged(&remote), after = merged(&there);
  assert_int_equal(before.size, after.size);
  assert_memory_equal(before.data, after.data, before.size);
  free(before.data);
  free(after.data);
  free_split(&remote);
  free_split(&there);
  free_split(&back);
  free(file.data);
}

static void wrong_sizes_in_the_index_are_put_right(void **state) {
  (void)state;
  const uint64_t lies[] = {1, (uint64_t)1 << 40, UINT64_MAX - 200000};
  for (size_t i = 0; i < 3; i++) {
    bytes file = make_file(lies[i], 0);
    split_file f = repacked(file, NULL, 0);
    same_chunks(&f); /* read_index compared sizes */
    free_split(&f);
    free(file.data);
  }
}

/* Also if the index lies about a size: as soon as that chunk is read. */
static void progress_says_how_much_there_is(void **state) {
  (void)state;
  const uint64_t lies[] = {0, UINT64_MAX /* -1 */, 1};
  uint64_t done, total, size = 0;
  for (size_t i = 0; i < NUM_CHUNKS; i++) {
    bytes chunk = chunk_of(i);
    size += chunk.size;
    free(chunk.data);
  }
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    bytes file = make_file(lies[i], 0), out = {NULL, 0};
    cpb_repack *r = cpb_repack_new(NULL, NULL);
    cpb_repack_progress(r, &done, &total);
    assert_int_equal(done + total, 0);
    assert_int_equal(run(r, file, 0, &out), CPB_STEP_DONE);
    cpb_repack_progress(r, &done, &total);
    assert_int_equal(done, size);
    assert_int_equal(total, size);
    cpb_repack_free(r);
    free(out.data);
    free(file.data);
  }
}

/* --- Hosts ------------------------------------------------------------------------ */

static void input_in_pieces_gives_the_same_file(void **state) {
  (void)state;
  bytes file = make_file(0, 0);
  static const size_t pieces[] = {1, 7, 24, 1000};
  split_file whole = repacked(file, NULL, 0);
  for (size_t i = 0; i < 4; i++) {
    cpb_repack_options options = {.struct_size = sizeof options, .read_size = pieces[i]};
    split_file f = repacked(file, &options, pieces[i]);
    if (f.code != CPB_OK) fail_msg("%zu: %s", pieces[i], f.error.message);
    assert_int_equal(f.file.size, whole.file.size);
    assert_memory_equal(f.file.data, whole.file.data, whole.file.size);
    free_split(&f);
  }
  free_split(&whole);
  free(file.data);
}

static void a_chunk_over_the_buffer_streams_if_the_output_can_be_patched(void **state) {
  (void)state;
  bytes file = make_file(0, 0);
  cpb_repack_options options = {.struct_size = sizeof options, .buffer = 4096, .seekable = 1};
  split_file f = repacked(file, &options, 0);
  same_chunks(&f);
  free_split(&f);
  options.seekable = 0;
  f = repacked(file, &options, 0);
  assert_int_equal(f.code, CPB_E_LIMIT);
  free_split(&f);
  free(file.data);
}

static size_t allocations_until_done(bytes file, cpb_layout layout, size_t fail_at, bool for_ever, bool *failed) {
  failing_allocator failing = {.fail_at = fail_at, .for_ever = for_ever};
  const cpb_allocator a = failing_allocator_of(&failing);
  const cpb_repack_options options = {.struct_size = sizeof options, .layout = layout, .codec.level = 1};
  bytes out = {NULL, 0};
  cpb_repack *r = cpb_repack_new(&a, &options);
  *failed = r == NULL;
  if (r != NULL && run(r, file, 0, &out) == CPB_STEP_ERROR) {
    *failed = true;
    assert_int_equal(cpb_repack_error(r)->code, CPB_E_MEMORY);
  }
  cpb_repack_free(r);
  free(out.data);
  assert_int_equal(failing.blocks, 0);
  return failing.calls;
}

static void any_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  bytes file = make_file(0, 0);
  for (int layout = CPB_LAYOUT_REMOTE; layout <= CPB_LAYOUT_COMPAT; layout++) {
    bool failed;
    size_t total = allocations_until_done(file, (cpb_layout)layout, 0, false, &failed);
    assert_false(failed);
    assert_true(total > 10);
    for (size_t n = 1; n <= total; n++) {
      for (int for_ever = 0; for_ever <= 1; for_ever++) {
        allocations_until_done(file, (cpb_layout)layout, n, for_ever, &failed);
        assert_true(failed);
      }
    }
  }
  free(file.data);
}

/* --- Errors ------------------------------------------------------------------------- */

static void wrong_options_are_said_at_the_first_tag(void **state) {
  (void)state;
  const cpb_repack_options options[] = {
      {.struct_size = sizeof *options, .codec.level = 99},
      {.struct_size = sizeof *options, .codec = {CPB_CODEC_SNAPPY, 9, 0}},
  };
  for (size_t i = 0; i < 2; i++) {
    cpb_repack *r = cpb_repack_new(NULL, &options[i]);
    assert_int_equal(cpb_repack_step(r), CPB_STEP_ERROR);
    assert_int_equal(cpb_repack_error(r)->code, CPB_E_USAGE);
    cpb_repack_free(r);
  }
  cpb_repack_free(NULL);
}

static void fails(bytes file, const cpb_limits *limits, cpb_code code) {
  const cpb_repack_options options = {.struct_size = sizeof options, .limits = limits};
  split_file f = repacked(file, &options, 0);
  if (f.code != code) fail_msg("%s: %s", cpb_code_name(f.code), f.error.message);
  free_split(&f);
}

static void errors_are_those_of_the_input(void **state) {
  (void)state;
  bytes file = make_file(0, 0), text = {NULL, 0};
  put(&text, "this is no Riegeli file, but it is long enough to hold the header of one ......", 80);
  fails(text, NULL, CPB_E_FORMAT);
  fails(file, &(cpb_limits){.struct_size = sizeof(cpb_limits), .chunks = NUM_CHUNKS - 1}, CPB_E_LIMIT);
  file.data[file.size / 2] ^= 1;
  fails(file, NULL, CPB_E_DAMAGED);
  free(file.data);
  free(text.data);
}

static void a_chunk_that_is_not_there_is_an_error(void **state) {
  (void)state;
  bytes file = make_file(0, (uint64_t)1 << 30);
  fails(file, NULL, CPB_E_DAMAGED);
  const cpb_repack_options options = {.struct_size = sizeof options, .codec.codec = CPB_CODEC_NONE};
  split_file f = repacked(file, &options, 0);
  assert_int_equal(f.code, CPB_E_DAMAGED);
  free_split(&f);
  free(file.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_chunk_has_the_codec_that_pays_for_remote_reading),
      cmocka_unit_test(the_compatible_layout_puts_small_chunks_together),
      cmocka_unit_test(a_codec_that_is_asked_for_is_used_for_all),
      cmocka_unit_test(a_round_trip_gives_the_same_file),
      cmocka_unit_test(wrong_sizes_in_the_index_are_put_right),
      cmocka_unit_test(progress_says_how_much_there_is),
      cmocka_unit_test(input_in_pieces_gives_the_same_file),
      cmocka_unit_test(a_chunk_over_the_buffer_streams_if_the_output_can_be_patched),
      cmocka_unit_test(any_failing_allocation_is_a_clean_error),
      cmocka_unit_test(wrong_options_are_said_at_the_first_tag),
      cmocka_unit_test(errors_are_those_of_the_input),
      cmocka_unit_test(a_chunk_that_is_not_there_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
