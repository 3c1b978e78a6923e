/* What the record writer writes is compared with files by Riegeli itself, and
 * taken apart by a reader of this test's own that knows only the rules of the
 * format, byte by byte. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/records.h"
#include "failing_allocator.h"
#include "riegeli/block.h"
#include "riegeli/decompressor.h"
#include "riegeli/highwayhash.h"
#include "riegeli/transpose.h"

#define BLOCK 65536

/* --- A file in memory ------------------------------------------------------ */

typedef struct memory_file {
  uint8_t *bytes;
  size_t size, capacity;
  size_t patched; /* bytes that were written a second time */
} memory_file;

static void file_write(memory_file *f, uint64_t offset, const uint8_t *data, size_t length) {
  assert_true(length > 0);
  assert_true(offset <= f->size); /* no gaps */
  if (offset < f->size) {
    assert_true(offset + length <= f->size);
    f->patched += length;
  }
  size_t end = (size_t)offset + length;
  if (end > f->capacity) f->bytes = realloc(f->bytes, f->capacity = end * 2);
  memcpy(f->bytes + offset, data, length);
  if (end > f->size) f->size = end;
}

static void file_free(memory_file *f) {
  free(f->bytes);
  memset(f, 0, sizeof *f);
}

static memory_file read_data(const char *name) {
  char path[1024];
  const char *slash = strrchr(__FILE__, '/');
  int folder = slash != NULL ? (int)(slash - __FILE__) : 1;
  snprintf(path, sizeof path, "%.*s/../data/records/%s", folder, slash != NULL ? __FILE__ : ".", name);
  FILE *in = fopen(path, "rb");
  if (in == NULL) fail_msg("cannot open %s", path);
  memory_file f = {0};
  uint8_t buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;) file_write(&f, f.size, buffer, n);
  fclose(in);
  f.patched = 0;
  return f;
}

/* Takes all output; what the last step said. */
static cpb_step drain(cpb_record_writer *w, memory_file *f) {
  cpb_step step;
  while ((step = cpb_record_writer_step(w)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    file_write(f, offset, data, length);
  }
  return step;
}

/* --- Taking a file apart ---------------------------------------------------- */

typedef struct chunk {
  size_t begin, end;
  cpb_chunk_header header;
  uint8_t *data;
} chunk;

typedef struct chunks {
  chunk items[4096];
  size_t count;
} chunks;

/* Copies `size` bytes from *pos on, leaving block headers out. */
static void copy_without_block_headers(const memory_file *f, size_t *pos, uint8_t *out, size_t size) {
  for (size_t i = 0; i < size; ++*pos) {
    assert_true(*pos < f->size);
    if (*pos % BLOCK >= 24) out[i++] = f->bytes[*pos];
  }
}

static void check_block_headers(const memory_file *f, const chunk *c) {
  for (size_t pos = (c->begin + BLOCK - 1) / BLOCK * BLOCK; pos < c->end; pos += BLOCK) {
    assert_true(cpb_load64(f->bytes + pos) == cpb_hash_bytes(f->bytes + pos + 8, 16));
    assert_int_equal(cpb_load64(f->bytes + pos + 8), pos - c->begin);
    assert_int_equal(cpb_load64(f->bytes + pos + 16), c->end - pos);
  }
}

static size_t parse_chunk(const memory_file *f, size_t begin, chunk *c) {
  uint8_t h[40];
  size_t pos = begin;
  copy_without_block_headers(f, &pos, h, sizeof h);
  assert_true(cpb_load64(h) == cpb_hash_bytes(h + 8, 32));
  c->begin = begin;
  c->header = (cpb_chunk_header){cpb_load64(h + 8), cpb_load64(h + 16), cpb_load64(h + 24) >> 8,
                                 cpb_load64(h + 32), h[24]};
  size_t size = (size_t)c->header.data_size;
  c->data = malloc(size + 1);
  copy_without_block_headers(f, &pos, c->data, size);
  assert_true(cpb_hash_bytes(c->data, size) == c->header.data_hash);
  if (pos < begin + c->header.num_records) pos = begin + (size_t)c->header.num_records;
  while (pos % BLOCK >= 1 && pos % BLOCK <= 24) pos++;
  c->end = pos;
  check_block_headers(f, c);
  return pos;
}

static void chunks_free(chunks *all) {
  for (size_t i = 0; i < all->count; i++) free(all->items[i].data);
  free(all);
}

static chunks *parse(const memory_file *f) {
  chunks *all = calloc(1, sizeof *all);
  for (size_t pos = 0; pos < f->size; all->count++) {
    assert_true(all->count < 4096);
    pos = parse_chunk(f, pos, &all->items[all->count]);
    assert_true(pos <= f->size);
  }
  return all;
}

/* The records of simple chunks: `sizes` and all bytes, one after the other. */
typedef struct records {
  uint64_t sizes[250000], positions[250000];
  size_t count;
  cpb_buffer bytes;
} records;

static void decompress(uint8_t codec, cpb_span in, uint64_t max, cpb_buffer *out) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_codec_error error = {CPB_OK, ""};
  if (codec == 0) {
    assert_true(cpb_buffer_append(out, in.data, in.size));
  } else if (!cpb_decompress_all(&a, NULL, codec, in, max, out, &error)) {
    fail_msg("%s", error.what);
  }
}

static void parse_simple(const chunk *c, records *r) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const uint8_t *end = c->data + c->header.data_size;
  uint64_t sizes_size = 0, total = 0;
  const uint8_t *p = cpb_varint_read(c->data + 1, end, &sizes_size);
  assert_non_null(p);
  cpb_buffer sizes;
  cpb_buffer_init(&sizes, &a);
  decompress(c->data[0], (cpb_span){p, (size_t)sizes_size}, c->header.num_records * 10, &sizes);
  const uint8_t *s = sizes.data;
  for (uint64_t i = 0; i < c->header.num_records; i++, r->count++) {
    s = cpb_varint_read(s, sizes.data + sizes.size, &r->sizes[r->count]);
    assert_non_null(s);
    r->positions[r->count] = c->begin + i;
    total += r->sizes[r->count];
  }
  assert_ptr_equal(s, sizes.data + sizes.size);
  assert_int_equal(total, c->header.decoded_data_size);
  size_t before = r->bytes.size;
  p += sizes_size;
  decompress(c->data[0], (cpb_span){p, (size_t)(end - p)}, total, &r->bytes);
  assert_int_equal(r->bytes.size - before, total);
  cpb_buffer_free(&sizes);
}

static records *parse_records(const chunks *all) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  records *r = calloc(1, sizeof *r);
  cpb_buffer_init(&r->bytes, &a);
  for (size_t i = 0; i < all->count; i++) {
    if (all->items[i].header.type == 'r') parse_simple(&all->items[i], r);
  }
  return r;
}

static void records_free(records *r) {
  cpb_buffer_free(&r->bytes);
  free(r);
}

/* --- Writing ---------------------------------------------------------------- */

static cpb_record_writer_options options_for(cpb_codec codec) {
  cpb_record_writer_options o = {0};
  o.struct_size = sizeof o;
  o.codec.codec = codec;
  return o;
}

/* In pieces of `piece` bytes, 0: each record whole. */
static void write_record(cpb_record_writer *w, memory_file *f, const uint8_t *data, size_t size,
                         size_t piece) {
  assert_int_equal(cpb_record_writer_begin_record(w, size), CPB_OK);
  assert_int_equal(drain(w, f), CPB_STEP_NEED);
  for (size_t done = 0, n; done < size; done += n) {
    n = piece == 0 || piece > size - done ? size - done : piece;
    assert_int_equal(cpb_record_writer_write(w, data + done, n), CPB_OK);
    assert_int_equal(drain(w, f), CPB_STEP_NEED);
  }
}

static void finish(cpb_record_writer *w, memory_file *f) {
  assert_int_equal(cpb_record_writer_finish(w), CPB_OK);
  assert_int_equal(drain(w, f), CPB_STEP_DONE);
  cpb_record_writer_free(w);
}

/* Appends records [from, to) of `r` to `f`. */
static void write_records(memory_file *f, const cpb_record_writer_options *o, const records *r,
                          size_t from, size_t to, size_t piece) {
  cpb_record_writer *w = cpb_record_writer_new(NULL, o);
  const uint8_t *p = r->bytes.data;
  for (size_t i = 0; i < from; i++) p += r->sizes[i];
  for (size_t i = from; i < to; i++) {
    write_record(w, f, p, (size_t)r->sizes[i], piece);
    p += r->sizes[i];
  }
  finish(w, f);
}

static uint8_t *noise(size_t size, unsigned seed) {
  uint8_t *bytes = malloc(size + 1);
  uint64_t x = seed * 2654435761u + 88172645463325252u;
  for (size_t i = 0; i < size; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    /* half of it compressible */
    bytes[i] = i / 4096 % 2 ? (uint8_t)x : (uint8_t)(x & 3);
  }
  return bytes;
}

static void assert_same_file(const memory_file *a, const memory_file *b, const char *what) {
  size_t at = 0;
  while (at < a->size && at < b->size && a->bytes[at] == b->bytes[at]) at++;
  if (at < a->size || at < b->size)
    fail_msg("%s: %zu and %zu bytes, different from byte %zu on", what, a->size, b->size, at);
}

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

/* Records of these sizes, one to a chunk: they come back, the chunks follow
 * each other and positions are as reported. */
static void check_sizes(const size_t *sizes, size_t count, size_t buffer) {
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  o.record_per_chunk = 1;
  o.seekable = 1;
  o.buffer = buffer;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  uint8_t *data[4];
  uint64_t positions[4];
  for (size_t i = 0; i < count; i++) {
    data[i] = noise(sizes[i], (unsigned)i);
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
    free(data[i]);
  }
  records_free(r);
  chunks_free(all);
  file_free(&f);
}

static void records_may_end_anywhere_around_a_block_boundary(void **state) {
  (void)state;
  /* signature, chunk header, codec, size of sizes, one size of three bytes */
  const size_t to_boundary = BLOCK - 64 - 40 - 1 - 1 - 3;
  for (size_t before = 0; before < 160; before++) {
    for (size_t second = 0; second < 50; second += 7) {
      const size_t sizes[] = {to_boundary + 80 - before, second, 2 * BLOCK};
      check_sizes(sizes, 3, 0);
      check_sizes(sizes, 3, 1); /* streamed */
    }
  }
}

static void streaming_gives_the_same_bytes(void **state) {
  (void)state;
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  const size_t big = 900001;
  uint8_t *data = noise(big, 9);
  for (size_t c = 0; c < 3; c++) {
    for (size_t lead = BLOCK - 64 - 40 - 5 - 70; lead < BLOCK - 64 - 40 - 5 + 30; lead += c == 0 ? 1 : 13) {
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
        write_record(w, &files[streamed], data, big, 300000);
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
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  static const uint8_t types[] = {0, 'z', 'b'};
  cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  uint8_t *data = noise(10000, 3);
  for (size_t i = 0; i < 30; i++) {
    const cpb_codec_options next = {.codec = codecs[i % 3], .level = (int)(i / 3 % 2) + 1};
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
    assert_int_equal(all->items[i + 1].data[0], types[i % 3]);
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
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  uint8_t *text = noise(70000, 5);
  for (size_t c = 0; c < 3; c++) {
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
                           .riegeli_chunk = 1 << 20, .window = 1 << 24, .chunks = 1, .records_per_chunk = 1, .depth = 10};
      cpb_transposed decoded;
      cpb_error error = {0};
      if (!cpb_transpose_decode(&a, &limits, (cpb_span){m->data, (size_t)m->header.data_size}, 1, size, &decoded, &error))
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
  for (size_t at = BLOCK - 60; at < BLOCK + 60; at++) {
    for (size_t padding = 0; padding <= 100; padding += 100) {
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
        assert_int_equal(padding, 100);
        begin = parse_chunk(&f, begin, &c);
        assert_int_equal(c.header.type, 'p');
        free(c.data);
        assert_int_equal(begin % 100, 0);
      }
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

/* --- Errors --------------------------------------------------------------------------- */

static void a_record_too_large_is_refused_before_its_chunk_begins(void **state) {
  (void)state;
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  uint8_t *data = malloc(400000);
  for (size_t i = 0; i < 400000; i++) data[i] = (uint8_t)rand();
  for (size_t c = 0; c < 3; c++) {
    cpb_record_writer_options o = options_for(codecs[c]);
    o.buffer = 100000;
    cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
    memory_file f = {0};
    write_record(w, &f, data, 1000, 0);
    cpb_code code = cpb_record_writer_begin_record(w, 400000);
    cpb_step step = drain(w, &f);
    if (code == CPB_OK && step != CPB_STEP_ERROR) {
      code = cpb_record_writer_write(w, data, 400000);
      step = drain(w, &f);
    }
    assert_int_equal(step, CPB_STEP_ERROR);
    assert_int_equal(cpb_record_writer_error(w)->code, CPB_E_LIMIT);
    assert_non_null(strstr(cpb_record_writer_error(w)->message, "400000 bytes"));
    assert_int_equal(cpb_record_writer_finish(w), CPB_E_LIMIT);
    chunks *all = parse(&f); /* what was written before is whole */
    records *r = parse_records(all);
    assert_int_equal(r->count, 1);
    records_free(r);
    chunks_free(all);
    file_free(&f);
    cpb_record_writer_free(w);
  }
  free(data);
}

/* Compressed it fits, so no streaming is needed. */
static void a_large_record_that_compresses_well_is_held(void **state) {
  (void)state;
  cpb_record_writer_options o = options_for(CPB_CODEC_ZSTD);
  o.buffer = 100000;
  cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
  memory_file f = {0};
  uint8_t *data = calloc(1, 3000000);
  write_record(w, &f, data, 3000000, 0);
  finish(w, &f);
  chunks *all = parse(&f);
  assert_int_equal(all->items[1].header.decoded_data_size, 3000000);
  chunks_free(all);
  file_free(&f);
  free(data);
}

typedef struct wrong_use {
  const char *text;
  void (*make)(cpb_record_writer *w, memory_file *f);
} wrong_use;

static void too_many(cpb_record_writer *w, memory_file *f) {
  cpb_record_writer_begin_record(w, 3);
  drain(w, f);
  cpb_record_writer_write(w, "abcd", 4);
}

static void more_after_the_end(cpb_record_writer *w, memory_file *f) {
  write_record(w, f, (const uint8_t *)"abc", 3, 0);
  cpb_record_writer_write(w, "d", 1);
}

static void too_few(cpb_record_writer *w, memory_file *f) {
  cpb_record_writer_begin_record(w, 3);
  drain(w, f);
  cpb_record_writer_write(w, "ab", 2);
  drain(w, f);
  cpb_record_writer_finish(w);
}

static void output_not_taken(cpb_record_writer *w, memory_file *f) {
  write_record(w, f, (const uint8_t *)"abc", 3, 0);
  cpb_record_writer_flush(w, NULL);
  cpb_record_writer_begin_record(w, 1);
}

static void after_finish(cpb_record_writer *w, memory_file *f) {
  cpb_record_writer_finish(w);
  drain(w, f);
  cpb_record_writer_begin_record(w, 1);
}

static void wrong_use_is_said_and_stays(void **state) {
  (void)state;
  static const wrong_use uses[] = {{"more bytes", too_many},
                                   {"more bytes", more_after_the_end},
                                   {"fewer bytes", too_few},
                                   {"output must be taken", output_not_taken},
                                   {"is finished", after_finish}};
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    cpb_record_writer_options o = options_for(CPB_CODEC_NONE);
    cpb_record_writer *w = cpb_record_writer_new(NULL, &o);
    memory_file f = {0};
    uses[i].make(w, &f);
    assert_int_equal(cpb_record_writer_step(w), CPB_STEP_ERROR);
    assert_int_equal(cpb_record_writer_error(w)->code, CPB_E_USAGE);
    assert_non_null(strstr(cpb_record_writer_error(w)->message, uses[i].text));
    assert_int_equal(cpb_record_writer_begin_record(w, 1), CPB_E_USAGE);
    file_free(&f);
    cpb_record_writer_free(w);
  }
}

static void wrong_options_are_the_writers_first_error(void **state) {
  (void)state;
  cpb_record_writer_options wrong[5];
  for (size_t i = 0; i < 5; i++) wrong[i] = options_for(CPB_CODEC_NONE);
  wrong[0].codec.codec = CPB_CODEC_SNAPPY;
  wrong[1].codec.codec = (cpb_codec)9;
  wrong[2].append_at = 63;
  wrong[3].final_padding = ((uint64_t)1 << 30) + 1;
  wrong[4].append_at = 64;
  wrong[4].metadata = "";
  for (size_t i = 0; i < 5; i++) {
    cpb_record_writer *w = cpb_record_writer_new(NULL, &wrong[i]);
    assert_non_null(w);
    assert_int_equal(cpb_record_writer_begin_record(w, 1), i == 0 ? CPB_E_UNSUPPORTED : CPB_E_USAGE);
    assert_int_equal(cpb_record_writer_step(w), CPB_STEP_ERROR);
    cpb_record_writer_free(w);
  }
}

/* Writes as far as it goes; true when the file was finished. */
static bool write_with(const cpb_allocator *a, const uint8_t *data, memory_file *f) {
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  cpb_record_writer_options o = options_for(CPB_CODEC_ZSTD);
  o.seekable = 1;
  o.buffer = 20000;
  o.final_padding = 1000;
  o.metadata = data;
  o.metadata_size = 100;
  cpb_record_writer *w = cpb_record_writer_new(a, &o);
  if (w == NULL) return false;
  for (size_t i = 0; i < 9; i++) {
    const cpb_codec_options next = {.codec = codecs[i % 3], .level = 1};
    size_t size = i < 3 ? 100 : i < 6 ? 60000 : 15000;
    cpb_record_writer_flush(w, &next);
    drain(w, f);
    cpb_record_writer_begin_record(w, size);
    drain(w, f);
    for (size_t done = 0; done < size; done += 100) {
      cpb_record_writer_write(w, data + done, 100);
      drain(w, f);
    }
  }
  cpb_record_writer_finish(w);
  cpb_step step = drain(w, f);
  assert_true(step == CPB_STEP_DONE || cpb_record_writer_error(w)->code == CPB_E_MEMORY);
  cpb_record_writer_free(w);
  return step == CPB_STEP_DONE;
}

static void any_allocation_may_fail(void **state) {
  (void)state;
  uint8_t *data = noise(60000, 8);
  memory_file expected = {0};
  assert_true(write_with(NULL, data, &expected));
  for (int for_ever = 0; for_ever < 2; for_ever++) {
    bool failed = true;
    for (size_t n = 1; failed; n++) {
      failing_allocator f = {.fail_at = n, .for_ever = for_ever != 0};
      const cpb_allocator a = failing_allocator_of(&f);
      memory_file out = {0};
      bool done = write_with(&a, data, &out);
      failed = f.calls >= n;
      if (done) assert_same_file(&out, &expected, "after a failed allocation");
      assert_true(done || failed);
      assert_int_equal(f.blocks, 0);
      file_free(&out);
    }
  }
  file_free(&expected);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uncompressed_files_are_riegelis_byte_for_byte),
      cmocka_unit_test(appended_files_are_riegelis_byte_for_byte),
      cmocka_unit_test(records_may_end_anywhere_around_a_block_boundary),
      cmocka_unit_test(streaming_gives_the_same_bytes),
      cmocka_unit_test(every_record_of_a_chunk_has_a_position),
      cmocka_unit_test(a_chunk_has_no_more_records_than_allowed),
      cmocka_unit_test(compressed_chunks_hold_the_same_records_as_riegelis),
      cmocka_unit_test(the_codec_can_change_between_records),
      cmocka_unit_test(metadata_is_a_transposed_chunk_with_one_record),
      cmocka_unit_test(appending_begins_where_a_chunk_can),
      cmocka_unit_test(padded_files_can_be_concatenated),
      cmocka_unit_test(a_record_too_large_is_refused_before_its_chunk_begins),
      cmocka_unit_test(a_large_record_that_compresses_well_is_held),
      cmocka_unit_test(wrong_use_is_said_and_stays),
      cmocka_unit_test(wrong_options_are_the_writers_first_error),
      cmocka_unit_test(any_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
