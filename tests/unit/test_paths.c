/* Files split, repacked and merged by their paths. */
#include "split_help.h"

#include <fcntl.h>
#include <unistd.h>

#include "cpb/file.h"
#include "failing_allocator.h"

static char folder[] = "/tmp/cpb-paths-XXXXXX";
static char pb[64], cpb[64], packed[64], back[64];

/* A GraphDef of three nodes, each with a large name. */
static bytes graph(void) {
  bytes g = {NULL, 0};
  for (uint32_t i = 0; i < 3; i++) {
    bytes node = {NULL, 0}, name = noise(5000, i);
    for (size_t k = 0; k < name.size; k++) name.data[k] = (uint8_t)('a' + name.data[k] % 26);
    put_bytes(&node, 1, name.data, name.size);
    free(name.data);
    put_message(&g, 1, node);
  }
  return g;
}

static void write_whole(const char *path, bytes b) {
  FILE *f = fopen(path, "wb");
  assert_int_equal(fwrite(b.data, 1, b.size, f), b.size);
  fclose(f);
}

static bytes read_whole(const char *path) {
  bytes b = {malloc(100000), 0};
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  b.size = fread(b.data, 1, 100000, f);
  fclose(f);
  return b;
}

static void clear(void) {
  unlink(cpb);
  unlink(packed);
  unlink(back);
}

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(pb, sizeof pb, "%s/a.pb", folder);
  snprintf(cpb, sizeof cpb, "%s/a.cpb", folder);
  snprintf(packed, sizeof packed, "%s/b.cpb", folder);
  snprintf(back, sizeof back, "%s/b.pb", folder);
  bytes g = graph();
  write_whole(pb, g);
  free(g.data);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  clear();
  unlink(pb);
  return rmdir(folder); /* fails if anything was left behind */
}

static cpb_code split(const cpb_file_options *options, cpb_error *error) {
  const cpb_split_options how = {.struct_size = sizeof how, .type_name = "tensorflow.GraphDef", .max_chunk_size = 6000};
  return cpb_file_split(pb, cpb, &how, options, error);
}

/* Against the file that `split` has written: all but the first chunk is there. */
static void split_against_a_base(void **state) {
  (void)state;
  const cpb_file_options plain = {.struct_size = sizeof plain}, against = {.struct_size = sizeof against, .base = cpb};
  const cpb_split_options how = {.struct_size = sizeof how, .type_name = "tensorflow.GraphDef", .max_chunk_size = 6000};
  cpb_error error;
  assert_int_equal(split(&plain, &error), CPB_OK);
  assert_int_equal(cpb_file_split(pb, packed, &how, &against, &error), CPB_OK);
  assert_int_equal(cpb_file_merge(packed, back, &plain, &error), CPB_OK);
  bytes original = read_whole(pb), alone = read_whole(cpb), small = read_whole(packed), merged_again = read_whole(back);
  assert_true(small.size < alone.size - 9000);
  assert_int_equal(merged_again.size, original.size);
  assert_memory_equal(merged_again.data, original.data, original.size);
  free(original.data), free(alone.data), free(small.data), free(merged_again.data);
  clear();
}

static void errors_of_a_base_say_so(void **state) {
  (void)state;
  const struct {
    const char *base;
    cpb_code code;
    const char *message;
  } cases[] = {
      {"/no/base.cpb", CPB_E_NOT_FOUND, "base: No such file or directory"},
      {pb, CPB_E_FORMAT, "base: "},
      {CPB_TEST_DATA "/cpb/real_frozen_conv/max1000_none.cpb", CPB_E_USAGE, "base: the base is not in the output's"},
      {"https://127.0.0.1:1/base.cpb", CPB_E_USAGE, "base: the base is a URL"},
  };
  clear();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cpb_file_options against = {.struct_size = sizeof against, .base = cases[i].base};
    cpb_error error;
    assert_int_equal(split(&against, &error), cases[i].code);
    assert_memory_equal(error.message, cases[i].message, strlen(cases[i].message));
    assert_int_equal(access(cpb, F_OK), -1);
  }
}

static cpb_code repack(const cpb_file_options *options, cpb_error *error) {
  const cpb_repack_options how = {.struct_size = sizeof how, .layout = CPB_LAYOUT_COMPAT};
  return cpb_file_repack(cpb, packed, &how, options, error);
}

static cpb_code merge(const cpb_file_options *options, cpb_error *error) {
  return cpb_file_merge(packed, back, options, error);
}

typedef cpb_code transfer(const cpb_file_options *options, cpb_error *error);
static transfer *const transfers[] = {split, repack, merge};
static const char *const outputs[] = {cpb, packed, back};

static void a_round_trip_gives_the_same_file(void **state) {
  (void)state;
  cpb_error error;
  clear();
  for (int i = 0; i < 3; i++)
    if (transfers[i](NULL, &error) != CPB_OK) fail_msg("%d: %s", i, error.message);
  bytes before = read_whole(pb), after = read_whole(back), one = read_whole(cpb), other = read_whole(packed);
  assert_int_equal(before.size, after.size);
  assert_memory_equal(before.data, after.data, before.size);
  assert_true(one.size != other.size || memcmp(one.data, other.data, one.size) != 0);
  free(before.data);
  free(after.data);
  free(one.data);
  free(other.data);
}

static void an_existing_file_stays_unless_it_is_to_be_replaced(void **state) {
  (void)state;
  cpb_error error;
  const cpb_file_options replace = {.struct_size = sizeof replace, .replace = 1, .sync = 1};
  clear();
  for (int i = 0; i < 3; i++) {
    assert_int_equal(transfers[i](NULL, &error), CPB_OK);
    assert_int_equal(transfers[i](NULL, &error), CPB_E_WRITE);
    assert_int_equal(transfers[i](&replace, &error), CPB_OK);
  }
}

static void an_input_that_fails_leaves_no_output(void **state) {
  (void)state;
  cpb_error error;
  clear();
  assert_int_equal(repack(NULL, &error), CPB_E_NOT_FOUND);
  assert_int_equal(cpb_file_merge(pb, back, NULL, &error), CPB_E_FORMAT);
  assert_int_equal(cpb_file_repack(pb, packed, NULL, NULL, &error), CPB_E_FORMAT);
  assert_int_equal(
      cpb_file_split(pb, cpb, &(cpb_split_options){.struct_size = sizeof(cpb_split_options), .type_name = "no.Such"},
                     NULL, &error),
      CPB_E_USAGE);
  for (int i = 0; i < 3; i++) assert_int_not_equal(access(outputs[i], F_OK), 0);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  clear();
  for (int i = 0; i < 3; i++) {
    for (size_t n = 1, done = 0; !done; n++) {
      failing_allocator failing = {.fail_at = n, .for_ever = true};
      const cpb_allocator a = failing_allocator_of(&failing);
      const cpb_file_options options = {.struct_size = sizeof options, .allocator = &a};
      cpb_error error;
      cpb_code code = transfers[i](&options, &error);
      done = code == CPB_OK;
      assert_true(done || code == CPB_E_MEMORY);
      assert_int_equal(code, error.code);
      assert_int_equal(access(outputs[i], F_OK) == 0, done);
      assert_int_equal(failing.blocks, 0);
    }
  }
}

static void every_failing_allocation_against_a_base(void **state) {
  (void)state;
  const cpb_split_options how = {.struct_size = sizeof how, .type_name = "tensorflow.GraphDef", .max_chunk_size = 6000};
  cpb_error error;
  clear();
  assert_int_equal(split(NULL, &error), CPB_OK);
  for (size_t n = 1, done = 0; !done; n++) {
    failing_allocator failing = {.fail_at = n, .for_ever = true};
    const cpb_allocator a = failing_allocator_of(&failing);
    const cpb_file_options options = {.struct_size = sizeof options, .allocator = &a, .base = cpb};
    cpb_code code = cpb_file_split(pb, packed, &how, &options, &error);
    done = code == CPB_OK;
    assert_true(done || code == CPB_E_MEMORY);
    assert_int_equal(access(packed, F_OK) == 0, done);
    assert_int_equal(failing.blocks, 0);
  }
}

/* Calls of progress until the one that cancels. */
static int count_down(void *user, uint64_t done, uint64_t total) {
  int *left = user;
  assert_true(total == 0 || done <= total);
  return (*left)-- == 0;
}

static void each_can_be_cancelled_at_every_report(void **state) {
  (void)state;
  clear();
  for (int i = 0; i < 3; i++) {
    bool done = false;
    for (int reports = 0; !done; reports++) {
      int left = reports;
      const cpb_file_options options = {.struct_size = sizeof options, .progress = count_down, .user = &left};
      cpb_error error;
      cpb_code code = transfers[i](&options, &error);
      done = code == CPB_OK;
      assert_true(done ? reports > 0 : code == CPB_E_CANCELLED);
      assert_int_equal(error.code, code);
      assert_int_equal(access(outputs[i], F_OK) == 0, done);
    }
  }
}

/* --- Between files that are open ---------------------------------------------------- */

typedef cpb_code open_transfer(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error);

static cpb_code split_open(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error) {
  const cpb_split_options how = {.struct_size = sizeof how, .type_name = "tensorflow.GraphDef", .seekable = 1};
  cpb_split *engine = cpb_split_new(NULL, &how);
  cpb_code code = cpb_transfer_split(in, out, engine, options, error);
  cpb_split_free(engine);
  return code;
}

static cpb_code repack_open(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error) {
  cpb_repack *engine = cpb_repack_new(NULL, NULL);
  cpb_code code = cpb_transfer_repack(in, out, engine, options, error);
  cpb_repack_free(engine);
  return code;
}

static cpb_code merge_open(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error) {
  cpb_index *index = cpb_index_new(NULL, NULL);
  while (cpb_index_step(index) == CPB_STEP_NEED) cpb_file_supply(in, cpb_index_input(index));
  cpb_code code = cpb_index_error(index)->code;
  if (code == CPB_OK) code = cpb_transfer_merge(in, index, out, options, error);
  cpb_index_free(index);
  return code;
}

static const struct {
  open_transfer *run;
  const char *in;
} opened[] = {{split_open, pb}, {repack_open, cpb}, {merge_open, cpb}, {cpb_transfer_copy, pb}};
#define NUM_OPENED (sizeof opened / sizeof *opened)

static void make_inputs(void) {
  cpb_error error;
  clear();
  assert_int_equal(split(NULL, &error), CPB_OK);
}

static cpb_output *open_back(cpb_error *error) {
  const cpb_output_options replace = {.struct_size = sizeof replace, .replace = 1};
  return cpb_output_create(NULL, back, &replace, error);
}

/* An output that has failed takes nothing more, and its error is the transfer's. */
static void a_failed_output_ends_a_transfer(void **state) {
  (void)state;
  make_inputs();
  for (size_t i = 0; i < NUM_OPENED; i++) {
    cpb_error error = {.offset = CPB_NO_OFFSET};
    cpb_file *in = cpb_file_open(NULL, opened[i].in, &error);
    int full = open("/dev/full", O_WRONLY);
    cpb_output *out = cpb_output_create_fd(NULL, full, -1, &error);
    assert_int_equal(cpb_output_write(out, 0, "x", 1), CPB_OK);
    assert_int_equal(cpb_output_flush(out), CPB_E_WRITE);
    assert_int_equal(opened[i].run(in, out, NULL, &error), CPB_E_WRITE);
    assert_string_equal(error.message, "No space left on device");
    cpb_output_free(out);
    cpb_file_close(in);
    close(full);
  }
}

static void an_open_transfer_can_be_cancelled(void **state) {
  (void)state;
  make_inputs();
  for (size_t i = 0; i < NUM_OPENED; i++) {
    int left = 0;
    const cpb_file_options options = {.struct_size = sizeof options, .progress = count_down, .user = &left};
    cpb_error error = {.offset = CPB_NO_OFFSET};
    cpb_file *in = cpb_file_open(NULL, opened[i].in, &error);
    cpb_output *out = open_back(&error);
    assert_int_equal(opened[i].run(in, out, &options, &error), CPB_E_CANCELLED);
    assert_int_equal(error.code, CPB_E_CANCELLED);
    cpb_output_free(out);
    cpb_file_close(in);
    assert_int_not_equal(access(back, F_OK), 0);
  }
}

/* A directory's descriptor can be had, but not read. */
static void an_input_that_cannot_be_read_ends_a_transfer(void **state) {
  (void)state;
  clear();
  for (size_t i = 0; i < NUM_OPENED; i++) {
    cpb_error error = {.offset = CPB_NO_OFFSET};
    int fd = open(folder, O_RDONLY);
    cpb_file *in = cpb_file_open_fd(NULL, fd, -1, &error);
    cpb_output *out = open_back(&error);
    assert_int_equal(opened[i].run(in, out, NULL, &error), CPB_E_READ);
    cpb_output_free(out);
    cpb_file_close(in);
    close(fd);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(split_against_a_base),
      cmocka_unit_test(every_failing_allocation_against_a_base),
      cmocka_unit_test(errors_of_a_base_say_so),
      cmocka_unit_test(a_round_trip_gives_the_same_file),
      cmocka_unit_test(an_existing_file_stays_unless_it_is_to_be_replaced),
      cmocka_unit_test(an_input_that_fails_leaves_no_output),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(each_can_be_cancelled_at_every_report),
      cmocka_unit_test(a_failed_output_ends_a_transfer),
      cmocka_unit_test(an_open_transfer_can_be_cancelled),
      cmocka_unit_test(an_input_that_cannot_be_read_ends_a_transfer),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
