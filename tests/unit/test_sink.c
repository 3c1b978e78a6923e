/* Outputs whose bytes the caller passes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "cpb/file.h"

#define SIZE ((size_t)700 << 10) /* more than an output's buffer */

static uint8_t data[SIZE], taken[SIZE];

static int make_data(void **state) {
  (void)state;
  for (size_t i = 0; i < SIZE; i++) data[i] = (uint8_t)(i * 31 + (i >> 8) * 7);
  return 0;
}

/* A sink that refuses what ends past `full`. */
typedef struct sink {
  uint64_t full;
  cpb_code code;
  const char *message;
  unsigned calls;
} sink;

static cpb_code take(void *user, uint64_t offset, const void *bytes, size_t length, cpb_error *error) {
  sink *s = user;
  assert_true(length > 0 && offset <= SIZE && length <= SIZE - offset);
  s->calls++;
  if (offset + length > s->full) {
    snprintf(error->message, sizeof error->message, "%s", s->message);
    return s->code;
  }
  memcpy(taken + offset, bytes, length);
  return CPB_OK;
}

static cpb_output *create(sink *s) {
  const cpb_sink how = {.struct_size = sizeof how, .user = s, .write = take};
  memset(taken, 0, SIZE);
  cpb_output *output = cpb_output_create_sink(NULL, &how, NULL);
  assert_non_null(output);
  return output;
}

static void all_is_there_at_the_commit(void **state) {
  (void)state;
  static const size_t pieces[] = {1, 1000, 256 << 10, 300 << 10, SIZE};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    sink s = {.full = SIZE};
    cpb_output *output = create(&s);
    for (size_t at = 0; at < SIZE; at += pieces[i]) {
      size_t n = pieces[i] < SIZE - at ? pieces[i] : SIZE - at;
      assert_int_equal(cpb_output_write(output, at, data + at, n), CPB_OK);
    }
    assert_int_equal(cpb_output_commit(output), CPB_OK);
    cpb_output_free(output);
    assert_memory_equal(taken, data, SIZE);
    assert_true(s.calls <= 4);
  }
}

static void any_offset(void **state) {
  (void)state;
  sink s = {.full = SIZE};
  cpb_output *output = create(&s);
  cpb_output_write(output, 500, data + 500, SIZE - 500);
  cpb_output_write(output, 0, data, 500);
  assert_int_equal(cpb_output_flush(output), CPB_OK);
  assert_memory_equal(taken, data, SIZE);
  cpb_error error;
  assert_null(cpb_output_read_back(output, &error));
  assert_int_equal(error.code, CPB_E_READ);
  assert_non_null(strstr(error.message, "cannot be read back"));
  cpb_output_free(output); /* without a commit what was passed on stays */
  assert_memory_equal(taken, data, SIZE);
}

/* Also of a transfer, which ends with it; nothing is passed on afterwards. */
static void check_refusal(sink s, cpb_code code, const char *message) {
  cpb_error error;
  cpb_output *output = create(&s);
  cpb_file *in = cpb_file_open_memory(NULL, data, SIZE, NULL);
  assert_int_equal(cpb_transfer_copy(in, output, NULL, &error), code);
  unsigned calls = s.calls;
  assert_non_null(strstr(error.message, message));
  assert_int_equal(error.offset, CPB_NO_OFFSET);
  assert_int_equal(cpb_output_write(output, SIZE, data, 1), code);
  assert_int_equal(cpb_output_commit(output), code);
  assert_int_equal(s.calls, calls);
  cpb_file_close(in);
  cpb_output_free(output);
}

static void a_refusal_of_the_sink_is_an_error(void **state) {
  (void)state;
  check_refusal((sink){.full = 300 << 10, .code = CPB_E_NOT_FOUND, .message = "full"}, CPB_E_WRITE, "full");
  check_refusal((sink){.full = 300 << 10, .code = CPB_E_CANCELLED, .message = "stop"}, CPB_E_CANCELLED, "stop");
  check_refusal((sink){.code = CPB_E_READ, .message = ""}, CPB_E_WRITE, "writing failed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_is_there_at_the_commit),
      cmocka_unit_test(any_offset),
      cmocka_unit_test(a_refusal_of_the_sink_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_data, NULL);
}
