#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "cpb/file.h"
#include "failing_allocator.h"
#include "host/file.h"

static char folder[] = "/tmp/cpb-host-XXXXXX";
static char path[64];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

/* Byte `i` of the test data. */
static uint8_t byte_at(uint64_t i) { return (uint8_t)(i * 31 + (i >> 8) * 7); }

static uint8_t *make_data(size_t size) {
  uint8_t *data = malloc(size);
  for (size_t i = 0; i < size; i++) data[i] = byte_at(i);
  return data;
}

static void write_file(size_t size) {
  uint8_t *data = make_data(size);
  FILE *f = fopen(path, "wb");
  assert_int_equal(fwrite(data, 1, size, f), size);
  fclose(f);
  free(data);
}

/* --- Input ---------------------------------------------------------------- */

static void need_range(cpb_input *input, uint64_t offset, size_t length) {
  cpb_span span;
  cpb_input_let_go(input);
  assert_int_equal(cpb_input_span(input, offset, length, length, &span), CPB_WAIT);
}

static void check_range(cpb_file *file, cpb_input *input, uint64_t offset, size_t length) {
  cpb_span span;
  need_range(input, offset, length);
  cpb_file_supply(file, input);
  assert_int_equal(cpb_input_span(input, offset, length, length, &span), CPB_HAVE);
  assert_true(span.size > 0);
  for (size_t i = 0; i < span.size; i++) assert_int_equal(span.data[i], byte_at(offset + i));
}

static void ranges_in_any_order(void **state) {
  (void)state;
  const size_t size = 1000000;
  write_file(size);
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open(NULL, path, &error);
  assert_non_null(file);
  cpb_input input;
  cpb_input_init(&input);
  for (uint64_t i = 0, at = 0; i < 2000; i++, at = (at * 7919 + 12345) % size)
    check_range(file, &input, at, 1 + at % 70000);
  cpb_file_close(file);
}

static void the_end_is_said(void **state) {
  (void)state;
  write_file(100);
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open(NULL, path, &error);
  cpb_input input;
  cpb_span span;
  const uint64_t past[] = {100, 101, (uint64_t)1 << 40, UINT64_MAX - 1};
  for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
    cpb_input_init(&input);
    need_range(&input, past[i], 10);
    cpb_file_supply(file, &input);
    assert_int_equal(cpb_input_span(&input, past[i], 10, 10, &span), CPB_AT_END);
    assert_int_equal(input.size, 100);
  }
  cpb_file_close(file);
}

static void a_file_that_grows_is_read_on(void **state) {
  (void)state;
  write_file(100);
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open(NULL, path, &error);
  size_t length = 50;
  assert_non_null(cpb_file_read(file, 100, &length, &error));
  assert_int_equal(length, 0);
  write_file(200);
  length = 50;
  const uint8_t *data = cpb_file_read(file, 100, &length, &error);
  assert_int_equal(length, 50);
  assert_int_equal(data[0], byte_at(100));
  cpb_file_close(file);
}

/* A pipe holds 64 KiB, so this must not be more. */
#define PIPE_SIZE 50000

static int open_pipe(void) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  uint8_t *data = make_data(PIPE_SIZE);
  assert_int_equal(write(ends[1], data, PIPE_SIZE), PIPE_SIZE);
  close(ends[1]);
  free(data);
  return ends[0];
}

static void a_shared_file_that_becomes_shorter_ends_there(void **state) {
  (void)state;
  write_file(1000000);
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open(NULL, path, &error), *shared = cpb_file_share(file);
  cpb_input input;
  cpb_span span;
  cpb_input_init(&input);
  check_range(shared, &input, 0, 10);
  assert_int_equal(truncate(path, 100), 0);
  need_range(&input, 900000, 10);
  cpb_file_supply(shared, &input);
  assert_int_equal(cpb_input_span(&input, 900000, 10, 10, &span), CPB_AT_END);
  cpb_file_close(shared);
  cpb_file_close(file);
}

static void a_spooled_pipe_is_read_at_any_offset(void **state) {
  (void)state;
  int fd = open_pipe();
  FILE *spool = tmpfile();
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open_fd(NULL, fd, dup(fileno(spool)), &error);
  fclose(spool);
  cpb_input input;
  cpb_input_init(&input);
  assert_true(cpb_file_is_pipe(file));
  check_range(file, &input, 40000, 10);
  check_range(file, &input, 3, 30000);
  check_range(file, &input, 49999, 1);
  uint64_t size;
  assert_int_equal(cpb_file_size(file, &size, &error), CPB_OK);
  assert_int_equal(size, PIPE_SIZE);
  check_range(file, &input, 0, 1);
  cpb_file_close(file);
  close(fd);
}

static void a_pipe_without_spool_goes_forward_only(void **state) {
  (void)state;
  int fd = open_pipe();
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open_fd(NULL, fd, -1, &error);
  cpb_input input;
  cpb_input_init(&input);
  for (uint64_t at = 0; at < PIPE_SIZE; at += 1000) check_range(file, &input, at, 1000);
  uint64_t size;
  assert_int_equal(cpb_file_size(file, &size, &error), CPB_OK);
  size_t length = 1;
  assert_null(cpb_file_read(file, 0, &length, &error));
  assert_int_equal(error.code, CPB_E_READ);
  cpb_file_close(file);
  close(fd);
}

static void a_file_that_cannot_be_opened_is_an_error(void **state) {
  (void)state;
  cpb_error error = {.code = CPB_OK};
  assert_null(cpb_file_open(NULL, folder, &error));
  assert_int_equal(error.code, CPB_E_READ);
  assert_int_equal(error.system, EISDIR);
  error.code = CPB_OK;
  assert_null(cpb_file_open(NULL, "/nonexistent/file", &error));
  assert_int_equal(error.code, CPB_E_NOT_FOUND);
  assert_int_equal(error.system, ENOENT);
  assert_int_equal(error.status, 0);
}

/* A descriptor without a file: every call on it fails. */
static void a_closed_descriptor_is_an_error(void **state) {
  (void)state;
  int fd = open_pipe();
  close(fd);
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open_fd(NULL, fd, -1, &error);
  uint64_t size;
  size_t length = 1;
  assert_int_equal(cpb_file_size(file, &size, &error), CPB_E_READ);
  assert_string_equal(error.message, "Bad file descriptor");
  error.code = CPB_OK;
  assert_null(cpb_file_read(file, 0, &length, &error));
  assert_int_equal(error.code, CPB_E_READ);
  cpb_input input;
  cpb_span span;
  cpb_input_init(&input);
  need_range(&input, 0, 1);
  cpb_file_supply(file, &input);
  assert_int_equal(cpb_input_span(&input, 0, 1, 1, &span), CPB_FAILED);
  assert_int_equal(input.failure.code, CPB_E_READ);
  cpb_file_close(file);
}

/* The file's descriptor is closed behind its back. */
static void a_file_that_goes_away_is_an_error(void **state) {
  (void)state;
  write_file(100);
  cpb_error error = {.code = CPB_OK};
  int fd = open(path, O_RDONLY);
  cpb_file *file = cpb_file_open_fd(NULL, fd, -1, &error);
  close(fd);
  const uint64_t offsets[] = {0, 100};
  for (size_t i = 0; i < 2; i++) {
    size_t length = 1;
    error.code = CPB_OK;
    assert_null(cpb_file_read(file, offsets[i], &length, &error));
    assert_int_equal(error.code, CPB_E_READ);
  }
  cpb_file_close(file);
}

static void a_file_that_can_seek_needs_no_spool(void **state) {
  (void)state;
  write_file(100);
  cpb_error error = {.code = CPB_OK};
  int fd = open(path, O_RDONLY), spool = dup(fd);
  cpb_file *file = cpb_file_open_fd(NULL, fd, spool, &error);
  assert_int_equal(fcntl(spool, F_GETFD), -1); /* closed */
  assert_false(cpb_file_is_pipe(file));
  cpb_file_close(file);
  assert_int_not_equal(fcntl(fd, F_GETFD), -1);
  close(fd);
}

static void nothing_is_answered_unasked(void **state) {
  (void)state;
  write_file(100);
  cpb_error error = {.code = CPB_OK};
  cpb_file *file = cpb_file_open(NULL, path, &error);
  cpb_input input;
  cpb_need need;
  cpb_input_init(&input);
  cpb_file_supply(file, &input);
  cpb_input_need(&input, &need);
  assert_int_equal(need.kind, CPB_NEED_NONE);
  assert_int_equal(cpb_file_bytes_read(file), 0);
  cpb_file_close(file);
}

/* --- Output --------------------------------------------------------------- */

static void check_file(size_t size) {
  uint8_t *wanted = make_data(size), *got = malloc(size + 1);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  assert_int_equal(fread(got, 1, size + 1, f), size);
  assert_memory_equal(got, wanted, size);
  fclose(f);
  free(got);
  free(wanted);
}

/* Pieces of many sizes, the first of them last, as patched headers come. */
static void write_pieces(cpb_output *output, size_t size) {
  uint8_t *data = make_data(size);
  uint8_t zeros[40] = {0};
  assert_int_equal(cpb_output_write(output, 0, zeros, sizeof zeros), CPB_OK);
  size_t at = sizeof zeros;
  for (size_t piece = 1; at < size; at += piece, piece = (piece * 5 + 1) % 700001) {
    if (piece > size - at) piece = size - at;
    assert_int_equal(cpb_output_write(output, at, data + at, piece), CPB_OK);
  }
  assert_int_equal(cpb_output_write(output, 0, data, sizeof zeros), CPB_OK);
  free(data);
}

static void pieces_and_patches_make_the_file(void **state) {
  (void)state;
  const size_t size = 3000000;
  unlink(path);
  cpb_error error = {.code = CPB_OK};
  cpb_output *output = cpb_output_create(NULL, path, NULL, &error);
  assert_non_null(output);
  write_pieces(output, size);
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_equal(cpb_output_commit(output), CPB_OK);
  cpb_output_free(output);
  check_file(size);
}

static void an_uncommitted_output_is_removed(void **state) {
  (void)state;
  write_file(10);
  cpb_error error = {.code = CPB_OK};
  cpb_output_options options = {.struct_size = sizeof options, .replace = 1};
  cpb_output *output = cpb_output_create(NULL, path, &options, &error);
  write_pieces(output, 100000);
  cpb_output_free(output);
  check_file(10); /* and remove_folder would fail if more were left */
}

/* Pieces behind the end of a file of `begin` bytes, the last of them first. */
static void extend_to(size_t begin, size_t size, int sync, int commit) {
  cpb_error error = {.code = CPB_OK};
  const cpb_output_options options = {.struct_size = sizeof options, .sync = sync};
  write_file(begin);
  cpb_output *output = cpb_output_extend(NULL, path, &options, &error);
  assert_non_null(output);
  uint8_t *data = make_data(size);
  assert_int_equal(cpb_output_write(output, size - 1, data + size - 1, 1), CPB_OK);
  assert_int_equal(cpb_output_sync(output), CPB_OK);
  assert_int_equal(cpb_output_write(output, begin, data + begin, size - begin), CPB_OK);
  if (commit) assert_int_equal(cpb_output_commit(output), CPB_OK);
  cpb_output_free(output);
  free(data);
}

static void a_file_is_extended_or_left_as_it_was(void **state) {
  (void)state;
  for (int sync = 0; sync < 2; sync++) {
    extend_to(1000, 700000, sync, 1);
    check_file(700000);
    extend_to(1000, 700000, sync, 0);
    check_file(1000);
    extend_to(1000, 1100, sync, 0);
    check_file(1000);
  }
  unlink(path);
  cpb_error error = {.code = CPB_OK};
  assert_null(cpb_output_extend(NULL, path, NULL, &error));
  assert_int_equal(error.code, CPB_E_WRITE);
  assert_int_not_equal(access(path, F_OK), 0);
}

static void an_existing_file_is_an_error_unless_replaced(void **state) {
  (void)state;
  write_file(10);
  cpb_error error = {.code = CPB_OK};
  assert_null(cpb_output_create(NULL, path, NULL, &error));
  assert_int_equal(error.code, CPB_E_WRITE);
  check_file(10);
}

static void a_spooled_output_reaches_the_pipe_in_order(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  FILE *spool = tmpfile();
  cpb_error error = {.code = CPB_OK};
  cpb_output *output = cpb_output_create_fd(NULL, ends[1], dup(fileno(spool)), &error);
  fclose(spool);
  write_pieces(output, PIPE_SIZE);
  assert_int_equal(cpb_output_commit(output), CPB_OK);
  cpb_output_free(output);
  close(ends[1]);
  uint8_t *wanted = make_data(PIPE_SIZE), *got = malloc(PIPE_SIZE + 1);
  size_t size = 0;
  for (ssize_t n; (n = read(ends[0], got + size, PIPE_SIZE + 1 - size)) > 0;) size += (size_t)n;
  assert_int_equal(size, PIPE_SIZE);
  assert_memory_equal(got, wanted, PIPE_SIZE);
  close(ends[0]);
  free(wanted);
  free(got);
}

static void a_failed_write_is_remembered(void **state) {
  (void)state;
  int fd = open("/dev/full", O_WRONLY);
  if (fd < 0) skip();
  cpb_error error = {.code = CPB_OK};
  cpb_output *output = cpb_output_create_fd(NULL, fd, -1, &error);
  assert_int_equal(cpb_output_write(output, 0, "x", 1), CPB_OK);
  assert_int_equal(cpb_output_flush(output), CPB_E_WRITE);
  assert_int_equal(cpb_output_write(output, 1, "x", 1), CPB_E_WRITE);
  assert_int_equal(cpb_output_commit(output), CPB_E_WRITE);
  assert_string_equal(cpb_output_error(output)->message, "No space left on device");
  cpb_output_free(output);
  close(fd);
}

static void a_directory_is_no_output(void **state) {
  (void)state;
  cpb_error error = {.code = CPB_OK};
  const cpb_output_options replace = {.struct_size = sizeof replace, .replace = 1};
  assert_null(cpb_output_create(NULL, folder, &replace, &error));
  assert_int_equal(error.code, CPB_E_WRITE);
  assert_string_equal(error.message, "Is a directory");
}

/* Offsets that no file has, and going back in a pipe. */
static void offsets_that_cannot_be_reached_are_errors(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  int null = open("/dev/null", O_WRONLY);
  const struct {
    int fd;
    uint64_t offset;
    const char *message;
  } cases[] = {{null, (uint64_t)1 << 63, "Value too large for defined data type"}, {ends[1], 7, "Illegal seek"}};
  static const uint8_t large[(size_t)1 << 20];
  for (size_t i = 0; i < 2; i++) {
    for (size_t length = 1; length <= sizeof large; length += sizeof large - 1) {
      cpb_error error = {.code = CPB_OK};
      cpb_output *output = cpb_output_create_fd(NULL, cases[i].fd, -1, &error);
      cpb_output_write(output, cases[i].offset, large, length);
      assert_int_equal(cpb_output_flush(output), CPB_E_WRITE);
      assert_string_equal(cpb_output_error(output)->message, cases[i].message);
      cpb_output_free(output);
    }
  }
  close(ends[0]);
  close(ends[1]);
  close(null);
}

/* More temporary names are taken than are tried. */
static void names_that_are_all_taken_are_an_error(void **state) {
  (void)state;
  char taken[96];
  write_file(10);
  for (unsigned i = 0; i < 1000; i++) {
    snprintf(taken, sizeof taken, "%s.tmp-%u", path, i);
    close(open(taken, O_WRONLY | O_CREAT, 0666));
  }
  cpb_error error = {.code = CPB_OK};
  const cpb_output_options options = {.struct_size = sizeof options, .replace = 1};
  cpb_output *output = cpb_output_create(NULL, path, &options, &error);
  if (output) { /* it needs a name only to replace the file */
    cpb_output_commit(output);
    error = *cpb_output_error(output);
    cpb_output_free(output);
  }
  assert_int_equal(error.code, CPB_E_WRITE);
  assert_string_equal(error.message, "File exists");
  check_file(10);
  for (unsigned i = 0; i < 1000; i++) {
    snprintf(taken, sizeof taken, "%s.tmp-%u", path, i);
    assert_int_equal(unlink(taken), 0);
  }
}

static void an_empty_write_changes_nothing(void **state) {
  (void)state;
  unlink(path);
  cpb_error error = {.code = CPB_OK};
  cpb_output *output = cpb_output_create(NULL, path, NULL, &error);
  write_pieces(output, 1000);
  assert_int_equal(cpb_output_write(output, 5000, NULL, 0), CPB_OK);
  assert_int_equal(cpb_output_commit(output), CPB_OK);
  cpb_output_free(output);
  check_file(1000);
}

/* --- Memory --------------------------------------------------------------- */

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  write_file(10);
  for (size_t n = 1; n < 10; n++) {
    failing_allocator failing = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&failing);
    cpb_error error = {.code = CPB_OK};
    cpb_file *file = cpb_file_open(&a, path, &error);
    if (!file) assert_int_equal(error.code, CPB_E_MEMORY);
    cpb_output_options options = {.struct_size = sizeof options, .replace = 1};
    error.code = CPB_OK;
    cpb_output *output = cpb_output_create(&a, path, &options, &error);
    if (!output) assert_int_equal(error.code, CPB_E_MEMORY);
    cpb_output_free(output);
    cpb_file_close(file);
    assert_int_equal(failing.blocks, 0);
  }
  check_file(10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_in_any_order),
      cmocka_unit_test(the_end_is_said),
      cmocka_unit_test(a_file_that_grows_is_read_on),
      cmocka_unit_test(a_shared_file_that_becomes_shorter_ends_there),
      cmocka_unit_test(a_spooled_pipe_is_read_at_any_offset),
      cmocka_unit_test(a_pipe_without_spool_goes_forward_only),
      cmocka_unit_test(a_file_that_cannot_be_opened_is_an_error),
      cmocka_unit_test(a_closed_descriptor_is_an_error),
      cmocka_unit_test(a_file_that_goes_away_is_an_error),
      cmocka_unit_test(a_file_that_can_seek_needs_no_spool),
      cmocka_unit_test(nothing_is_answered_unasked),
      cmocka_unit_test(pieces_and_patches_make_the_file),
      cmocka_unit_test(an_uncommitted_output_is_removed),
      cmocka_unit_test(a_file_is_extended_or_left_as_it_was),
      cmocka_unit_test(an_existing_file_is_an_error_unless_replaced),
      cmocka_unit_test(a_spooled_output_reaches_the_pipe_in_order),
      cmocka_unit_test(a_failed_write_is_remembered),
      cmocka_unit_test(a_directory_is_no_output),
      cmocka_unit_test(offsets_that_cannot_be_reached_are_errors),
      cmocka_unit_test(names_that_are_all_taken_are_an_error),
      cmocka_unit_test(an_empty_write_changes_nothing),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
