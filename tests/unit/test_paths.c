/* Files split, repacked and merged by their paths. */
#include "split_help.h"

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

static void there_and_back_is_the_same_file(void **state) {
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
  assert_int_equal(repack(NULL, &error), CPB_E_READ); /* not there */
  assert_int_equal(cpb_file_merge(pb, back, NULL, &error), CPB_E_FORMAT);
  assert_int_equal(cpb_file_repack(pb, packed, NULL, NULL, &error), CPB_E_FORMAT);
  assert_int_equal(cpb_file_split(pb, cpb, &(cpb_split_options){.struct_size = sizeof(cpb_split_options), .type_name = "no.Such"}, NULL, &error),
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_and_back_is_the_same_file),
      cmocka_unit_test(an_existing_file_stays_unless_it_is_to_be_replaced),
      cmocka_unit_test(an_input_that_fails_leaves_no_output),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
