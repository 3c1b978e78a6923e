/* What the record writer writes is compared with files by Riegeli itself, and
 * taken apart by a reader that knows only the rules of the format. */
#include "riegeli_parts.h"

#include "base/budget.h"
#include "riegeli/transpose/transpose.h"
#include "stride.h"

/* --- Against Riegeli's files -------------------------------------------------- */

typedef struct riegeli_case {
  const char *file;
  uint64_t chunk_size, padding, initial_padding;
} riegeli_case;

static const riegeli_case uncompressed_cases[] = {
    {"empty.riegeli", 0, 0, 0},
    {"one_empty_uncompressed.riegeli", 0, 0, 0},
    {"one_byte.riegeli", 0, 0, 0},
    {"simple_uncompressed.riegeli", 16 << 10, 0, 0},
    {"simple_uncompressed_random.riegeli", 0, 0, 0},
    {"chunksize_1_uncompressed.riegeli", 1, 0, 0},
    {"chunksize_100_uncompressed.riegeli", 100, 0, 0},
    {"chunksize_4K_uncompressed.riegeli", 4 << 10, 0, 0},
    {"chunksize_64K_uncompressed.riegeli", 64 << 10, 0, 0},
    {"chunksize_65536_uncompressed.riegeli", 65536, 0, 0},
    {"chunksize_1M_uncompressed.riegeli", 1 << 20, 0, 0},
    {"big_record_300k.riegeli", 0, 0, 0},
    {"straddle_00.riegeli", 1, 0, 0},
    {"straddle_01.riegeli", 1, 0, 0},
    {"straddle_07.riegeli", 1, 0, 0},
    {"straddle_16.riegeli", 1, 0, 0},
    {"straddle_24.riegeli", 1, 0, 0},
    {"straddle_25.riegeli", 1, 0, 0},
    {"straddle_39.riegeli", 1, 0, 0},
    {"straddle_40.riegeli", 1, 0, 0},
    {"after_boundary_24.riegeli", 1, 0, 0},
    {"after_boundary_25.riegeli", 1, 0, 0},
    {"after_boundary_26.riegeli", 1, 0, 0},
    {"after_boundary_48.riegeli", 1, 0, 0},
    {"after_boundary_49.riegeli", 1, 0, 0},
    {"padding_final_1000.riegeli", 0, 1000, 0},
    {"padding_final_100.riegeli", 0, 100, 0},
    {"padding_7.riegeli", 0, 7, 7},
};

static void uncompressed_files_are_riegelis_byte_for_byte(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof uncompressed_cases / sizeof *uncompressed_cases; i++) {
    const riegeli_case *c = &uncompressed_cases[i];
    memory_file theirs = read_data(c->file);
    chunks *all = parse(&theirs);
    records *r = parse_records(all);
    for (size_t piece = 0; piece < 1500; piece += 499) {
      cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
      o.chunk_size = c->chunk_size;
      o.initial_padding = c->initial_padding;
      o.final_padding = c->padding;
      memory_file ours = {0};
      write_records(&ours, &o, r, 0, r->count, piece);
      assert_same_file(&ours, &theirs, c->file);
      assert_int_equal(ours.patched, 0);
      file_free(&ours);
    }
    records_free(r);
    chunks_free(all);
    file_free(&theirs);
  }
}

static void appended_files_are_riegelis_byte_for_byte(void **state) {
  (void)state;
  memory_file theirs = read_data("append_over_blocks.riegeli"), ours = {0};
  chunks *all = parse(&theirs);
  records *r = parse_records(all);
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  for (size_t i = 0; i < 2; i++) {
    write_records(&ours, &o, r, i, i + 1, 0);
    o.append_at = ours.size;
  }
  theirs.size = all->items[2].end; /* the third is compressed */
  assert_same_file(&ours, &theirs, "append_over_blocks");
  records_free(r);
  chunks_free(all);
  file_free(&theirs);
  file_free(&ours);
}

/* --- Every geometry ------------------------------------------------------------ */

/* Records of these sizes and bytes, one to a chunk: they come back, the chunks follow
 * each other and positions are as reported. */
static void check_sizes(const uint8_t *const *data, const size_t *sizes, size_t count, size_t buffer) {
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  o.record_per_chunk = 1;
  o.seekable = 1;
  o.buffer = buffer;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  uint64_t positions[4];
  for (size_t i = 0; i < count; i++) {
    write_record(w, &f, data[i], sizes[i], 10007);
    positions[i] = cpb_record_writer_position(w);
  }
  finish(w, &f);
  chunks *all = parse(&f);
  records *r = parse_records(all);
  assert_int_equal(all->count, count + 1);
  assert_int_equal(all->items[count].end, f.size);
  assert_int_equal(r->count, count);
  const uint8_t *p = r->bytes.data;
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(r->sizes[i], sizes[i]);
    assert_int_equal(r->positions[i], positions[i]);
    if (sizes[i] > 0) assert_memory_equal(p, data[i], sizes[i]);
    p += sizes[i];
  }
  records_free(r);
  chunks_free(all);
  file_free(&f);
}

static void records_may_end_anywhere_around_a_block_boundary(void **state) {
  (void)state;
  /* signature, chunk header, codec, size of sizes, one size of three bytes */
  const size_t to_boundary = BLOCK - 64 - 40 - 1 - 1 - 3;
  uint8_t *data[] = {noise(2 * BLOCK, 0), noise(2 * BLOCK, 1), noise(2 * BLOCK, 2)};
  for (size_t before = 0; before < 160; before += sanitized_stride(7)) {
    for (size_t second = 0; second < 50; second += 7) {
      const size_t sizes[] = {to_boundary + 80 - before, second, 2 * BLOCK};
      check_sizes((const uint8_t *const *)data, sizes, 3, 0);
      check_sizes((const uint8_t *const *)data, sizes, 3, 1); /* streamed */
    }
  }
  for (size_t i = 0; i < 3; i++) free(data[i]);
}

static void streaming_gives_the_same_bytes(void **state) {
  (void)state;
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI, CPB_CODEC_SNAPPY};
  const size_t big = 900001;
  uint8_t *data = noise(big, 9);
  for (size_t c = 0; c < 4; c++) {
    for (size_t lead = BLOCK - 64 - 40 - 5 - 70; lead < BLOCK - 64 - 40 - 5 + 30;
         lead += c == 0 ? sanitized_stride(7) : 13 * sanitized_stride(3)) {
      memory_file files[2] = {{0}, {0}};
      for (size_t streamed = 0; streamed < 2; streamed++) {
        cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
        o.record_per_chunk = 1;
        o.seekable = 1;
        o.buffer = streamed ? 70000 : 0;
        cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
        write_record(w, &files[streamed], data, lead, 0);
        const cpb_codec_options next = {.codec = codecs[c], .level = 1};
        assert_int_equal(cpb_record_writer_flush(w, &next), CPB_OK);
        assert_int_equal(drain(w, &files[streamed]), CPB_STEP_NEED);
        write_record(w, &files[streamed], data, big, 60000);
        write_record(w, &files[streamed], data, 5, 0);
        finish(w, &files[streamed]);
      }
      assert_same_file(&files[0], &files[1], "streamed");
      assert_int_equal(files[0].patched, 0);
      assert_true(files[1].patched >= 40);
      chunks_free(parse(&files[1]));
      file_free(&files[0]);
      file_free(&files[1]);
    }
  }
  free(data);
}

/* An output that is not seekable has to be given the hash before the record. */
static void little_of_a_large_uncompressed_record_is_held(void **state) {
  (void)state;
  const size_t size = 5 * (1 << 20);
  uint8_t *data = noise(size, 3);
  memory_file files[2] = {{0}, {0}};
  size_t peaks[2];
  for (int seekable = 0; seekable < 2; seekable++) {
    const cpb_allocator system = cpb_system_allocator();
    cpb_budget budget;
    cpb_budget_init(&budget, &system, SIZE_MAX);
    const cpb_allocator a = cpb_budget_allocator(&budget);
    cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
    o.record_per_chunk = 1;
    o.seekable = seekable;
    cpb_record_writer *w = cpb_record_writer_new(&a, &o);
    write_record(w, &files[seekable], data, size, 1 << 16);
    peaks[seekable] = budget.peak;
    finish(w, &files[seekable]);
  }
  assert_true(peaks[0] >= size);
  assert_true(peaks[1] < 1 << 16);
  assert_same_file(&files[0], &files[1], "seekable");
  for (int i = 0; i < 2; i++) file_free(&files[i]);
  free(data);
}

static void every_record_of_a_chunk_has_a_position(void **state) {
  (void)state;
  cpb_record_writer_options o = options_for(CPB_CODEC_ZSTD);
  o.chunk_size = 2 << 20;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  for (size_t i = 0; i < 200000; i++) {
    write_record(w, &f, NULL, 0, 0);
    assert_int_equal(cpb_record_writer_position(w), 64 + i);
  }
  finish(w, &f);
  assert_int_equal(f.size, 200064); /* as many_empty_200000.riegeli in one chunk */
  chunks *all = parse(&f);
  assert_int_equal(all->count, 2);
  chunks_free(all);
  file_free(&f);
}

static void a_chunk_has_no_more_records_than_allowed(void **state) {
  (void)state;
  cpb_limits limits = {.struct_size = sizeof limits, .records_per_chunk = 10};
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  o.limits = &limits;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  for (size_t i = 0; i < 25; i++) write_record(w, &f, NULL, 0, 0);
  finish(w, &f);
  chunks *all = parse(&f);
  assert_int_equal(all->count, 4);
  assert_int_equal(all->items[1].header.num_records, 10);
  assert_int_equal(all->items[3].header.num_records, 5);
  chunks_free(all);
  file_free(&f);
}

static void a_chunk_that_is_full_goes_out_at_once(void **state) {
  (void)state;
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  o.chunk_size = 100 + 8;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  uint8_t *data = noise(100, 1);
  write_record(w, &f, data, 92, 0);
  assert_int_equal(f.size, 64);
  write_record(w, &f, data, 100, 0);
  assert_int_equal(f.size, 64 + 40 + 3 + 92 + 40 + 3 + 100);
  finish(w, &f);
  file_free(&f);
  free(data);
}

/* --- Codecs --------------------------------------------------------------------- */

typedef struct boundary_case {
  const char *file;
  cpb_codec codec;
  int level, window_log;
  uint64_t chunk_size;
} boundary_case;

static const boundary_case boundary_cases[] = {
    {"one_empty.riegeli", CPB_CODEC_BROTLI, 0, 0, 0},
    {"simple_zstd.riegeli", CPB_CODEC_ZSTD, 0, 0, 16 << 10},
    {"simple_zstd-5.riegeli", CPB_CODEC_ZSTD, -5, 0, 16 << 10},
    {"simple_zstd19.riegeli", CPB_CODEC_ZSTD, 19, 0, 16 << 10},
    {"simple_brotli.riegeli", CPB_CODEC_BROTLI, 0, 0, 16 << 10},
    {"simple_snappy.riegeli", CPB_CODEC_SNAPPY, 0, 0, 16 << 10},
    {"simple_brotli0.riegeli", CPB_CODEC_BROTLI, -1, 0, 16 << 10},
    {"chunksize_1_zstd.riegeli", CPB_CODEC_ZSTD, 0, 0, 1},
    {"chunksize_100_zstd.riegeli", CPB_CODEC_ZSTD, 0, 0, 100},
    {"chunksize_4K_zstd.riegeli", CPB_CODEC_ZSTD, 0, 0, 4 << 10},
    {"chunksize_65536_zstd.riegeli", CPB_CODEC_ZSTD, 0, 0, 65536},
    {"chunksize_1M_zstd.riegeli", CPB_CODEC_ZSTD, 0, 0, 1 << 20},
    {"many_empty_2000.riegeli", CPB_CODEC_BROTLI, 0, 0, 0},
    {"many_empty_200000.riegeli", CPB_CODEC_ZSTD, 0, 0, 0},
    {"many_same_byte.riegeli", CPB_CODEC_BROTLI, 9, 0, 0},
    {"window_log_10_zstd.riegeli", CPB_CODEC_ZSTD, 3, 10, 0},
    {"brotli_large_window_30.riegeli", CPB_CODEC_BROTLI, 5, 30, 0},
    {"big_record_300k_brotli.riegeli", CPB_CODEC_BROTLI, 5, 0, 0},
};

static void compressed_chunks_hold_the_same_records_as_riegelis(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof boundary_cases / sizeof *boundary_cases; i++) {
    const boundary_case *c = &boundary_cases[i];
    memory_file theirs = read_data(c->file), ours = {0};
    chunks *expected = parse(&theirs);
    records *r = parse_records(expected);
    cpb_record_writer_options o = options_for(c->codec);
    o.codec.level = c->level;
    o.codec.window_log = c->window_log;
    o.chunk_size = c->chunk_size;
    write_records(&ours, &o, r, 0, r->count, 0);
    chunks *got = parse(&ours);
    records *back = parse_records(got);
    assert_int_equal(got->count, expected->count);
    for (size_t j = 0; j < got->count; j++) {
      const cpb_chunk_header *a = &got->items[j].header, *b = &expected->items[j].header;
      assert_int_equal(a->type, b->type);
      assert_int_equal(a->num_records, b->num_records);
      assert_int_equal(a->decoded_data_size, b->decoded_data_size);
      if (j > 0) assert_int_equal(got->items[j].data[0], expected->items[j].data[0]);
    }
    assert_memory_equal(back->sizes, r->sizes, sizeof r->sizes);
    assert_int_equal(back->bytes.size, r->bytes.size);
    if (r->bytes.size > 0) assert_memory_equal(back->bytes.data, r->bytes.data, r->bytes.size);
    records_free(back);
    records_free(r);
    chunks_free(got);
    chunks_free(expected);
    file_free(&theirs);
    file_free(&ours);
  }
}

static void the_codec_can_change_between_records(void **state) {
  (void)state;
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI, CPB_CODEC_SNAPPY};
  static const uint8_t types[] = {0, 'z', 'b', 's'};
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  uint8_t *data = noise(10000, 3);
  for (size_t i = 0; i < 30; i++) {
    const cpb_codec_options next = {.codec = codecs[i % 4], .level = (int)(i / 4 % 2) + 1};
    assert_int_equal(cpb_record_writer_flush(w, &next), CPB_OK);
    assert_int_equal(drain(w, &f), CPB_STEP_NEED);
    write_record(w, &f, data, i * 300, 0);
  }
  finish(w, &f);
  chunks *all = parse(&f);
  records *r = parse_records(all);
  assert_int_equal(all->count, 31);
  const uint8_t *p = r->bytes.data;
  for (size_t i = 0; i < 30; p += i * 300, i++) {
    assert_int_equal(all->items[i + 1].data[0], types[i % 4]);
    assert_int_equal(r->sizes[i], i * 300);
    assert_memory_equal(p, data, i * 300);
  }
  records_free(r);
  chunks_free(all);
  file_free(&f);
  free(data);
}

static void metadata_is_a_transposed_chunk_with_one_record(void **state) {
  (void)state;
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI, CPB_CODEC_SNAPPY};
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  uint8_t *text = noise(70000, 5);
  for (size_t c = 0; c < 4; c++) {
    for (size_t size = 0; size <= 70000; size = size * 7 + 1) {
      cpb_record_writer_options o = options_for(codecs[c]);
      o.metadata = text;
      o.metadata_size = size;
      memory_file f = {0};
      cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
      write_record(w, &f, text, 3, 0);
      finish(w, &f);
      chunks *all = parse(&f);
      const chunk *m = &all->items[1];
      assert_int_equal(all->count, 3);
      assert_int_equal(m->header.type, 'm');
      assert_int_equal(m->header.num_records, 0);
      assert_int_equal(m->header.decoded_data_size, size);
      cpb_limits limits = {.struct_size = sizeof limits,
                           .riegeli_chunk = 1 << 20,
                           .window = 1 << 24,
                           .chunks = 1,
                           .records_per_chunk = 1,
                           .depth = 10};
      cpb_transposed decoded;
      cpb_error error = {0};
      if (!cpb_transpose_decode(&a, &limits, (cpb_span){m->data, (size_t)m->header.data_size}, 1, size, &decoded,
                                &error))
        fail_msg("%s", error.message);
      assert_int_equal(decoded.values.size, size);
      if (size > 0) assert_memory_equal(decoded.values.data, text, size);
      cpb_transposed_free(&decoded);
      chunks_free(all);
      file_free(&f);
    }
  }
  free(text);
}

/* --- Appending and padding --------------------------------------------------------- */

static void appending_begins_where_a_chunk_can(void **state) {
  (void)state;
  static const size_t paddings[] = {0, 1, 2, 7, 41, 100, 1000, BLOCK - 8, BLOCK};
  for (size_t at = BLOCK - 90; at < BLOCK + 60; at += sanitized_stride(7)) {
    for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++) {
      const size_t padding = paddings[i];
      cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
      o.append_at = at;
      o.initial_padding = padding;
      memory_file f = {.bytes = calloc(1, at), .size = at, .capacity = at};
      cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
      write_record(w, &f, (const uint8_t *)"abc", 3, 0);
      size_t position = (size_t)cpb_record_writer_position(w);
      finish(w, &f);
      size_t begin = at > BLOCK && at <= BLOCK + 24 ? 2 * BLOCK : at;
      chunk c;
      while (begin < position) {
        assert_int_not_equal(begin % padding, 0);
        begin = parse_chunk(&f, begin, &c);
        assert_int_equal(c.header.type, 'p');
        free(c.data);
        assert_int_equal(begin % padding, 0);
      }
      if (padding > 0) assert_int_equal(begin % padding, 0);
      assert_int_equal(begin, position);
      assert_int_equal(parse_chunk(&f, begin, &c), f.size);
      assert_int_equal(c.header.num_records, 1);
      free(c.data);
      file_free(&f);
    }
  }
}

static void padded_files_can_be_concatenated(void **state) {
  (void)state;
  memory_file f = {0};
  cpb_record_writer_options o = options_for(CPB_CODEC_ZSTD);
  o.final_padding = BLOCK;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  write_record(w, &f, (const uint8_t *)"abc", 3, 0);
  finish(w, &f);
  assert_int_equal(f.size, BLOCK);
  uint8_t again[BLOCK];
  memcpy(again, f.bytes, BLOCK);
  file_write(&f, BLOCK, again, BLOCK);
  chunks *all = parse(&f);
  assert_int_equal(all->count, 6);
  assert_int_equal(all->items[3].header.type, 's');
  chunks_free(all);
  file_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uncompressed_files_are_riegelis_byte_for_byte),
      cmocka_unit_test(appended_files_are_riegelis_byte_for_byte),
      cmocka_unit_test(records_may_end_anywhere_around_a_block_boundary),
      cmocka_unit_test(streaming_gives_the_same_bytes),
      cmocka_unit_test(little_of_a_large_uncompressed_record_is_held),
      cmocka_unit_test(every_record_of_a_chunk_has_a_position),
      cmocka_unit_test(a_chunk_has_no_more_records_than_allowed),
      cmocka_unit_test(a_chunk_that_is_full_goes_out_at_once),
      cmocka_unit_test(compressed_chunks_hold_the_same_records_as_riegelis),
      cmocka_unit_test(the_codec_can_change_between_records),
      cmocka_unit_test(metadata_is_a_transposed_chunk_with_one_record),
      cmocka_unit_test(appending_begins_where_a_chunk_can),
      cmocka_unit_test(padded_files_can_be_concatenated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
