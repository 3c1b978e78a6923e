#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "reader_cases.h"
#include "riegeli/codec/compressor.h"
#include "stride.h"

/* Three chunks of small records, one that spans blocks, one of empty records. */
static built_file mixed_file(void) {
  built_file f = {0};
  const size_t small[] = {5, 0, 300, 1, 127, 128}, big[] = {70000, 3, 90001}, empty[] = {0, 0, 0};
  put_signature(&f);
  put_records(&f, small, 6);
  put_records(&f, big, 3);
  put_records(&f, empty, 3);
  put_records(&f, small, 6);
  return f;
}

static cpb_buffer compressed(cpb_codec codec, cpb_span in) {
  const cpb_codec_options options = {.codec = codec};
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_codec_error error;
  cpb_buffer out;
  cpb_buffer_init(&out, &a);
  cpb_compressor *c = cpb_compressor_new(&a, &options, &error);
  assert_true(cpb_compressor_begin(c, in.size, &error));
  assert_true(cpb_compressor_write(c, in, &out, &error));
  assert_true(cpb_compressor_finish(c, &out, &error));
  cpb_compressor_free(c);
  return out;
}

static void put_compressed(built_file *f, cpb_codec codec, const size_t *sizes, size_t count) {
  size_t begin = add_records(f, sizes, count), size = f->contents_size - begin;
  cpb_span varints = size_varints(sizes, count);
  cpb_buffer packed_sizes = compressed(codec, varints);
  cpb_buffer packed = compressed(codec, (cpb_span){f->contents + begin, size});
  put_simple(f, codec == CPB_CODEC_ZSTD ? 'z' : 'b', (cpb_span){packed_sizes.data, packed_sizes.size},
             (cpb_span){packed.data, packed.size}, count, size);
  cpb_buffer_free(&packed_sizes);
  cpb_buffer_free(&packed);
  free((void *)varints.data);
}

/* As mixed_file, with every codec that can be written. */
static built_file compressed_file(void) {
  built_file f = {0};
  const size_t small[] = {5, 0, 300, 1, 127, 128}, big[] = {300000, 3, 90001};
  put_signature(&f);
  put_compressed(&f, CPB_CODEC_ZSTD, small, 6);
  put_compressed(&f, CPB_CODEC_BROTLI, big, 3);
  put_compressed(&f, CPB_CODEC_ZSTD, big, 3);
  put_records(&f, small, 6);
  put_compressed(&f, CPB_CODEC_BROTLI, small, 6);
  return f;
}

/* --- Reading -------------------------------------------------------------- */

static void assert_same_in_every_manner(built_file f) {
  static const size_t buffers[] = {0, 1, 2000}, read_sizes[] = {0, 1, 700, 100000};
  for (manner m = ALL_AT_ONCE; m < MANNERS; m++) {
    for (unsigned i = 0; i < 3 * 3 * 4; i += sanitized_stride(5)) {
      if (m == BYTE_BY_BYTE && i > 2) break;
      cpb_record_reader_options options = {
          .verify = i % 3, .buffer = buffers[i / 3 % 3], .read_size = read_sizes[i / 9]};
      for (size_t batch = 0; batch <= 8; batch = batch * 7 + 1) {
        outcome o = {0};
        read_in_batches(&f, m, options, batch, &o);
        assert_int_equal(o.last, CPB_STEP_DONE);
        assert_false(o.cut);
        assert_same_records(&o, &f, f.num_records);
        outcome_free(&o);
      }
    }
  }
  built_free(&f);
}

static void records_are_the_same_however_the_input_comes(void **state) {
  (void)state;
  assert_same_in_every_manner(mixed_file());
}

static void compressed_records_are_the_same_however_the_input_comes(void **state) {
  (void)state;
  assert_same_in_every_manner(compressed_file());
}

static void a_batch_has_what_is_at_hand_and_no_more(void **state) {
  (void)state;
  built_file f = small_file();
  host h = host_of(&f, ALL_AT_ONCE);
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  size_t sizes[3] = {9, 9, 9};
  outcome o = {0};
  assert_int_equal(cpb_record_reader_batch(r, sizes, 3), 0); /* nothing is lent */
  run(&h, r, 1, &o);                                         /* 5 bytes */
  assert_int_equal(cpb_record_reader_batch(r, sizes, 0), 0);
  assert_int_equal(cpb_record_reader_batch(r, sizes, 2), 2); /* 0 and 30 bytes */
  assert_int_equal(sizes[0], 0);
  assert_int_equal(sizes[1], 30);
  assert_int_equal(sizes[2], 9); /* no more than there is room for */
  assert_int_equal(cpb_record_reader_record(r)->index, 2);
  assert_int_equal(cpb_record_reader_step(r), CPB_STEP_RECORD);
  assert_int_equal(cpb_record_reader_batch(r, sizes, 3), 0); /* within a record */
  assert_int_equal(cpb_record_reader_step(r), CPB_STEP_DATA);
  outcome_free(&o);
  cpb_record_reader_free(r);
  free(h.lent);
  built_free(&f);
}

static void batches_go_from_chunk_to_chunk_without_steps(void **state) {
  (void)state;
  built_file f = small_file();
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  cpb_input *input = cpb_record_reader_input(r);
  cpb_input_supply(input, 0, f.bytes, f.size);
  size_t sizes[8], length;
  for (size_t chunk = 0; chunk < 3; chunk++) {
    assert_int_equal(cpb_record_reader_batch(r, sizes, 8), 4);
    assert_int_equal(cpb_record_reader_record(r)->chunk_begin, f.records[4 * chunk].chunk_begin);
    const uint8_t *data = cpb_record_reader_data(r, &length);
    assert_int_equal(length, 36);
    assert_memory_equal(data, f.contents + 36 * chunk, 36);
  }
  assert_int_equal(cpb_record_reader_batch(r, sizes, 8), 0);
  assert_int_equal(cpb_record_reader_step(r), CPB_STEP_NEED);
  cpb_input_end(input, f.size);
  assert_int_equal(cpb_record_reader_batch(r, sizes, 8), 0);
  assert_int_equal(cpb_record_reader_step(r), CPB_STEP_DONE);
  cpb_record_reader_seek(r, f.records[5].chunk_begin + 1);
  assert_int_equal(cpb_record_reader_batch(r, sizes, 8), 0); /* seeking takes steps */
  cpb_record_reader_free(r);
  built_free(&f);
}

/* The second of three chunks is damaged: at each of its bytes. */
static void batches_leave_errors_and_skipping_to_the_steps(void **state) {
  (void)state;
  built_file f = small_file();
  const size_t begin = (size_t)f.records[4].chunk_begin, end = (size_t)f.records[8].chunk_begin;
  for (size_t at = begin; at < end; at += sanitized_stride(3)) {
    f.bytes[at] ^= 1;
    for (int recover = 0; recover < 2; recover++) {
      outcome stepped = {0}, batched = {0};
      read_file(&f, ALL_AT_ONCE, (cpb_record_reader_options){.recover = recover}, &stepped);
      read_in_batches(&f, ALL_AT_ONCE, (cpb_record_reader_options){.recover = recover}, 3, &batched);
      bool in_header = at < begin + 40;
      assert_int_equal(stepped.num_records, recover && !in_header ? 8 : 4);
      assert_int_equal(batched.num_records, stepped.num_records);
      assert_memory_equal(batched.records, stepped.records, stepped.num_records * sizeof *stepped.records);
      assert_int_equal(batched.last, recover ? CPB_STEP_DONE : CPB_STEP_ERROR);
      assert_string_equal(batched.error.message, stepped.error.message);
      assert_int_equal(batched.error.offset, stepped.error.offset);
      assert_int_equal(batched.num_skipped, stepped.num_skipped);
      for (size_t i = 0; i < stepped.num_skipped; i++) {
        assert_int_equal(batched.skipped[i].begin, stepped.skipped[i].begin);
        assert_int_equal(batched.skipped[i].end, stepped.skipped[i].end);
      }
      outcome_free(&stepped);
      outcome_free(&batched);
    }
    f.bytes[at] ^= 1;
  }
  built_free(&f);
}

static void a_chunk_may_begin_anywhere_around_a_block_header(void **state) {
  (void)state;
  for (size_t before = 0; before < 70; before++) {
    built_file f = {0};
    const size_t first = 65536 - 64 - 40 - 5 - before, second[] = {50, 7};
    put_signature(&f);
    put_records(&f, &first, 1);
    put_records(&f, second, 2);
    outcome o = {0};
    read_file(&f, before % MANNERS, (cpb_record_reader_options){0}, &o);
    assert_int_equal(o.last, CPB_STEP_DONE);
    assert_same_records(&o, &f, 3);
    outcome_free(&o);
    built_free(&f);
  }
}

static void files_that_follow_each_other_are_one(void **state) {
  (void)state;
  const size_t sizes[] = {10, 200};
  built_file f = {0};
  for (int i = 0; i < 3; i++) {
    put_signature(&f);
    put_records(&f, sizes, 2);
    put_padding_to_block(&f);
    assert_int_equal(f.size % CPB_BLOCK_SIZE, 0);
  }
  outcome o = {0};
  read_file(&f, AHEAD, (cpb_record_reader_options){0}, &o);
  assert_int_equal(o.last, CPB_STEP_DONE);
  assert_same_records(&o, &f, 6);
  outcome_free(&o);
  built_free(&f);
}

static void a_growing_file_goes_on_where_it_stopped(void **state) {
  (void)state;
  built_file f = small_file();
  host h = host_of(&f, AS_ASKED);
  outcome o = {0};
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  h.says_end = false;
  for (h.size = 0; h.size < f.size; h.size++) {
    run(&h, r, SIZE_MAX, &o);
    assert_int_equal(o.last, CPB_STEP_NEED); /* not arrived is not truncated */
  }
  h.says_end = true;
  h.size = f.records[8].chunk_begin;
  cpb_input_end(cpb_record_reader_input(r), f.size);
  h.size = f.size;
  run(&h, r, SIZE_MAX, &o);
  assert_int_equal(o.last, CPB_STEP_DONE);
  assert_same_records(&o, &f, f.num_records);
  cpb_record_reader_free(r);
  outcome_free(&o);

  r = reader((cpb_record_reader_options){0});
  for (size_t chunk = 0; chunk <= 2; chunk++) {
    h.size = chunk < 2 ? f.records[4 * chunk + 4].chunk_begin : f.size;
    cpb_input_end(cpb_record_reader_input(r), h.size);
    run(&h, r, SIZE_MAX, &o);
    assert_int_equal(o.last, CPB_STEP_DONE);
    assert_same_records(&o, &f, 4 * chunk + 4);
  }
  cpb_record_reader_free(r);
  outcome_free(&o);
  free(h.lent);
  built_free(&f);
}

static void an_empty_file_has_no_records(void **state) {
  (void)state;
  built_file f = {0};
  outcome o = {0};
  read_file(&f, AS_ASKED, (cpb_record_reader_options){0}, &o);
  assert_int_equal(o.last, CPB_STEP_DONE);
  assert_int_equal(o.num_records, 0);
}

/* Made by Riegeli C++: a metadata chunk, then one record "plain rec". */
static const uint8_t with_metadata[] = {
#include "with_metadata.inc"
};

static void metadata_comes_before_the_first_record(void **state) {
  (void)state;
  static const char expected[] = "\x0a\x05plain\x22\x0cuncompressed";
  host h = {.bytes = with_metadata, .size = sizeof with_metadata, .manner = AS_ASKED, .says_end = true};
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  outcome o = {0};
  size_t size;
  assert_null(cpb_record_reader_metadata(r, &size));
  run(&h, r, 1, &o);
  const uint8_t *metadata = cpb_record_reader_metadata(r, &size);
  assert_int_equal(size, sizeof expected - 1);
  assert_memory_equal(metadata, expected, size);
  assert_int_equal(o.records[0].chunk_begin, 151);
  cpb_record_reader_free(r);
  outcome_free(&o);
  free(h.lent);
}

/* --- Asking only for what is needed --------------------------------------- */

static void a_large_chunk_is_asked_for_twice_only_to_be_verified_first(void **state) {
  (void)state;
  built_file f = {0};
  const size_t sizes[] = {100000, 100000};
  put_signature(&f);
  put_records(&f, sizes, 2);
  for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
    host h = host_of(&f, AS_ASKED);
    outcome o = {0};
    cpb_record_reader *r = reader((cpb_record_reader_options){.verify = verify, .buffer = 1000, .read_size = 20000});
    run(&h, r, SIZE_MAX, &o);
    uint64_t twice = verify == CPB_VERIFY_FIRST ? f.size - 64 - CPB_CHUNK_HEADER_SIZE : 0;
    assert_in_range(h.asked, f.size + twice - 100, f.size + twice);
    cpb_record_reader_free(r);
    outcome_free(&o);
    free(h.lent);
  }
  built_free(&f);
}

static void a_range_of_an_unverified_record_is_all_that_is_asked_for(void **state) {
  (void)state;
  built_file f = {0};
  const size_t sizes[] = {500000, 1000000, 4};
  put_signature(&f);
  put_records(&f, sizes, 3);
  host h = host_of(&f, AS_ASKED);
  outcome o = {0};
  cpb_record_reader *r = reader((cpb_record_reader_options){
      .verify = CPB_VERIFY_NEVER, .read_size = 100, .position = f.records[1].chunk_begin + 1});
  while ((o.last = cpb_record_reader_step(r)) == CPB_STEP_NEED) answer(&h, cpb_record_reader_input(r));
  assert_int_equal(o.last, CPB_STEP_RECORD);
  assert_int_equal(cpb_record_reader_record(r)->size, sizes[1]);
  cpb_record_reader_skip(r, 900000);
  while ((o.last = cpb_record_reader_step(r)) == CPB_STEP_NEED) answer(&h, cpb_record_reader_input(r));
  size_t size;
  const uint8_t *data = cpb_record_reader_data(r, &size);
  assert_true(size > 0);
  assert_memory_equal(data, f.contents + sizes[0] + 900000, size);
  assert_true(h.asked < 1000);
  cpb_record_reader_skip(r, UINT64_MAX);
  run(&h, r, 1, &o);
  assert_int_equal(o.records[0].index, 2);
  assert_memory_equal(o.contents, f.contents + sizes[0] + sizes[1], 4);
  assert_true(h.asked < 1000);
  cpb_record_reader_free(r);
  outcome_free(&o);
  free(h.lent);
  built_free(&f);
}

static void the_last_record_takes_two_requests(void **state) {
  (void)state;
  built_file f = {0};
  const size_t sizes[] = {30000, 10};
  put_signature(&f);
  for (int i = 0; i < 20; i++) put_records(&f, sizes, 2);
  host h = host_of(&f, AS_ASKED);
  outcome o = {0};
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  cpb_record_reader_seek_last(r);
  run(&h, r, 1, &o);
  assert_int_equal(o.records[0].chunk_begin, f.records[39].chunk_begin);
  assert_int_equal(o.records[0].index, 1);
  assert_int_equal(o.size, 10);
  assert_memory_equal(o.contents, f.contents + f.contents_size - 10, 10);
  assert_true(h.requests <= 2 && h.asked <= 70000);
  cpb_record_reader_free(r);
  outcome_free(&o);
  free(h.lent);
  built_free(&f);
}

/* --- Seeking -------------------------------------------------------------- */

/* The record that `position` means: the first one at or after it, but within
 * a chunk by its index. */
static size_t record_at(const built_file *f, uint64_t position) {
  size_t i = 0;
  while (i < f->num_records && f->records[i].chunk_begin + f->records[i].index < position) i++;
  return i;
}

static void assert_next_is(host *h, cpb_record_reader *r, const built_file *f, size_t i) {
  outcome o = {0};
  run(h, r, 1, &o);
  if (i == f->num_records) {
    assert_int_equal(o.last, CPB_STEP_DONE);
  } else {
    assert_int_equal(o.num_records, 1);
    assert_int_equal(o.records[0].chunk_begin, f->records[i].chunk_begin);
    assert_int_equal(o.records[0].index, f->records[i].index);
    assert_int_equal(o.size, f->records[i].size);
    if (o.size > 0) assert_memory_equal(o.contents, f->contents + f->records[i].offset, o.size);
  }
  outcome_free(&o);
}

/* Goes into the midst of a record before each seek. */
static void assert_seeks_in(built_file f, cpb_record_reader_options options) {
  host h = host_of(&f, AHEAD);
  cpb_record_reader *r = reader(options);
  for (uint64_t position = 0; position < f.size + 70000;
       position += (position < 800 ? 1 : 2117) * sanitized_stride(3)) {
    cpb_record_reader_seek(r, position);
    assert_next_is(&h, r, &f, record_at(&f, position));
    cpb_step step = cpb_record_reader_step(r);
    for (int i = 0; i < 5 && step > CPB_STEP_DONE; i++) {
      if (step == CPB_STEP_NEED) answer(&h, cpb_record_reader_input(r));
      step = cpb_record_reader_step(r);
    }
    const cpb_record *now = cpb_record_reader_record(r);
    uint64_t near = now->position + host_random(&h) % 4;
    uint64_t other = host_random(&h) % 2 ? near : host_random(&h) % (f.size + 100);
    if (host_random(&h) % 2) cpb_record_reader_seek(r, other);
    else cpb_record_reader_seek_chunk(r, other); /* wherever a chunk begins */
    assert_next_is(&h, r, &f, record_at(&f, other));
  }
  cpb_record_reader_free(r);
  free(h.lent);
  built_free(&f);
}

static void every_position_leads_to_its_record(void **state) {
  (void)state;
  for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
    for (size_t buffer = 0; buffer <= 1000; buffer += 1000) {
      assert_seeks_in(mixed_file(), (cpb_record_reader_options){.buffer = buffer, .verify = verify});
      assert_seeks_in(compressed_file(), (cpb_record_reader_options){.buffer = buffer, .verify = verify});
    }
  }
}

/* Of a chunk that is in memory, or whose bytes are stored as they are. */
static void a_chunk_is_opened_once_whatever_the_order_of_its_records(void **state) {
  (void)state;
  enum { RECORDS = 1000, SEEKS = 300 };
  size_t sizes[RECORDS];
  for (size_t i = 0; i < RECORDS; i++) sizes[i] = i % 7 * (i % 90);
  for (int codec = CPB_CODEC_NONE; codec <= CPB_CODEC_BROTLI; codec++) {
    for (cpb_verify verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify += 2) {
      built_file f = {0};
      cpb_work work = {0};
      const cpb_limits limits = {.struct_size = sizeof limits, .work = &work};
      put_signature(&f);
      if (codec == CPB_CODEC_NONE) put_records(&f, sizes, RECORDS);
      else put_compressed(&f, (cpb_codec)codec, sizes, RECORDS);
      host h = host_of(&f, AHEAD);
      cpb_record_reader *r = reader((cpb_record_reader_options){.verify = verify, .limits = &limits});
      for (size_t i = 0; i < SEEKS; i++) {
        size_t k = i < 100 ? RECORDS - 1 - i : host_random(&h) % RECORDS;
        cpb_record_reader_seek(r, f.records[k].chunk_begin + k);
        assert_next_is(&h, r, &f, k);
      }
      cpb_record_reader_free(r);
      assert_int_equal(work.entries, RECORDS);
      assert_true(work.decoded <= f.contents_size + 2 * RECORDS);
      free(h.lent);
      built_free(&f);
    }
  }
}

static void the_last_record_is_found_behind_chunks_without_records(void **state) {
  (void)state;
  built_file f = {0};
  const size_t sizes[] = {9, 100000, 8};
  outcome o = {0};
  put_signature(&f);
  host h = host_of(&f, AS_ASKED);
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  cpb_record_reader_seek_last(r);
  assert_next_is(&h, r, &f, 0); /* there is none */
  cpb_record_reader_free(r);
  put_records(&f, sizes, 3);
  for (int i = 0; i < 3; i++) {
    put_padding_to_block(&f);
    put_signature(&f);
    free(h.lent);
    h = host_of(&f, i % 2 ? AS_ASKED : IN_PIECES);
    r = reader((cpb_record_reader_options){0});
    cpb_record_reader_seek_last(r);
    assert_next_is(&h, r, &f, 2);
    cpb_record_reader_free(r);
  }
  outcome_free(&o);
  free(h.lent);
  built_free(&f);
}

static void a_chunk_is_read_with_its_header(void **state) {
  (void)state;
  built_file f = mixed_file();
  for (size_t i = 0; i < f.num_records; i++) {
    cpb_record_reader *r = reader((cpb_record_reader_options){.verify = CPB_VERIFY_NEVER});
    cpb_need need;
    cpb_record_reader_seek_chunk(r, f.records[i].chunk_begin);
    assert_int_equal(cpb_record_reader_step(r), CPB_STEP_NEED);
    cpb_input_need(cpb_record_reader_input(r), &need);
    assert_int_equal(need.offset, f.records[i].chunk_begin);
    cpb_record_reader_free(r);
  }
  built_free(&f);
}

/* --- The host's side ------------------------------------------------------- */

static void the_first_error_stays(void **state) {
  (void)state;
  built_file f = small_file();
  host h = host_of(&f, AS_ASKED);
  cpb_record_reader *r = reader((cpb_record_reader_options){.recover = 1});
  assert_int_equal(cpb_record_reader_step(r), CPB_STEP_NEED);
  cpb_input_fail(cpb_record_reader_input(r), CPB_E_READ, "the disk is gone");
  for (int i = 0; i < 3; i++) {
    assert_int_equal(cpb_record_reader_step(r), CPB_STEP_ERROR);
    assert_int_equal(cpb_record_reader_error(r)->code, CPB_E_READ);
    assert_string_equal(cpb_record_reader_error(r)->message, "the disk is gone");
    cpb_record_reader_seek(r, 0);
    cpb_record_reader_seek_last(r);
    cpb_record_reader_skip(r, 1);
  }
  cpb_record_reader_free(r);
  free(h.lent);
  built_free(&f);
}

static void options_out_of_range_are_refused(void **state) {
  (void)state;
  cpb_record_reader_options options = {.struct_size = sizeof options, .verify = 3};
  assert_null(cpb_record_reader_new(NULL, &options));
  cpb_record_reader_free(NULL);
}

typedef struct budget {
  size_t left;
  bool once;
  long live;
} budget;

static bool refuses(budget *b) {
  if (b->left > 0) {
    b->left--;
    return false;
  }
  if (b->once) b->left = SIZE_MAX;
  return true;
}

static void *budget_allocate(void *user, size_t size) {
  budget *b = user;
  if (refuses(b)) return NULL;
  b->live++;
  return malloc(size);
}

static void *budget_resize(void *user, void *block, size_t old_size, size_t new_size) {
  budget *b = user;
  (void)old_size;
  if (refuses(b)) return NULL;
  if (block == NULL) b->live++;
  return realloc(block, new_size);
}

static void budget_release(void *user, void *block) {
  ((budget *)user)->live--;
  free(block);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  built_file f = mixed_file();
  for (int once = 0; once <= 1; once++) {
    bool done = false;
    for (size_t n = 0; !done; n += sanitized_stride(3)) {
      budget b = {.left = n, .once = once};
      const cpb_allocator allocator = {&b, budget_allocate, budget_resize, budget_release};
      const cpb_record_reader_options options = {.struct_size = sizeof options, .read_size = 1000};
      host h = host_of(&f, AS_ASKED);
      outcome o = {0};
      cpb_record_reader *r = cpb_record_reader_new(&allocator, &options);
      if (r != NULL) {
        run(&h, r, SIZE_MAX, &o);
        done = o.last == CPB_STEP_DONE;
        if (!done) assert_int_equal(o.error.code, CPB_E_MEMORY);
        if (done) assert_same_records(&o, &f, f.num_records);
      }
      cpb_record_reader_free(r);
      assert_int_equal(b.live, 0);
      outcome_free(&o);
      free(h.lent);
    }
  }
  built_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_the_same_however_the_input_comes),
      cmocka_unit_test(compressed_records_are_the_same_however_the_input_comes),
      cmocka_unit_test(a_batch_has_what_is_at_hand_and_no_more),
      cmocka_unit_test(batches_go_from_chunk_to_chunk_without_steps),
      cmocka_unit_test(batches_leave_errors_and_skipping_to_the_steps),
      cmocka_unit_test(a_chunk_may_begin_anywhere_around_a_block_header),
      cmocka_unit_test(files_that_follow_each_other_are_one),
      cmocka_unit_test(a_growing_file_goes_on_where_it_stopped),
      cmocka_unit_test(an_empty_file_has_no_records),
      cmocka_unit_test(metadata_comes_before_the_first_record),
      cmocka_unit_test(a_large_chunk_is_asked_for_twice_only_to_be_verified_first),
      cmocka_unit_test(a_range_of_an_unverified_record_is_all_that_is_asked_for),
      cmocka_unit_test(the_last_record_takes_two_requests),
      cmocka_unit_test(every_position_leads_to_its_record),
      cmocka_unit_test(a_chunk_is_read_with_its_header),
      cmocka_unit_test(a_chunk_is_opened_once_whatever_the_order_of_its_records),
      cmocka_unit_test(the_last_record_is_found_behind_chunks_without_records),
      cmocka_unit_test(the_first_error_stays),
      cmocka_unit_test(options_out_of_range_are_refused),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
