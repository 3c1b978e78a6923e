/* A split against a base: what it shares, what it calls files, and what it refuses. */
#include "chunked/split/base.h"
#include "split_help.h"

enum { TENSORS = 8, SIZE = 3000 };

/* --- Messages, bases ----------------------------------------------------------- */

/* A constant with `size` bytes. */
static void put_constant(bytes *graph, size_t size, uint32_t seed) {
  bytes content = noise(size, seed), tensor = {0}, value = {0}, entry = {0}, node = {0};
  put_message(&tensor, 4, content);
  put_message(&value, 8, tensor);
  put_message(put_text(&entry, 1, "value"), 2, value);
  put_message(put_text(put_text(&node, 1, "w"), 2, "Const"), 5, entry);
  put_message(graph, 1, node);
}

/* Those from `first_changed` on are others than in another graph. */
static bytes graph(size_t first_changed, uint32_t seed) {
  bytes b = {0};
  for (size_t i = 0; i < TENSORS; i++) put_constant(&b, SIZE, (uint32_t)i + (i >= first_changed ? seed : 0));
  put_constant(&b, 600, 99); /* too small for a reference */
  return b;
}

static const cpb_split_options plain = {
    .struct_size = sizeof plain, .type_name = "tensorflow.GraphDef", .max_chunk_size = 4000, .inline_max = 500};

static bytes file_of(const cpb_split_options *how, bytes message) {
  cpb_split *split = cpb_split_new(NULL, how);
  bytes file = {0};
  assert_int_equal(run_split(split, message, 0, &file), CPB_STEP_DONE);
  cpb_split_free(split);
  return file;
}

static void plan(cpb_split *split, bytes message) {
  uint8_t *lent = NULL;
  cpb_step step;
  while ((step = cpb_split_plan(split)) == CPB_STEP_NEED) lent = lend(cpb_split_input(split), message, 0, lent);
  assert_int_equal(step, CPB_STEP_DONE);
  free(lent);
}

static cpb_split_base *read_as(const cpb_split *split, bytes file, const char *name, cpb_code code) {
  const cpb_split_base_options which = {.struct_size = sizeof which, .name = name, .read_size = 1000};
  cpb_split_base *base = cpb_split_base_new(NULL, split, &which);
  uint8_t *lent = NULL;
  cpb_step step;
  assert_non_null(base);
  while ((step = cpb_split_base_step(base)) == CPB_STEP_NEED) lent = lend(cpb_split_base_input(base), file, 700, lent);
  free(lent);
  assert_int_equal(step, code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR);
  assert_int_equal(cpb_split_base_error(base)->code, code);
  return base;
}

/* What is written of `message` against `base`, of all files in turn. */
static bytes shared_file(const cpb_split_options *how, bytes message, bytes base_file, cpb_split_shared *shared) {
  cpb_split *split = cpb_split_new(NULL, how);
  bytes file = {0}, all = {0};
  uint8_t *lent = NULL;
  cpb_step step;
  plan(split, message);
  cpb_split_base *base = read_as(split, base_file, "base.cpb", CPB_OK);
  assert_int_equal(cpb_split_share(split, base), CPB_OK);
  uint32_t at = 0;
  while ((step = cpb_split_step(split)) == CPB_STEP_NEED || step == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    if (step == CPB_STEP_NEED) {
      lent = lend(cpb_split_input(split), message, 0, lent);
      continue;
    }
    const uint8_t *data = cpb_split_output(split, &offset, &length);
    if (cpb_split_file(split) != at) put(&all, file.data, file.size), file.size = 0;
    at = cpb_split_file(split);
    write_at(&file, offset, data, length);
  }
  assert_int_equal(step, CPB_STEP_DONE);
  cpb_split_get_shared(split, shared);
  put(&all, file.data, file.size);
  free(lent);
  free(file.data);
  cpb_split_free(split);
  cpb_split_base_free(base);
  return all;
}

static cpb_index *index_of(bytes file) {
  cpb_index *index = cpb_index_new(NULL, NULL);
  uint8_t *lent = NULL;
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) lent = lend(cpb_index_input(index), file, 0, lent);
  assert_int_equal(step, CPB_STEP_DONE);
  free(lent);
  return index;
}

static void assert_same(bytes a, bytes b) {
  assert_int_equal(a.size, b.size);
  assert_memory_equal(a.data, b.data, a.size);
}

/* --- Sharing --------------------------------------------------------------------- */

static void only_the_difference_is_written(void **state) {
  (void)state;
  bytes old = graph(TENSORS, 0), new = graph(TENSORS - 2, 100), base = file_of(&plain, old);
  cpb_split_shared shared;
  bytes file = shared_file(&plain, new, base, &shared);
  assert_int_equal(shared.chunks, TENSORS - 2);
  assert_int_equal(shared.bytes, (TENSORS - 2) * SIZE);
  assert_true(file.size < 2 * SIZE + 2500);
  cpb_index *index = index_of(file), *there = index_of(base);
  cpb_index_version version;
  cpb_other_file other;
  cpb_index_get_version(index, &version);
  assert_int_equal(version.join, 1);
  assert_int_equal(cpb_index_num_files(index), 1);
  assert_int_equal(cpb_index_get_file(index, 1, &other), CPB_OK);
  assert_int_equal(other.size, base.size);
  assert_memory_equal(other.name, "base.cpb", other.length);
  for (uint64_t i = 0; i < cpb_index_num_chunks(index); i++) {
    cpb_chunk_info here, in_base;
    assert_int_equal(cpb_index_get_chunk(index, i, &here), CPB_OK);
    assert_int_equal(cpb_index_get_chunk(there, i, &in_base), CPB_OK);
    assert_int_equal(here.file, here.size == SIZE && i < TENSORS - 1);
    if (here.file > 0) assert_int_equal(here.position, in_base.position);
  }
  cpb_index_free(index);
  cpb_index_free(there);
  free(old.data), free(new.data), free(base.data), free(file.data);
}

/* Nothing in common, or only what is too small: byte for byte what it is without a base. */
static void nothing_in_common_changes_nothing(void **state) {
  (void)state;
  static const cpb_transpose ways[] = {CPB_TRANSPOSE_NEVER, CPB_TRANSPOSE_IF_SMALLER};
  bytes old = graph(0, 200), new = graph(0, 100), base = file_of(&plain, old);
  for (int i = 0; i < 8; i++) {
    cpb_split_options how = plain;
    how.layout = i & 1 ? CPB_LAYOUT_COMPAT : CPB_LAYOUT_REMOTE;
    how.transpose = ways[i >> 1 & 1];
    how.index_pages = i & 4 ? CPB_INDEX_PAGES : 0;
    cpb_split_shared shared;
    bytes with = shared_file(&how, new, base, &shared), without = file_of(&how, new);
    assert_int_equal(shared.chunks, 0);
    assert_same(with, without);
    free(with.data), free(without.data);
  }
  free(old.data), free(new.data), free(base.data);
}

/* Everything but the first chunk, and what is too small. */
static void all_in_common(void **state) {
  (void)state;
  bytes old = graph(TENSORS, 0), base = file_of(&plain, old);
  for (uint32_t files = 0; files < 3; files++) {
    cpb_split_options how = plain;
    how.files = files;
    how.file_name = "new";
    cpb_split_shared shared;
    bytes file = shared_file(&how, old, base, &shared);
    assert_int_equal(shared.chunks, TENSORS);
    assert_true(file.size < 3000);
    free(file.data);
  }
  free(old.data), free(base.data);
}

/* --- What it refuses --------------------------------------------------------------- */

static void calls_out_of_order(void **state) {
  (void)state;
  bytes old = graph(TENSORS, 0), file = file_of(&plain, old);
  cpb_split *split = cpb_split_new(NULL, &plain);
  cpb_split_base *early = read_as(split, file, "base.cpb", CPB_E_USAGE);
  assert_non_null(strstr(cpb_split_base_error(early)->message, "expected cpb_split_plan() to be done"));
  plan(split, old);
  assert_int_equal(cpb_split_share(split, early), CPB_E_USAGE);
  cpb_split_base *base = read_as(split, file, "base.cpb", CPB_OK);
  assert_int_equal(cpb_split_share(split, base), CPB_OK);
  assert_int_equal(cpb_split_share(split, base), CPB_E_USAGE);
  cpb_split_free(split);
  cpb_split_base_free(base);
  cpb_split_base_free(early);
  free(old.data), free(file.data);
}

static void a_device_reads_one_file(void **state) {
  (void)state;
  bytes old = graph(TENSORS, 0), file = file_of(&plain, old);
  cpb_split_options how = plain;
  how.for_memory = 1 << 20;
  cpb_split *split = cpb_split_new(NULL, &how);
  plan(split, old);
  cpb_split_base *base = read_as(split, file, "base.cpb", CPB_OK);
  assert_int_equal(cpb_split_share(split, base), CPB_E_USAGE);
  assert_int_equal(cpb_split_step(split), CPB_STEP_ERROR);
  assert_string_equal(cpb_split_error(split)->message, "for_memory is set, and a base; a device reads one file");
  cpb_split_free(split);
  cpb_split_base_free(base);
  free(old.data), free(file.data);
}

static void a_file_that_is_written_is_no_base(void **state) {
  (void)state;
  bytes old = graph(TENSORS, 0), new = graph(2, 100), file = file_of(&plain, old);
  cpb_split_options how = plain;
  how.files = 2;
  how.file_name = "new";
  cpb_split *split = cpb_split_new(NULL, &how);
  plan(split, new);
  cpb_split_base *base = read_as(split, file, "new.00002-of-00002.cpb", CPB_OK);
  assert_int_equal(cpb_split_share(split, base), CPB_OK);
  bytes out = {0};
  assert_int_equal(run_split(split, new, 0, &out), CPB_STEP_ERROR);
  assert_int_equal(cpb_split_error(split)->code, CPB_E_USAGE);
  assert_string_equal(cpb_split_error(split)->message,
                      "\"new.00002-of-00002.cpb\" would be written, and the base has chunks in it; expected another "
                      "file_name");
  assert_int_equal(out.size, 0);
  cpb_split_free(split);
  cpb_split_base_free(base);
  free(old.data), free(new.data), free(file.data);
}

static void damage_is_an_error(void **state) {
  (void)state;
  bytes old = graph(TENSORS, 0), file = file_of(&plain, old);
  cpb_split *split = cpb_split_new(NULL, &plain);
  plan(split, old);
  file.data[file.size / 2] ^= 1;
  cpb_split_base_free(read_as(split, file, "base.cpb", CPB_E_DAMAGED));
  cpb_split_base_free(read_as(split, (bytes){file.data, file.size / 2}, "base.cpb", CPB_E_TRUNCATED));
  cpb_split_base_free(read_as(split, old, "base.cpb", CPB_E_FORMAT));
  static const char *const wrong[] = {"", NULL, "a\nb", "\xff"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cpb_split_base_free(read_as(split, file, wrong[i], CPB_E_USAGE));
  cpb_split_free(split);
  free(old.data), free(file.data);
}

/* --- Names --------------------------------------------------------------------------- */

static void names_of_a_chain(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"base.cpb", "first.cpb", "first.cpb"},
      {"base.cpb", "a/first.cpb", "a/first.cpb"},
      {"a/base.cpb", "first.cpb", "a/first.cpb"},
      {"a/b/base.cpb", "../first.cpb", "a/first.cpb"},
      {"a/base.cpb", "../../first.cpb", "../first.cpb"},
      {"../base.cpb", "../c/./first.cpb", "../../c/first.cpb"},
      {"../a/base.cpb", "../first.cpb", "../first.cpb"},
      {"/a/base.cpb", "../first.cpb", "/first.cpb"},
      {"a/base.cpb", "/first.cpb", "/first.cpb"},
      {"a/base.cpb", "https://host/first.cpb", "https://host/first.cpb"},
      {"https://host/a/base.cpb", "b/first one?.cpb", "https://host/a/b/first%20one%3F.cpb"},
      {"s3://bucket/a/base.cpb", "first one?.cpb", "s3://bucket/a/first one?.cpb"},
  };
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_buffer names;
    cpb_error error = {0};
    const size_t base = strlen(cases[i][0]);
    cpb_buffer_init(&names, &a);
    assert_true(cpb_buffer_append(&names, cases[i][0], base));
    assert_true(cpb_base_name_add(&names, base, (cpb_span){(const uint8_t *)cases[i][1], strlen(cases[i][1])}, &error));
    assert_true(cpb_buffer_append(&names, "", 1));
    assert_string_equal((const char *)names.data + base, cases[i][2]);
    cpb_buffer_free(&names);
  }
}

static void a_name_that_would_begin_a_query(void **state) {
  (void)state;
  static const char base[] = "s3://bucket/base.cpb", name[] = "first.cpb?versionId=1";
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_buffer names;
  cpb_error error = {0};
  cpb_buffer_init(&names, &a);
  assert_true(cpb_buffer_append(&names, base, strlen(base)));
  assert_false(cpb_base_name_add(&names, strlen(base), (cpb_span){(const uint8_t *)name, strlen(name)}, &error));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
  cpb_buffer_free(&names);
}

static void a_name_that_gets_too_long(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  static char folder[4000], name[200];
  cpb_buffer names;
  cpb_error error = {0};
  memset(folder, 'f', sizeof folder);
  memset(name, 'n', sizeof name);
  folder[sizeof folder - 1] = '/';
  cpb_buffer_init(&names, &a);
  assert_true(cpb_buffer_append(&names, folder, sizeof folder));
  assert_false(cpb_base_name_add(&names, sizeof folder, (cpb_span){(const uint8_t *)name, sizeof name}, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  assert_string_equal(error.message,
                      "the name of a file that the base refers to has 4200 bytes here; expected 1 to 4096");
  cpb_buffer_free(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_the_difference_is_written),
      cmocka_unit_test(nothing_in_common_changes_nothing),
      cmocka_unit_test(all_in_common),
      cmocka_unit_test(calls_out_of_order),
      cmocka_unit_test(a_device_reads_one_file),
      cmocka_unit_test(a_file_that_is_written_is_no_base),
      cmocka_unit_test(damage_is_an_error),
      cmocka_unit_test(names_of_a_chain),
      cmocka_unit_test(a_name_that_would_begin_a_query),
      cmocka_unit_test(a_name_that_gets_too_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
