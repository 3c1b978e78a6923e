/* What a file is that is no model, by its ends. tests/model/test_foreign.py has a case for each row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpb/model.h"

enum { ROOM = 256, ZIP_END = 22 };

static cpb_file_ends ends_of(const void *data, size_t size) {
  return (cpb_file_ends){.struct_size = sizeof(cpb_file_ends), .begin = data, .begin_size = size, .size = size};
}

static const char lfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1234\n";

static void a_sentence_and_a_name(void **state) {
  char out[ROOM];
  (void)state;
  cpb_file_ends ends = ends_of(lfs, sizeof lfs - 1);
  assert_string_equal(cpb_foreign_describe(&ends, out, sizeof out), "git_lfs");
  assert_string_equal(out, "a Git LFS pointer to a file of 1234 bytes; fetch the file itself with \"git lfs pull\"");
  ends = ends_of("\x01\x02\xff", 3);
  assert_null(cpb_foreign_describe(&ends, out, sizeof out));
  assert_memory_equal(out, "not a known kind of model; expected one of SavedModel, ", 55);
  ends = ends_of("", 0);
  assert_string_equal(cpb_foreign_describe(&ends, out, sizeof out), "empty");
}

static void a_sentence_is_cut_to_its_room(void **state) {
  (void)state;
  const cpb_file_ends ends = ends_of(lfs, sizeof lfs - 1);
  for (size_t size = 0; size < 100; size++) {
    char out[ROOM];
    memset(out, '!', sizeof out);
    cpb_foreign_describe(&ends, out, size);
    assert_int_equal(out[size], '!');
    if (size > 0) assert_true(strlen(out) < size);
  }
}

/* The last bytes alone: those of a table of LevelDB's. */
static void an_end_tells(void **state) {
  static const uint8_t end[48] = {[40] = 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};
  uint8_t begin[CPB_BEGIN_BYTES];
  char out[ROOM];
  (void)state;
  memset(begin, 0xfe, sizeof begin);
  cpb_file_ends ends = ends_of(begin, sizeof begin);
  ends.size = 1 << 20;
  assert_null(cpb_foreign_describe(&ends, out, sizeof out));
  assert_int_equal(cpb_model_guess(&ends), 0);
  ends.end = end;
  ends.end_size = sizeof end;
  assert_int_equal(cpb_model_guess(&ends), CPB_MODEL_CHECKPOINT);
}

/* End records, each of which says that there is a directory, and of which none is one. */
static void an_archive_that_lies(void **state) {
  static const uint8_t record[ZIP_END] = {'P', 'K', 5, 6, [8] = 0xff, [9] = 0xff, [10] = 0xff, [11] = 0xff};
  uint8_t *file = malloc(CPB_END_BYTES);
  char out[ROOM];
  (void)state;
  assert_non_null(file);
  for (size_t at = 0; at < CPB_END_BYTES; at++) file[at] = record[at % ZIP_END];
  memcpy(file, "PK\3\4", 4);
  const cpb_file_ends ends = ends_of(file, CPB_END_BYTES);
  assert_int_equal(cpb_model_guess(&ends), 0);
  assert_string_equal(cpb_foreign_describe(&ends, out, sizeof out), "zip");
  for (size_t size = 0; size < 200; size++) {
    const cpb_file_ends cut = ends_of(file + CPB_END_BYTES - size, size);
    cpb_model_guess(&cut);
    cpb_foreign_describe(&cut, out, sizeof out);
  }
  free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sentence_and_a_name),
      cmocka_unit_test(a_sentence_is_cut_to_its_room),
      cmocka_unit_test(an_end_tells),
      cmocka_unit_test(an_archive_that_lies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
