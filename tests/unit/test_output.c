/* Outputs and what else there is in their folder: modes, links, and other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpb/file.h"

static char folder[] = "/tmp/cpb-output-XXXXXX";
static char path[64], other[64];
static const cpb_output_options replacing = {.struct_size = sizeof replacing, .replace = 1, .sync = 1};

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  unlink(other);
  return rmdir(folder); /* fails if anything was left */
}

static void write_file(const char *name, const char *text, mode_t mode) {
  unlink(name);
  int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  assert_int_equal(fchmod(fd, mode), 0);
  close(fd);
}

static void check_file(const char *name, const char *text) {
  char got[64] = "";
  int fd = open(name, O_RDONLY);
  assert_true(read(fd, got, sizeof got - 1) >= 0);
  close(fd);
  assert_string_equal(got, text);
}

static mode_t mode_of(const char *name) {
  struct stat found;
  assert_int_equal(lstat(name, &found), 0);
  return found.st_mode;
}

static cpb_code write_output(const char *name, const char *text, const cpb_output_options *options) {
  cpb_error error;
  cpb_output *output = cpb_output_create(NULL, name, options, &error);
  if (!output) return error.code;
  cpb_output_write(output, 0, text, strlen(text));
  cpb_code code = cpb_output_commit(output);
  cpb_output_free(output);
  return code;
}

/* --- Modes and links ---------------------------------------------------------------- */

static void a_file_keeps_the_mode_of_what_it_replaces(void **state) {
  (void)state;
  static const mode_t modes[] = {0400, 0600, 0640, 0644, 0755, 0000};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    write_file(path, "old", modes[i]);
    assert_int_equal(write_output(path, "new", &replacing), CPB_OK);
    assert_int_equal(mode_of(path) & 07777, modes[i]);
  }
}

static void a_new_file_has_the_mode_that_the_umask_says(void **state) {
  (void)state;
  static const mode_t masks[] = {0077, 0027, 0022, 0002};
  for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
    unlink(path);
    mode_t before = umask(masks[i]);
    cpb_code code = write_output(path, "new", &replacing);
    umask(before);
    assert_int_equal(code, CPB_OK);
    assert_int_equal(mode_of(path) & 07777, 0666 & ~masks[i]);
  }
}

static void a_link_is_followed(void **state) {
  (void)state;
  write_file(other, "old", 0640);
  unlink(path);
  assert_int_equal(symlink("other", path), 0);
  assert_int_equal(write_output(path, "new", NULL), CPB_E_WRITE);
  check_file(other, "old");
  assert_int_equal(write_output(path, "new", &replacing), CPB_OK);
  assert_true(S_ISLNK(mode_of(path)));
  assert_int_equal(mode_of(other), S_IFREG | 0640);
  check_file(other, "new");
}

static void a_link_to_nothing_is_followed(void **state) {
  (void)state;
  unlink(other);
  unlink(path);
  assert_int_equal(symlink(other, path), 0);
  assert_int_equal(write_output(path, "new", NULL), CPB_OK);
  assert_true(S_ISLNK(mode_of(path)));
  check_file(other, "new");
  unlink(path);
  assert_int_equal(symlink("file", path), 0); /* to itself */
  assert_int_equal(write_output(path, "new", &replacing), CPB_E_WRITE);
}

static void paths_that_cannot_be_files_are_refused(void **state) {
  (void)state;
  char name[96], error[96];
  cpb_error got;
  snprintf(name, sizeof name, "%s/", other);
  assert_null(cpb_output_create(NULL, folder, &replacing, &got));
  assert_string_equal(got.message, "Is a directory");
  unlink(other);
  assert_null(cpb_output_create(NULL, name, &replacing, &got));
  assert_string_equal(got.message, "Is a directory");
  snprintf(error, sizeof error, "%s/none/file", folder);
  assert_null(cpb_output_create(NULL, error, &replacing, &got));
  assert_string_equal(got.message, "No such file or directory");
}

/* A name of 250 characters leaves no room for the end of a temporary one. */
static void a_long_name_can_be_replaced(void **state) {
  (void)state;
  char name[300];
  int length = snprintf(name, sizeof name, "%s/", folder);
  for (int i = 0; i < 125; i++) length += snprintf(name + length, sizeof name - (size_t)length, "\xc3\xbc");
  write_file(name, "old", 0600);
  assert_int_equal(write_output(name, "new", &replacing), CPB_OK);
  check_file(name, "new");
  unlink(name);
}

/* --- Reading back --------------------------------------------------------------------- */

static void written_records_are_read_back(void **state) {
  (void)state;
  unlink(path);
  cpb_output *output = cpb_output_create(NULL, path, &replacing, NULL);
  cpb_output_write(output, 0, "abc", 3);
  cpb_file *file = cpb_output_read_back(output, NULL);
  size_t length = 10;
  assert_memory_equal(cpb_file_read(file, 1, &length, NULL), "bc", 2);
  assert_int_equal(length, 2);
  cpb_file_close(file);
  cpb_output_write(output, 3, "d", 1);
  assert_int_equal(cpb_output_commit(output), CPB_OK);
  cpb_output_free(output);
  check_file(path, "abcd");
}

/* --- Files that are added to ----------------------------------------------------------- */

static cpb_output *extend(unsigned wait, cpb_error *error) {
  const cpb_output_options options = {.struct_size = sizeof options, .wait = wait};
  return cpb_output_extend(NULL, path, &options, error);
}

static void one_at_a_time_adds_to_a_file(void **state) {
  (void)state;
  cpb_error error;
  write_file(path, "old", 0600);
  cpb_output *first = extend(0, &error);
  close(open(path, O_RDWR)); /* which would end a lock of POSIX */
  for (unsigned wait = 0; wait < 20; wait += 10) {
    assert_null(extend(wait, &error));
    assert_int_equal(error.code, CPB_E_WRITE);
    assert_string_equal(error.message, "in use by another process");
  }
  cpb_output_write(first, 3, "er", 2);
  assert_int_equal(cpb_output_commit(first), CPB_OK);
  cpb_output *second = extend(0, &error);
  assert_non_null(second);
  cpb_output_free(second);
  cpb_output_free(first);
  check_file(path, "older");
}

static void a_file_that_was_changed_is_not_written(void **state) {
  (void)state;
  write_file(path, "old", 0600);
  cpb_output *output = extend(0, NULL);
  int fd = open(path, O_WRONLY | O_APPEND);
  assert_int_equal(write(fd, "er", 2), 2);
  close(fd);
  cpb_output_write(output, 3, "est", 3);
  assert_int_equal(cpb_output_commit(output), CPB_E_WRITE);
  assert_string_equal(cpb_output_error(output)->message, "in use by another process, which has changed it meanwhile");
  cpb_output_free(output);
  check_file(path, "older"); /* nor truncated */
}

static void a_file_that_was_replaced_is_not_done(void **state) {
  (void)state;
  for (int written = 0; written < 2; written++) {
    write_file(path, "old", 0600);
    write_file(other, "another", 0600);
    cpb_output *output = extend(0, NULL);
    cpb_output_write(output, 3, "er", 2);
    if (written) assert_int_equal(cpb_output_flush(output), CPB_OK);
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(cpb_output_commit(output), CPB_E_WRITE);
    cpb_output_free(output);
    check_file(path, "another");
  }
}

static void an_abandoned_output_leaves_the_file_as_it_was(void **state) {
  (void)state;
  write_file(path, "old", 0600);
  cpb_output *output = extend(0, NULL);
  cpb_output_write(output, 3, "er", 2);
  assert_int_equal(cpb_output_flush(output), CPB_OK);
  check_file(path, "older");
  cpb_output_abandon(output);
  check_file(path, "old");
  cpb_output_free(output);
  unlink(path);
  output = cpb_output_create(NULL, path, NULL, NULL);
  cpb_output_abandon(output);
  cpb_output_free(output);
  assert_int_not_equal(access(path, F_OK), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_keeps_the_mode_of_what_it_replaces),
      cmocka_unit_test(a_new_file_has_the_mode_that_the_umask_says),
      cmocka_unit_test(a_link_is_followed),
      cmocka_unit_test(a_link_to_nothing_is_followed),
      cmocka_unit_test(paths_that_cannot_be_files_are_refused),
      cmocka_unit_test(a_long_name_can_be_replaced),
      cmocka_unit_test(written_records_are_read_back),
      cmocka_unit_test(one_at_a_time_adds_to_a_file),
      cmocka_unit_test(a_file_that_was_changed_is_not_written),
      cmocka_unit_test(a_file_that_was_replaced_is_not_done),
      cmocka_unit_test(an_abandoned_output_leaves_the_file_as_it_was),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
