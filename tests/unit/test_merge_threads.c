/* One plan read by several readers, and files merged by several threads. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "cpb/file.h"
#include "failing_allocator.h"
#include "merge_files.h"
#include "stride.h"

static char folder[] = "/tmp/cpb-threads-XXXXXX";
static char in[64], out[64];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(in, sizeof in, "%s/in.cpb", folder);
  snprintf(out, sizeof out, "%s/out.pb", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(in);
  unlink(out);
  return rmdir(folder); /* fails if anything was left behind */
}

/* --- Forks and cuts ------------------------------------------------------------- */

typedef struct {
  merge_case chunks;
  cpb_buffer whole, file;
  cpb_file *input;
  cpb_index *index;
} sample;

static void put_file(const cpb_buffer *file) {
  FILE *f = fopen(in, "wb");
  assert_int_equal(fwrite(file->data, 1, file->size, f), file->size);
  fclose(f);
}

static void make_sample(sample *s, uint64_t number) {
  cpb_error error;
  make_case(&s->chunks, &s->whole, number);
  write_file(&s->chunks, &layouts[number % 6], &s->file);
  put_file(&s->file);
  s->input = cpb_file_open(NULL, in, &error);
  s->index = cpb_index_new(NULL, NULL);
  while (cpb_index_step(s->index) == CPB_STEP_NEED) cpb_file_supply(s->input, cpb_index_input(s->index));
  assert_int_equal(cpb_index_error(s->index)->code, CPB_OK);
}

static void free_sample(sample *s) {
  cpb_index_free(s->index);
  cpb_file_close(s->input);
  cpb_buffer_free(&s->file);
  cpb_buffer_free(&s->whole);
  merge_case_free(&s->chunks);
}

static cpb_step run(sample *s, cpb_merge *m, cpb_buffer *to) {
  cpb_step step;
  while ((step = cpb_merge_step(m)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t length;
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(s->input, cpb_merge_input(m));
    } else {
      const uint8_t *data = cpb_merge_data(m, &length);
      append(to, data, length);
    }
  }
  return step;
}

/* Parts by three readers in turn. */
static void read_parts(sample *s, cpb_merge *planned, const uint64_t *cuts, size_t count, cpb_buffer *to) {
  cpb_merge *readers[] = {planned, cpb_merge_fork(planned, NULL), cpb_merge_fork(planned, NULL)};
  for (size_t i = 0; i < count; i++) {
    uint64_t begin = i > 0 ? cuts[i - 1] : 0;
    assert_int_equal(cpb_merge_read(readers[i % 3], begin, cuts[i] - begin), CPB_OK);
    assert_int_equal(run(s, readers[i % 3], to), CPB_STEP_DONE);
  }
  cpb_merge_free(readers[1]);
  cpb_merge_free(readers[2]);
}

static void readers_of_one_plan_read_its_parts(void **state) {
  (void)state;
  const uint64_t least[] = {0, 1, 100, 1000000};
  size_t most = 0;
  for (uint64_t number = 0; number < 48; number++) {
    sample s;
    make_sample(&s, number);
    cpb_merge_options how = {.struct_size = sizeof how,
                             .verify = CPB_VERIFY_LATE,
                             .memory = number % 2 ? 100 : 0,
                             .trust_sizes = number % 3 == 0};
    cpb_merge *m = cpb_merge_new(NULL, s.index, &how);
    const uint64_t *cuts;
    size_t count;
    assert_null(cpb_merge_fork(m, NULL));
    assert_int_equal(cpb_merge_cut(m, 1, &cuts, &count), CPB_E_USAGE);
    assert_int_equal(run(&s, m, NULL), CPB_STEP_DONE);
    for (size_t i = 0; i < 4; i++) {
      cpb_buffer merged;
      cpb_buffer_init(&merged, &plain);
      assert_int_equal(cpb_merge_cut(m, least[i], &cuts, &count), CPB_OK);
      for (size_t k = 0; k + 1 < count; k++) assert_true(cuts[k] - (k > 0 ? cuts[k - 1] : 0) >= least[i]);
      if (count > most) most = count;
      read_parts(&s, m, cuts, count, &merged);
      assert_int_equal(merged.size, s.whole.size);
      if (merged.size > 0) assert_memory_equal(merged.data, s.whole.data, merged.size);
      cpb_buffer_free(&merged);
    }
    cpb_merge_free(m);
    free_sample(&s);
  }
  assert_true(most > 5);
}

/* The cuts of a parent with four children between its fields. */
static size_t cuts_between_children(size_t parent_size, size_t memory) {
  sample s = {0};
  merge_case_init(&s.chunks);
  char *parent = calloc(1, parent_size);
  size_t at = 0;
  for (; at < 16; at += 4) memcpy(parent + at, "\x0a\0\x18\1", 4); /* field 1, where a child goes, and a number */
  memcpy(parent + at, "\x12", 1);                                  /* field 2: the rest */
  size_t rest = parent_size - at - 4;
  for (int i = 0; i < 3; i++) parent[at + 1 + (size_t)i] = (char)((rest >> 7 * i & 0x7f) | (i < 2 ? 0x80 : 0));
  uint64_t root = add_chunk(&s.chunks, CPB_CHUNK_MESSAGE, parent, parent_size);
  free(parent);
  uint32_t node = cpb_metadata_add_node(&s.chunks.index, CPB_NO_NODE, root);
  for (int i = 0; i < 4; i++) {
    char tag[] = "1[0]";
    tag[2] = (char)('0' + i);
    add_node(&s.chunks, node, tag,
             MESSAGE(&s.chunks,
                     "\x1a\x03"
                     "abc"));
  }
  write_file(&s.chunks, &layouts[1], &s.file);
  put_file(&s.file);
  cpb_error error;
  s.input = cpb_file_open(NULL, in, &error);
  s.index = cpb_index_new(NULL, NULL);
  while (cpb_index_step(s.index) == CPB_STEP_NEED) cpb_file_supply(s.input, cpb_index_input(s.index));
  cpb_merge_options how = {.struct_size = sizeof how, .memory = memory};
  cpb_merge *m = cpb_merge_new(NULL, s.index, &how);
  const uint64_t *cuts;
  size_t count;
  assert_int_equal(run(&s, m, NULL), CPB_STEP_DONE);
  assert_int_equal(cpb_merge_cut(m, 1, &cuts, &count), CPB_OK);
  cpb_merge_free(m);
  cpb_buffer_init(&s.whole, &plain);
  free_sample(&s);
  return count;
}

static void a_large_chunk_is_not_cut_apart_and_a_small_one_is(void **state) {
  (void)state;
  assert_int_equal(cuts_between_children(100000, 4000000), 9);
  assert_int_equal(cuts_between_children(100000, 100000), 3); /* the first child's two, and the end */
}

static void every_failing_allocation_of_a_fork_or_cut_is_clean(void **state) {
  (void)state;
  sample s;
  make_sample(&s, 7);
  for (size_t n = 1, done = 0; !done; n++) {
    failing_allocator failing = {0};
    const cpb_allocator a = failing_allocator_of(&failing);
    cpb_merge *m = cpb_merge_new(&a, s.index, NULL);
    assert_int_equal(run(&s, m, NULL), CPB_STEP_DONE);
    const uint64_t *cuts;
    size_t count;
    failing.calls = 0;
    failing.fail_at = n;
    cpb_code code = cpb_merge_cut(m, 1, &cuts, &count);
    cpb_merge *fork = cpb_merge_fork(m, &a);
    assert_true(code == CPB_OK || (code == CPB_E_MEMORY && count == 0));
    assert_true(fork != NULL || failing.calls >= n);
    done = failing.calls < n;
    cpb_merge_free(fork);
    cpb_merge_free(m);
    assert_int_equal(failing.blocks, 0);
  }
  free_sample(&s);
}

/* --- Threads -------------------------------------------------------------------- */

static void expect_output(const cpb_buffer *whole) {
  FILE *f = fopen(out, "rb");
  assert_non_null(f);
  uint8_t *data = malloc(whole->size + 1);
  assert_int_equal(fread(data, 1, whole->size + 1, f), whole->size);
  if (whole->size > 0) assert_memory_equal(data, whole->data, whole->size);
  free(data);
  fclose(f);
  unlink(out);
}

static cpb_code merge_in_order(const cpb_file_options *options, cpb_error *error) {
  FILE *f = fopen(out, "wb");
  cpb_file *file = cpb_file_open(NULL, in, error);
  cpb_output *output = cpb_output_create_fd(NULL, fileno(f), -1, error);
  cpb_index *index = cpb_index_new(NULL, NULL);
  while (cpb_index_step(index) == CPB_STEP_NEED) cpb_file_supply(file, cpb_index_input(index));
  cpb_code code = cpb_transfer_merge(file, index, output, options, error);
  assert_int_equal(cpb_output_commit(output), CPB_OK);
  cpb_index_free(index);
  cpb_output_free(output);
  cpb_file_close(file);
  fclose(f);
  return code;
}

static void any_number_of_threads_makes_the_same_message(void **state) {
  (void)state;
  for (uint64_t number = 0; number < 36; number++) {
    sample s;
    cpb_error error;
    make_sample(&s, number);
    for (unsigned threads = 1; threads < 6; threads++) {
      const cpb_file_options options = {.struct_size = sizeof options, .threads = threads};
      assert_int_equal(cpb_file_merge(in, out, &options, &error), CPB_OK);
      expect_output(&s.whole);
      assert_int_equal(merge_in_order(&options, &error), CPB_OK);
      expect_output(&s.whole);
    }
    free_sample(&s);
  }
}

/* What is said of a file with a flipped bit. */
static void an_error_is_the_same_with_any_number_of_threads(void **state) {
  (void)state;
  sample s;
  make_sample(&s, 13);
  for (size_t at = 0; at < s.file.size; at += 1 + s.file.size / 150) {
    cpb_error alone, error;
    const cpb_file_options options = {.struct_size = sizeof options, .threads = 3};
    s.file.data[at] ^= 16;
    put_file(&s.file);
    s.file.data[at] ^= 16;
    cpb_code code = cpb_file_merge(in, out, NULL, &alone);
    unlink(out);
    assert_int_equal(cpb_file_merge(in, out, &options, &error), code);
    assert_string_equal(error.message, alone.message);
    assert_int_equal(error.offset, alone.offset);
    assert_int_equal(unlink(out) == 0, code == CPB_OK);
  }
  free_sample(&s);
}

static int cancel(void *user, uint64_t done, uint64_t total) {
  atomic_int *reports = user;
  assert_true(done <= total);
  return atomic_fetch_add(reports, 1) >= 0;
}

static void a_merge_by_threads_can_be_cancelled(void **state) {
  (void)state;
  sample s;
  make_sample(&s, 3);
  cpb_error error;
  atomic_int reports = 0;
  const cpb_file_options options = {.struct_size = sizeof options, .threads = 4, .progress = cancel, .user = &reports};
  assert_int_equal(cpb_file_merge(in, out, &options, &error), CPB_E_CANCELLED);
  assert_int_equal(error.code, CPB_E_CANCELLED);
  assert_int_equal(reports, 1);
  assert_int_not_equal(access(out, F_OK), 0);
  free_sample(&s);
}

/* Once: one thread, alone, may find enough. From then on: it does not. */
static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  sample s;
  make_sample(&s, 13);
  for (int for_ever = 0; for_ever < 2; for_ever++) {
    for (size_t n = 1, done = 0; !done; n += sanitized_stride(3)) {
      failing_allocator c = {.fail_at = n, .for_ever = for_ever != 0};
      const cpb_allocator a = failing_allocator_of(&c);
      const cpb_file_options options = {.struct_size = sizeof options, .allocator = &a, .threads = 3};
      cpb_error error;
      cpb_code code = cpb_file_merge(in, out, &options, &error);
      assert_true(code == CPB_OK || code == CPB_E_MEMORY);
      assert_int_equal(error.code, code);
      assert_int_equal(c.blocks, 0);
      if (code == CPB_OK) expect_output(&s.whole);
      else assert_int_not_equal(access(out, F_OK), 0);
      done = c.calls < n;
    }
  }
  free_sample(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_of_one_plan_read_its_parts),
      cmocka_unit_test(a_large_chunk_is_not_cut_apart_and_a_small_one_is),
      cmocka_unit_test(every_failing_allocation_of_a_fork_or_cut_is_clean),
      cmocka_unit_test(any_number_of_threads_makes_the_same_message),
      cmocka_unit_test(an_error_is_the_same_with_any_number_of_threads),
      cmocka_unit_test(a_merge_by_threads_can_be_cancelled),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
