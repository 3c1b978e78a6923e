/* Files that name a model: the manifest of a Core ML package, the list of a folder's checkpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "cpb/file.h"
#include "failing_allocator.h"
#include "host/open/lookup.h"

typedef bool name_of(const cpb_allocator *a, cpb_file *file, char *out, cpb_error *error);

/* The name, or NULL; without any memory shortage and with each. */
static const char *name_in(name_of *call, const char *text) {
  static char name[CPB_PACKAGE_ROOM];
  bool found = false, done = false;
  for (size_t fail_at = 1; !done; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_error error;
    cpb_error_begin(&error, NULL);
    cpb_file *file = cpb_file_open_memory(&a, text, strlen(text), &error);
    found = file && call(&a, file, name, &error);
    done = f.calls < fail_at;
    const bool is_wrong = !found && call == cpb_package_root; /* a list without a name is no error */
    assert_int_equal(error.code, !done ? CPB_E_MEMORY : is_wrong ? CPB_E_FORMAT : CPB_OK);
    assert_true(done || !found);
    assert_int_equal(f.blocks, 0);
  }
  return found ? name : NULL;
}

static void check(name_of *call, const char *text, const char *wanted) {
  const char *name = name_in(call, text);
  if (!wanted) assert_null(name);
  else assert_non_null(name);
  if (wanted) assert_string_equal(name, wanted);
}

#define LIST(value) "model_checkpoint_path: " value "\nall_model_checkpoint_paths: \"other\"\n"

static void the_latest_checkpoint_is_the_last_part_of_a_path(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {LIST("\"ckpt-3\""), "ckpt-3"},
      {"model_checkpoint_path:\t\"a\"", "a"},
      {"all_model_checkpoint_paths: \"x\"\nmodel_checkpoint_path: \"y\"", "y"},
      {LIST("\"/home/a/ckpt-3\""), "ckpt-3"},
      {LIST("\"C:\\\\models\\\\ckpt-3\""), "ckpt-3"},
      {LIST("\"model/\""), ""},
      {LIST("\"a \\\"b\\\" \\'c\\'\""), "a \"b\" 'c'"},
      {LIST("\"\xc3\xa9\""), "\xc3\xa9"},
      {LIST("\"..\""), NULL},
      {LIST("\"a/..\""), NULL},
      {LIST("\".\""), NULL},
      {LIST("\"/home/\\303\\251/\\346\\250\\241-3\""), "\xe6\xa8\xa1-3"}, /* as protobuf prints it, or printed it */
      {LIST("'a'"), "a"},
      {LIST("\"a\tb\""), NULL},
      {LIST("\"a\\000b\""), NULL},
      {LIST("\"a\\qb\""), NULL},
      {LIST("a"), NULL},
      {"model_checkpoint_path: \"a", NULL},
      {"model_checkpoint_path: \"a\\", NULL},
      {"model_checkpoint_path: ", NULL},
      {"model_checkpoint_path:", NULL},
      {"other: 1\n", NULL},
      {"", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(cpb_latest_checkpoint, cases[i][0], cases[i][1]);
}

static void a_long_name_is_none(void **state) {
  (void)state;
  char name[CPB_LATEST_ROOM + 1], text[CPB_LATEST_ROOM + 64];
  memset(name, 'n', sizeof name);
  for (size_t length = CPB_LATEST_ROOM - 2; length <= CPB_LATEST_ROOM; length++) {
    name[length] = 0;
    snprintf(text, sizeof text, "model_checkpoint_path: \"%s\"", name);
    check(cpb_latest_checkpoint, text, length < CPB_LATEST_ROOM ? name : NULL);
    name[length] = 'n';
  }
}

#define MANIFEST(path) \
  "{\"rootModelIdentifier\": \"i\", \"itemInfoEntries\": {\"h\": {\"path\": \"h\"}, \"i\": {\"path\": " path "}}}"

static void the_root_of_a_package_lies_in_its_data(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {MANIFEST("\"com.apple.CoreML/model.mlmodel\""), "Data/com.apple.CoreML/model.mlmodel"},
      {MANIFEST("\"./a//b/../m\""), "Data/a/m"},
      {MANIFEST("\"../m\""), NULL},
      {MANIFEST("\"/m\""), NULL},
      {MANIFEST("\"\""), NULL},
      {MANIFEST("3"), NULL},
      {"{\"rootModelIdentifier\": \"i\", \"itemInfoEntries\": {\"h\": {\"path\": \"h\"}}}", NULL},
      {"{\"rootModelIdentifier\": \"i\", \"itemInfoEntries\": []}", NULL},
      {"{\"rootModelIdentifier\": \"i\"}", NULL},
      {"{\"rootModelIdentifier\": 1, \"itemInfoEntries\": {}}", NULL},
      {"{}", NULL},
      {"[]", NULL},
      {"{", NULL},
      {"", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(cpb_package_root, cases[i][0], cases[i][1]);
  char name[CPB_PACKAGE_ROOM], text[2 * CPB_PACKAGE_ROOM];
  memset(name, 'n', sizeof name);
  name[CPB_PACKAGE_ROOM - 1] = 0;
  snprintf(text, sizeof text, MANIFEST("\"%s\""), name);
  check(cpb_package_root, text, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_latest_checkpoint_is_the_last_part_of_a_path),
      cmocka_unit_test(a_long_name_is_none),
      cmocka_unit_test(the_root_of_a_package_lies_in_its_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
