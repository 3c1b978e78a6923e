/* Files that are bytes in memory, or a source that the caller reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "cpb/file.h"

#define SIZE ((size_t)700 << 10) /* more than a file's buffer */

static uint8_t data[SIZE];

static int make_data(void **state) {
  (void)state;
  for (size_t i = 0; i < SIZE; i++) data[i] = (uint8_t)(i * 31 + (i >> 8) * 7);
  return 0;
}

/* A source that gives at most `step` bytes at a time and fails at `fail_at`. */
typedef struct source {
  size_t step;
  uint64_t fail_at;
  cpb_code code;
  const char *message;
  uint64_t size;
  int lies; /* 1: too many bytes; 2: none */
  int closed;
} source;

static cpb_code read_source(void *user, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  source *s = user;
  if (offset >= s->fail_at) {
    snprintf(error->message, sizeof error->message, "%s", s->message);
    return s->code;
  }
  size_t left = offset < SIZE ? (size_t)(SIZE - offset) : 0;
  if (*length > s->step) *length = s->step;
  if (*length > left) *length = left;
  memcpy(out, data + SIZE - left, *length);
  if (s->lies) *length = s->lies == 1 ? SIZE : 0;
  return CPB_OK;
}

static cpb_code size_of_source(void *user, uint64_t *size, cpb_error *error) {
  (void)error;
  const source *s = user;
  *size = s->size;
  return s->size == UINT64_MAX ? CPB_E_DAMAGED : CPB_OK;
}

static void close_source(void *user) { ((source *)user)->closed++; }

static cpb_file *open_source(source *s) {
  if (!s->step) s->step = SIZE;
  if (!s->fail_at) s->fail_at = UINT64_MAX;
  if (!s->size) s->size = SIZE;
  const cpb_source how = {
      .struct_size = sizeof how, .user = s, .read = read_source, .size = size_of_source, .close = close_source};
  return cpb_file_open_source(NULL, &how, NULL);
}

static void check_all(cpb_file *file) {
  static const uint64_t offsets[] = {0, 5, 300 << 10, 1, SIZE - 1, SIZE - 5000, SIZE, SIZE + 9};
  cpb_error error;
  uint64_t size;
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
    size_t left = offsets[i] < SIZE ? (size_t)(SIZE - offsets[i]) : 0, length = 10000;
    const uint8_t *found = cpb_file_read(file, offsets[i], &length, &error);
    assert_non_null(found);
    assert_true(left == 0 ? length == 0 : length > 0 && length <= left);
    assert_memory_equal(found, data + SIZE - left, length);
  }
  assert_int_equal(cpb_file_size(file, &size, &error), CPB_OK);
  assert_int_equal(size, SIZE);
  assert_false(cpb_file_is_pipe(file));
}

static void memory_is_lent_where_it_lies(void **state) {
  (void)state;
  cpb_file *file = cpb_file_open_memory(NULL, data, SIZE, NULL);
  check_all(file);
  cpb_input input;
  cpb_span span;
  cpb_input_init(&input);
  assert_int_equal(cpb_input_span(&input, 5, 10, 10, &span), CPB_WAIT);
  cpb_file_supply(file, &input);
  assert_int_equal(cpb_input_span(&input, 5, 10, 10, &span), CPB_HAVE);
  assert_ptr_equal(span.data, data + 5);
  cpb_file_close(file);
  size_t length = 1;
  file = cpb_file_open_memory(NULL, NULL, 0, NULL);
  assert_non_null(cpb_file_read(file, 0, &length, NULL));
  assert_int_equal(length, 0);
  cpb_file_close(file);
}

static void a_source_is_read_in_pieces_of_any_size(void **state) {
  (void)state;
  static const size_t steps[] = {SIZE, 100000, 4096, 1000, 1};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    source s = {.step = steps[i]};
    cpb_file *file = open_source(&s);
    check_all(file);
    assert_true(cpb_file_bytes_read(file) > 0);
    cpb_file_close(file);
    assert_int_equal(s.closed, 1);
  }
}

static void check_failure(source s, uint64_t offset, cpb_code code, const char *message) {
  cpb_error error;
  size_t length = 1;
  cpb_file *file = open_source(&s);
  assert_null(cpb_file_read(file, offset, &length, &error));
  assert_int_equal(error.code, code);
  assert_non_null(strstr(error.message, message));
  cpb_input input;
  cpb_span span;
  cpb_input_init(&input);
  assert_int_equal(cpb_input_span(&input, offset, 1, 1, &span), CPB_WAIT);
  cpb_file_supply(file, &input); /* and the engine is told, rather than asked again */
  assert_int_equal(cpb_input_span(&input, offset, 1, 1, &span), CPB_FAILED);
  assert_int_equal(input.failure.code, code);
  cpb_file_close(file);
}

static void a_refusal_of_the_source_is_an_error(void **state) {
  (void)state;
  check_failure((source){.fail_at = 9, .code = CPB_E_NOT_FOUND, .message = "moved"}, 9, CPB_E_READ, "moved");
  check_failure((source){.fail_at = 9, .code = CPB_E_CANCELLED, .message = "stop"}, 9, CPB_E_CANCELLED, "stop");
  check_failure((source){.fail_at = 9, .code = CPB_E_READ, .message = ""}, 9, CPB_E_READ, "reading failed");
  check_failure((source){.lies = 1}, 0, CPB_E_READ, "716800 bytes; expected at most 4096");
  check_failure((source){.lies = 2}, 7, CPB_E_READ, "no bytes, but has 716800");
  check_failure((source){.size = UINT64_MAX}, SIZE, CPB_E_READ, "reading failed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_lent_where_it_lies),
      cmocka_unit_test(a_source_is_read_in_pieces_of_any_size),
      cmocka_unit_test(a_refusal_of_the_source_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_data, NULL);
}
