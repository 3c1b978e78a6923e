/* Files that are made in parts: by forks of an engine, one after the other, and by threads. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "cpb/file.h"
#include "failing_allocator.h"
#include "riegeli_parts.h"
#include "stride.h"

static void init(cpb_buffer *b) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_buffer_init(b, &a);
}

static void append(cpb_buffer *to, const void *data, size_t size) { assert_true(cpb_buffer_append(to, data, size)); }

static char folder[] = "/tmp/cpb-pack-XXXXXX";
static char in[64], out[64], alone[64];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(in, sizeof in, "%s/in", folder);
  snprintf(out, sizeof out, "%s/out.cpb", folder);
  snprintf(alone, sizeof alone, "%s/alone.cpb", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder); /* fails if anything was left behind */
}

static int clean(void **state) {
  (void)state;
  unlink(in);
  unlink(out);
  unlink(alone);
  return 0;
}

/* --- Messages --------------------------------------------------------------------- */

static void put_varint(cpb_buffer *b, uint64_t value) {
  uint8_t bytes[10];
  append(b, bytes, (size_t)(cpb_varint_write(bytes, value) - bytes));
}

static void put_field(cpb_buffer *b, unsigned number, const void *data, size_t size) {
  put_varint(b, number << 3 | 2);
  put_varint(b, size);
  append(b, data, size);
}

static void free_each(cpb_buffer *a, cpb_buffer *b) {
  cpb_buffer_free(a);
  cpb_buffer_free(b);
}

/* A node with a constant: GraphDef.node.attr["value"].tensor.tensor_content. */
static void put_constant(cpb_buffer *graph, const void *content, size_t size) {
  cpb_buffer a, b;
  init(&a);
  init(&b);
  put_field(&a, 4, content, size);
  put_field(&b, 8, a.data, a.size);
  a.size = 0;
  put_field(&a, 1, "value", 5);
  put_field(&a, 2, b.data, b.size);
  b.size = 0;
  put_field(&b, 2, "Const", 5);
  put_field(&b, 5, a.data, a.size);
  put_field(graph, 1, b.data, b.size);
  free_each(&a, &b);
}

static void write_bytes(const char *path, const cpb_buffer *bytes) {
  FILE *f = fopen(path, "wb");
  assert_int_equal(fwrite(bytes->data, 1, bytes->size, f), bytes->size);
  fclose(f);
}

/* Small constants, constants of some KiB, and a few that are large; some compress. */
static void write_graph(unsigned seed, size_t count) {
  const size_t sizes[] = {10, 70000, 3000, 300, 5000, 1200000, 65536, 100, 20000, 65535, 4000, 250000};
  cpb_buffer graph;
  init(&graph);
  for (size_t i = 0; i < count; i++) {
    size_t size = sizes[(i * 5 + seed) % 12];
    uint8_t *content = noise(size, seed + (unsigned)i);
    if (i % 3 == 0) memset(content, (int)i, size / 2);
    put_constant(&graph, content, size);
    free(content);
  }
  write_bytes(in, &graph);
  cpb_buffer_free(&graph);
}

static void read_all(const char *path, cpb_buffer *to) {
  uint8_t block[65536];
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  init(to);
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) append(to, block, n);
  fclose(f);
}

static void expect_same(const char *what) {
  cpb_buffer a, b;
  read_all(alone, &a);
  read_all(out, &b);
  if (a.size != b.size || memcmp(a.data, b.data, a.size) != 0) fail_msg("%s: another file", what);
  free_each(&a, &b);
}

/* --- Every way to make a file ------------------------------------------------------ */

typedef struct {
  cpb_layout layout;
  cpb_codec_options codec;
  uint64_t max_chunk_size, for_memory;
  size_t buffer;
} way;

static const way ways[] = {
    {.layout = CPB_LAYOUT_REMOTE},
    {.layout = CPB_LAYOUT_REMOTE, .buffer = 100000},
    {.layout = CPB_LAYOUT_REMOTE, .codec = {.codec = CPB_CODEC_NONE}},
    {.layout = CPB_LAYOUT_REMOTE, .codec = {.codec = CPB_CODEC_BROTLI, .level = 1}},
    {.layout = CPB_LAYOUT_REMOTE, .max_chunk_size = 9000, .codec = {.codec = CPB_CODEC_ZSTD, .level = 1}},
    {.layout = CPB_LAYOUT_REMOTE, .for_memory = 262144},
    {.layout = CPB_LAYOUT_COMPAT, .max_chunk_size = 9000, .codec = {.codec = CPB_CODEC_BROTLI, .level = 1}},
    {.layout = CPB_LAYOUT_COMPAT, .max_chunk_size = 200000, .codec = {.codec = CPB_CODEC_ZSTD}},
    {.layout = CPB_LAYOUT_COMPAT, .max_chunk_size = 3000, .codec = {.codec = CPB_CODEC_NONE}, .buffer = 100000},
};

enum { WAYS = sizeof ways / sizeof *ways };

static cpb_split_options split_options(const way *w) {
  return (cpb_split_options){.struct_size = sizeof(cpb_split_options),
                             .type_name = "tensorflow.GraphDef",
                             .layout = w->layout,
                             .codec = w->codec,
                             .max_chunk_size = w->max_chunk_size,
                             .for_memory = w->for_memory,
                             .buffer = w->buffer,
                             .seekable = 1};
}

static cpb_repack_options repack_options(const way *w) {
  return (cpb_repack_options){.struct_size = sizeof(cpb_repack_options),
                              .layout = w->layout,
                              .codec = w->codec,
                              .for_memory = w->for_memory,
                              .buffer = w->buffer,
                              .seekable = 1};
}

/* Not by replacing a file, as that is done in a child that shares memory, which ThreadSanitizer does
 * not know. */
static cpb_code make(bool repack, const way *w, const cpb_file_options *options, const char *to, cpb_error *error) {
  const cpb_split_options how = split_options(w);
  const cpb_repack_options re = repack_options(w);
  unlink(to);
  return repack ? cpb_file_repack(in, to, &re, options, error) : cpb_file_split(in, to, &how, options, error);
}

/* --- Forks --------------------------------------------------------------------------- */

static cpb_split *planned(const way *w, cpb_file *file) {
  const cpb_split_options how = split_options(w);
  cpb_split *split = cpb_split_new(NULL, &how);
  while (cpb_split_plan(split) == CPB_STEP_NEED) cpb_file_supply(file, cpb_split_input(split));
  assert_int_equal(cpb_split_error(split)->code, CPB_OK);
  return split;
}

static void encode_part(cpb_split *fork, cpb_file *file, size_t part, cpb_buffer *to) {
  cpb_step step;
  to->size = 0;
  assert_int_equal(cpb_split_part(fork, part), CPB_OK);
  while ((step = cpb_split_step(fork)) != CPB_STEP_DONE) {
    uint64_t offset;
    size_t length;
    assert_true(step == CPB_STEP_NEED || step == CPB_STEP_OUTPUT);
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(file, cpb_split_input(fork));
    } else {
      const uint8_t *data = cpb_split_output(fork, &offset, &length);
      append(to, data, length);
    }
  }
}

/* Some parts are given, others not; those of two forks alternate. No part is larger than `most`. */
static void write_parts(cpb_split *split, cpb_file *file, size_t count, size_t most, size_t *given) {
  cpb_error error;
  cpb_output *output = cpb_output_create(NULL, out, NULL, &error);
  cpb_split *forks[] = {cpb_split_fork(split, NULL), cpb_split_fork(split, NULL)};
  cpb_file *views[] = {cpb_file_open(NULL, in, &error), cpb_file_open(NULL, in, &error)};
  cpb_buffer bytes;
  init(&bytes);
  cpb_step step;
  size_t part = 0;
  while ((step = cpb_split_step(split)) != CPB_STEP_DONE) {
    assert_int_not_equal(step, CPB_STEP_ERROR);
    if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_split_input(split));
    if (step == CPB_STEP_OUTPUT) {
      uint64_t offset;
      size_t length;
      const uint8_t *data = cpb_split_output(split, &offset, &length);
      assert_int_equal(cpb_output_write(output, offset, data, length), CPB_OK);
    }
    if (step == CPB_STEP_PART) {
      encode_part(forks[part % 2], views[part % 2], part, &bytes);
      assert_true(bytes.size <= most);
      if (part % 4 != 3) assert_int_equal(cpb_split_give(split, bytes.data, bytes.size), CPB_OK);
      *given += bytes.size > 0;
      part++;
    }
  }
  assert_int_equal(part, count);
  assert_int_equal(cpb_split_give(split, "", 1), CPB_E_USAGE);
  assert_int_equal(cpb_output_commit(output), CPB_OK);
  cpb_output_free(output);
  cpb_buffer_free(&bytes);
  for (size_t i = 0; i < 2; i++) {
    cpb_split_free(forks[i]);
    cpb_file_close(views[i]);
  }
}

static void parts_by_forks_make_the_same_file(void **state) {
  (void)state;
  cpb_error error;
  write_graph(1, 40);
  for (size_t i = 0; i < WAYS; i += sanitized_stride(3)) {
    size_t count, given = 0;
    assert_int_equal(make(false, &ways[i], NULL, alone, &error), CPB_OK);
    cpb_file *file = cpb_file_open(NULL, in, &error);
    cpb_split *split = planned(&ways[i], file);
    assert_null(cpb_split_fork(split, NULL));
    assert_int_equal(cpb_split_part(split, 0), CPB_E_USAGE);
    assert_int_equal(cpb_split_give(split, "", 1), CPB_E_USAGE);
    assert_int_equal(cpb_split_cut(split, 1, &count), CPB_OK);
    const bool compresses = ways[i].codec.codec != CPB_CODEC_DEFAULT && ways[i].codec.codec != CPB_CODEC_NONE;
    write_parts(split, file, count, compresses ? SIZE_MAX : (1u << 20) + 1000, &given);
    assert_true(given > 3);
    assert_int_equal(cpb_split_cut(split, 1, &count), CPB_E_USAGE);
    char what[32];
    snprintf(what, sizeof what, "forks, way %zu", i);
    expect_same(what);
    unlink(out);
    unlink(alone);
    cpb_split_free(split);
    cpb_file_close(file);
  }
}

/* Much of it occurs a second time within a small window. */
static uint8_t *repeated(size_t size, uint32_t seed) {
  uint8_t *bytes = noise(size, seed);
  for (size_t i = 4000, n; i < size; i += n) {
    seed = seed * 1664525 + 1013904223;
    n = cpb_min_size(1 + (seed >> 8) % 80, size - i);
    const size_t back = 1 + (seed >> 4) % 4000;
    for (size_t j = i; seed >> 30 && j < i + n; j++) bytes[j] = bytes[j - back];
  }
  return bytes;
}

/* A graph with constants of more bytes than a codec gets at once. */
static void write_large_constants(void) {
  const size_t sizes[] = {1300000, 1700000, 2700000, 1048577, 3000000};
  cpb_buffer graph;
  init(&graph);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint8_t *content = repeated(sizes[i], i + 1);
    put_constant(&graph, content, sizes[i]);
    free(content);
  }
  write_bytes(in, &graph);
  cpb_buffer_free(&graph);
}

/* Each part is encoded by a fork that has encoded all those after it, and by a new one. */
static void a_part_does_not_depend_on_those_encoded_before(void **state) {
  (void)state;
  cpb_error error;
  cpb_buffer used, fresh;
  init(&used);
  init(&fresh);
  write_large_constants();
  cpb_file *file = cpb_file_open(NULL, in, &error);
  for (size_t i = 0; i < WAYS; i += sanitized_stride(5)) {
    size_t count;
    cpb_split *split = planned(&ways[i], file);
    assert_int_equal(cpb_split_cut(split, 1, &count), CPB_OK);
    cpb_split *fork = cpb_split_fork(split, NULL);
    for (size_t part = count; part-- > 0;) {
      cpb_split *other = cpb_split_fork(split, NULL);
      encode_part(fork, file, part, &used);
      encode_part(other, file, part, &fresh);
      if (used.size != fresh.size || memcmp(used.data, fresh.data, used.size) != 0)
        fail_msg("way %zu, part %zu: %zu bytes, and %zu by a new fork", i, part, used.size, fresh.size);
      cpb_split_free(other);
    }
    cpb_split_free(fork);
    cpb_split_free(split);
  }
  cpb_file_close(file);
  free_each(&used, &fresh);
}

/* --- Threads --------------------------------------------------------------------------- */

static void any_number_of_threads_makes_the_same_file(void **state) {
  (void)state;
  cpb_error error;
  for (size_t i = 0; i < WAYS; i += sanitized_stride(3)) {
    const way *w = &ways[i], *next = &ways[(i + 4) % WAYS];
    write_graph((unsigned)i, 60);
    for (unsigned threads = 1; threads < 5; threads++) {
      const cpb_file_options options = {.struct_size = sizeof options, .threads = threads};
      assert_int_equal(make(false, w, &options, threads > 1 ? out : alone, &error), CPB_OK);
      if (threads > 1) expect_same("split");
    }
    rename(alone, in);
    for (unsigned threads = 1; threads < 5; threads++) {
      const cpb_file_options options = {.struct_size = sizeof options, .threads = threads};
      assert_int_equal(make(true, next, &options, threads > 1 ? out : alone, &error), CPB_OK);
      if (threads > 1) expect_same("repack");
    }
  }
}

/* Of a file with a flipped bit: what a repack of it says or, where that finds nothing, makes. */
static void an_error_is_the_same_with_any_number_of_threads(void **state) {
  (void)state;
  cpb_error error, first;
  cpb_buffer file;
  const cpb_file_options one = {.struct_size = sizeof one}, three = {.struct_size = sizeof three, .threads = 3};
  write_graph(5, 30);
  assert_int_equal(make(false, &ways[6], NULL, alone, &error), CPB_OK);
  read_all(alone, &file);
  for (size_t at = 100; at < file.size; at += (1 + file.size / 40) * sanitized_stride(4)) {
    for (size_t i = 0; i < WAYS; i += 4) {
      file.data[at] ^= 8;
      write_bytes(in, &file);
      file.data[at] ^= 8;
      cpb_code code = make(true, &ways[i], &one, alone, &first);
      assert_int_equal(make(true, &ways[i], &three, out, &error), code);
      assert_string_equal(error.message, first.message);
      assert_int_equal(error.offset, first.offset);
      if (code == CPB_OK) expect_same("repacked");
      else assert_int_not_equal(access(out, F_OK), 0);
    }
  }
  cpb_buffer_free(&file);
}

static int cancel(void *user, uint64_t done, uint64_t total) {
  atomic_int *left = user;
  assert_true(total == 0 || done <= total);
  return atomic_fetch_sub(left, 1) <= 0;
}

static void a_report_can_cancel_the_work(void **state) {
  (void)state;
  write_graph(2, 40);
  for (int reports = 0;; reports = reports * 2 + 1) {
    cpb_error error;
    atomic_int left = reports;
    const cpb_file_options options = {.struct_size = sizeof options, .threads = 3, .progress = cancel, .user = &left};
    cpb_code code = make(false, &ways[0], &options, out, &error);
    assert_int_equal(error.code, code);
    if (code == CPB_OK) break;
    assert_int_equal(code, CPB_E_CANCELLED);
    assert_int_not_equal(access(out, F_OK), 0);
  }
}

/* --- Memory ------------------------------------------------------------------------------ */

/* Once: one thread, alone, may find enough. From then on: it does not. */
static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  cpb_error error;
  for (int what = 0; what < 4; what++) {
    const bool repack = what & 1, for_ever = what & 2;
    write_graph(9, 12);
    if (repack) {
      assert_int_equal(make(false, &ways[0], NULL, alone, &error), CPB_OK);
      rename(alone, in);
    }
    assert_int_equal(make(repack, &ways[4], NULL, alone, &error), CPB_OK);
    for (size_t n = 1, done = 0; !done; n += (1 + n / 20) * sanitized_stride(4)) {
      failing_allocator c = {.fail_at = n, .for_ever = for_ever};
      const cpb_allocator a = failing_allocator_of(&c);
      const cpb_file_options options = {.struct_size = sizeof options, .allocator = &a, .threads = 3};
      cpb_code code = make(repack, &ways[4], &options, out, &error);
      assert_true(code == CPB_OK || code == CPB_E_MEMORY);
      assert_int_equal(error.code, code);
      assert_int_equal(c.blocks, 0);
      if (code == CPB_OK) expect_same("with little memory");
      assert_int_equal(unlink(out) == 0, code == CPB_OK);
      done = c.calls < n;
    }
    unlink(alone);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(parts_by_forks_make_the_same_file, clean),
      cmocka_unit_test_teardown(a_part_does_not_depend_on_those_encoded_before, clean),
      cmocka_unit_test_teardown(any_number_of_threads_makes_the_same_file, clean),
      cmocka_unit_test_teardown(an_error_is_the_same_with_any_number_of_threads, clean),
      cmocka_unit_test_teardown(a_report_can_cancel_the_work, clean),
      cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, clean),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
