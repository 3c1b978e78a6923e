#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"

static void error_keeps_the_first(void **state) {
  (void)state;
  cpb_error error = {0};
  cpb_fail(&error, CPB_E_DAMAGED, 7, "chunk %llu, hash %016llx", 3ull, 0xabcull);
  cpb_fail(&error, CPB_E_LIMIT, 9, "later");
  assert_int_equal(error.code, CPB_E_DAMAGED);
  assert_int_equal(error.offset, 7);
  assert_string_equal(error.message, "chunk 3, hash 0000000000000abc");
}

static void each_code_has_a_name_and_a_text(void **state) {
  (void)state;
  for (int a = 0; a <= CPB_E_CANCELLED; a++) {
    assert_string_not_equal(cpb_code_name((cpb_code)a), "UNKNOWN");
    for (int b = 0; b < a; b++) {
      assert_string_not_equal(cpb_code_name((cpb_code)a), cpb_code_name((cpb_code)b));
      assert_string_not_equal(cpb_code_text((cpb_code)a), cpb_code_text((cpb_code)b));
    }
  }
  assert_string_equal(cpb_code_name((cpb_code)99), "UNKNOWN");
  assert_string_equal(cpb_code_text((cpb_code)99), "unknown error code");
  assert_string_equal(cpb_version(), CPB_VERSION_STRING);
}

static void text_is_formatted_as_by_printf(void **state) {
  (void)state;
  char ours[64], theirs[64];
#define SAME(...)                                                      \
  do {                                                                 \
    size_t n = cpb_format(ours, sizeof ours, __VA_ARGS__);             \
    assert_int_equal(n, snprintf(theirs, sizeof theirs, __VA_ARGS__)); \
    assert_string_equal(ours, theirs);                                 \
  } while (0)
  SAME("%d %d %4d", 0, -2147483647 - 1, 17);
  SAME("%u %llu %zu %x %04x %llx", 7u, 1ull << 63, sizeof ours, 0xbeefu, 0xau, ~0ull);
  SAME("%s|%5s|%c|%%|", "a", "bc", 'd');
  ours[0] = 'x';
  assert_int_equal(cpb_format(ours, 0, "%d", 5), 0);
  assert_int_equal(ours[0], 'x');
  assert_int_equal(cpb_format(ours, 4, "%d", 12345), 3);
  assert_string_equal(ours, "123");
}

static void overflow_is_noticed(void **state) {
  (void)state;
  uint64_t wide;
  size_t size;
  assert_true(cpb_add_u64(UINT64_MAX - 1, 1, &wide) && wide == UINT64_MAX);
  assert_false(cpb_add_u64(UINT64_MAX, 1, &wide));
  assert_true(cpb_add_size(SIZE_MAX - 1, 1, &size) && size == SIZE_MAX);
  assert_false(cpb_add_size(SIZE_MAX, 1, &size));
  assert_true(cpb_mul_size(0, SIZE_MAX, &size) && size == 0);
  assert_true(cpb_mul_size(SIZE_MAX / 2, 2, &size) && size == SIZE_MAX - 1);
  assert_false(cpb_mul_size(SIZE_MAX / 2 + 1, 2, &size));
  assert_true(cpb_mul_u64(0, 3, &wide) && wide == 0);
  assert_false(cpb_mul_u64(UINT64_MAX / 2 + 1, 2, &wide));
  assert_true(cpb_to_size(7, &size) && size == 7);
  wide = 3;
  cpb_add_saturated(&wide, 4);
  assert_true(wide == 7);
  cpb_add_saturated(&wide, UINT64_MAX - 6);
  assert_true(wide == UINT64_MAX);
}

static void quote_escapes_what_a_terminal_would_act_on(void **state) {
  (void)state;
  char out[32];
  assert_string_equal(cpb_quote(out, sizeof out, "a\x1b[2J\n\\", 7), "a\\x1b[2J\\x0a\\x5c");
  assert_string_equal(cpb_quote(out, 6, "ab\n", 3), "ab");
}

static void varints_match_their_published_forms(void **state) {
  (void)state;
  const uint8_t bytes[] = {0x96, 0x01}; /* 150, from the protobuf encoding guide */
  uint64_t value = 0;
  assert_ptr_equal(cpb_varint_read(bytes, bytes + 2, &value), bytes + 2);
  assert_int_equal(value, 150);
  uint8_t out[CPB_VARINT_MAX];
  for (unsigned shift = 0; shift < 64; shift++) {
    uint64_t in = ((uint64_t)1 << shift) | 1;
    const uint8_t *end = cpb_varint_write(out, in);
    assert_int_equal((size_t)(end - out), cpb_varint_size(in));
    assert_ptr_equal(cpb_varint_read(out, end, &value), end);
    assert_true(value == in);
    assert_null(cpb_varint_read(out, end - 1, &value));
  }
  assert_null(cpb_varint_read(out, out, &value));
  const uint8_t too_big[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  assert_null(cpb_varint_read(too_big, too_big + 10, &value));
}

static void input_asks_until_it_has_all(void **state) {
  (void)state;
  cpb_input input;
  cpb_input_init(&input);
  uint8_t out[4];
  size_t have = 0;
  assert_int_equal(cpb_input_gather(&input, 10, 4, out, &have), CPB_WAIT);
  cpb_input_supply(&input, 9, "xab", 3);
  assert_int_equal(cpb_input_gather(&input, 10, 4, out, &have), CPB_WAIT);
  cpb_need need;
  cpb_input_need(&input, &need);
  assert_int_equal(need.offset, 12);
  assert_int_equal(need.length, 2);
  cpb_input_supply(&input, 12, "cdefg", 5);
  assert_int_equal(cpb_input_gather(&input, 10, 4, out, &have), CPB_HAVE);
  assert_memory_equal(out, "abcd", 4);
}

static void input_tells_missing_from_not_arrived(void **state) {
  (void)state;
  cpb_input input;
  cpb_input_init(&input);
  cpb_span span;
  assert_int_equal(cpb_input_span(&input, 5, 1, 0, &span), CPB_WAIT);
  cpb_input_end(&input, 5);
  assert_int_equal(cpb_input_span(&input, 5, 1, 0, &span), CPB_AT_END);
  cpb_input_end(&input, 6);
  assert_int_equal(cpb_input_span(&input, 5, 1, 0, &span), CPB_WAIT);
  cpb_input_fail(&input, CPB_E_READ, "disk on fire");
  assert_int_equal(cpb_input_span(&input, 5, 1, 0, &span), CPB_FAILED);
  assert_int_equal(input.failure.offset, 5);
}

static void bytes_that_do_not_help_are_an_error(void **state) {
  (void)state;
  cpb_input input;
  cpb_span span;
  const uint64_t supplied[][2] = {{5, 0}, {3, 2}, {6, 4}, {0, 0}};
  for (size_t i = 0; i < sizeof supplied / sizeof *supplied; i++) {
    cpb_input_init(&input);
    assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
    cpb_input_supply(&input, supplied[i][0], "abcd", (size_t)supplied[i][1]);
    assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_FAILED);
    assert_int_equal(input.failure.code, CPB_E_READ);
    assert_int_equal(input.failure.offset, 5);
  }
  cpb_input_init(&input);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
  cpb_input_supply(&input, 0, "abcd", 4);
  assert_int_equal(cpb_input_span(&input, 7, 2, 0, &span), CPB_WAIT); /* which was not asked for before */
  cpb_input_init(&input);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
  cpb_input_supply(&input, 5, "", 0);
  cpb_input_end(&input, 5); /* that is why */
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_AT_END);
}

static void a_size_that_was_told_is_no_answer_to_a_range(void **state) {
  (void)state;
  cpb_input input;
  cpb_span span;
  for (int supplied = 0; supplied < 2; supplied++) {
    cpb_input_init(&input);
    assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
    cpb_input_end(&input, 10);
    assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
    if (supplied) cpb_input_supply(&input, 0, "abcdefg", 7);
    cpb_input_end(&input, 10);
    assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), supplied ? CPB_HAVE : CPB_FAILED);
  }
  cpb_input_init(&input);
  cpb_input_end(&input, 10);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
  cpb_input_end(&input, 10);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_FAILED);
  assert_int_equal(input.failure.code, CPB_E_READ);
  assert_int_equal(input.failure.offset, 5);
  cpb_input_init(&input);
  cpb_input_end(&input, 10);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
  cpb_input_end(&input, 10);
  cpb_input_end(&input, 4); /* that is why */
  cpb_input_end(&input, 4);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_AT_END);
}

static void the_largest_number_is_no_size(void **state) {
  (void)state;
  cpb_input input;
  uint64_t size;
  cpb_input_init(&input);
  assert_int_equal(cpb_input_size(&input, 10, &size), CPB_WAIT);
  cpb_input_end(&input, CPB_NO_OFFSET);
  assert_int_equal(cpb_input_size(&input, 10, &size), CPB_FAILED);
  assert_int_equal(input.failure.code, CPB_E_READ);
}

static void the_host_may_cancel_whatever_is_needed(void **state) {
  (void)state;
  cpb_input input;
  cpb_input_init(&input);
  uint64_t size;
  assert_int_equal(cpb_input_size(&input, 10, &size), CPB_WAIT);
  cpb_input_fail(&input, CPB_E_CANCELLED, "enough");
  assert_int_equal(input.failure.code, CPB_E_CANCELLED);
  assert_true(input.failure.offset == CPB_NO_OFFSET);
  cpb_input_init(&input);
  cpb_input_fail(&input, CPB_E_DAMAGED, "a host does not know that");
  assert_int_equal(input.failure.code, CPB_E_READ);
}

static void the_host_says_why_a_file_cannot_be_read(void **state) {
  (void)state;
  cpb_input input;
  cpb_input_init(&input);
  cpb_input_fail(&input, CPB_E_NOT_FOUND, "moved");
  assert_int_equal(input.failure.code, CPB_E_NOT_FOUND);
  assert_int_equal(input.failure.system, ENOENT);
  assert_true(cpb_is_of_reading(&input.failure));

  cpb_input_init(&input);
  cpb_input_fail(&input, CPB_E_MEMORY, "out of memory");
  assert_int_equal(input.failure.code, CPB_E_MEMORY);

  const cpb_error busy = {.code = CPB_E_UNAVAILABLE, .status = 503, .offset = 7, .message = "busy"};
  cpb_input_init(&input);
  cpb_input_fail_with(&input, &busy);
  cpb_input_fail(&input, CPB_E_DENIED, "only the first failure counts");
  assert_int_equal(input.failure.code, CPB_E_UNAVAILABLE);
  assert_int_equal(input.failure.status, 503);
  assert_string_equal(input.failure.message, "busy");

  const cpb_error within = {.code = CPB_E_NOT_FOUND, .message = "no such field"};
  assert_false(cpb_is_of_reading(&within));
}

static const cpb_other_file weights = {"weights.bin", 11, 0};

static void bytes_of_another_file_are_not_taken_for_its_own(void **state) {
  (void)state;
  cpb_input input;
  cpb_span span;
  cpb_input_init(&input);
  cpb_input_turn(&input, 2, &weights, CPB_NO_OFFSET);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
  cpb_input_supply_other(&input, 0, 5, "no", 2);
  cpb_input_supply_other(&input, 1, 5, "no", 2);
  cpb_input_end_other(&input, 0, 1);
  cpb_input_end_other(&input, 1, 1);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
  cpb_input_supply_other(&input, 2, 5, "yes", 3);
  assert_int_equal(cpb_input_span(&input, 5, 3, 0, &span), CPB_HAVE);
  assert_memory_equal(span.data, "yes", 3);
  cpb_input_end_other(&input, 2, 8);
  assert_int_equal(cpb_input_span(&input, 8, 1, 0, &span), CPB_AT_END);

  cpb_input_turn(&input, 0, NULL, CPB_NO_OFFSET); /* and back */
  assert_true(cpb_input_known_size(&input) == CPB_NO_OFFSET);
  cpb_input_supply_other(&input, 0, 5, "no", 2);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
}

static void a_host_of_one_file_cannot_answer_for_another(void **state) {
  (void)state;
  for (int ends = 0; ends < 2; ends++) {
    cpb_input input;
    cpb_span span;
    cpb_input_init(&input);
    cpb_input_turn(&input, 1, &weights, CPB_NO_OFFSET);
    cpb_input_supply(&input, 0, "abcd", 4); /* nothing is needed yet, and it is not this file's */
    assert_int_equal(cpb_input_span(&input, 0, 2, 0, &span), CPB_WAIT);
    if (ends) cpb_input_end(&input, 4);
    else cpb_input_supply(&input, 0, "abcd", 4);
    cpb_input_supply(&input, 0, "abcd", 4);
    assert_int_equal(cpb_input_span(&input, 0, 2, 0, &span), CPB_FAILED);
    assert_int_equal(input.failure.code, CPB_E_UNSUPPORTED);
  }
}

static void a_loss_is_taken_once(void **state) {
  (void)state;
  cpb_input input;
  cpb_span span;
  cpb_range lost;
  bool whole;
  cpb_error why;
  cpb_input_init(&input);
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_WAIT);
  cpb_input_lose(&input, 3, 1, "torn");
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_FAILED);
  assert_true(cpb_input_take_loss(&input, &lost, &whole, &why));
  assert_true(lost.offset == 5 && lost.length == 3 && whole);
  assert_int_equal(why.code, CPB_E_DAMAGED);
  assert_false(cpb_input_take_loss(&input, &lost, &whole, &why));
  assert_int_equal(cpb_input_span(&input, 8, 2, 0, &span), CPB_WAIT);

  cpb_input_init(&input); /* what was not asked for cannot be lost: the input fails */
  cpb_input_lose(&input, 3, 0, "torn");
  assert_false(cpb_input_take_loss(&input, &lost, &whole, &why));
  assert_int_equal(cpb_input_span(&input, 5, 2, 0, &span), CPB_FAILED);
}

static void a_failure_without_a_code_is_one_of_reading(void **state) {
  (void)state;
  cpb_input input;
  cpb_input_init(&input);
  cpb_input_fail(&input, CPB_OK, "why not");
  assert_int_equal(input.failure.code, CPB_E_READ);
}

static void a_dictionary_is_no_range(void **state) {
  (void)state;
  cpb_input input;
  cpb_need need;
  cpb_span span;
  cpb_input_init(&input);
  cpb_input_supply(&input, 0, "abcd", 4);
  assert_int_equal(cpb_input_dictionary(&input), CPB_WAIT);
  cpb_input_need(&input, &need);
  assert_int_equal(need.kind, CPB_NEED_DICTIONARY);
  assert_true(need.length == 0);
  assert_int_equal(cpb_input_span(&input, 0, 4, 0, &span), CPB_WAIT); /* the lent bytes are gone */
}

static void older_option_structs_are_filled_up(void **state) {
  (void)state;
  cpb_limits given = {0};
  given.struct_size = offsetof(cpb_limits, chunks);
  given.window = 5;
  given.chunks = 6; /* beyond what the caller says it has */
  cpb_limits limits = cpb_limits_or_default(&given);
  assert_int_equal(limits.window, 5);
  assert_int_equal(limits.chunks, 1 << 24);
  assert_int_equal(limits.depth, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_keeps_the_first),
      cmocka_unit_test(quote_escapes_what_a_terminal_would_act_on),
      cmocka_unit_test(varints_match_their_published_forms),
      cmocka_unit_test(input_asks_until_it_has_all),
      cmocka_unit_test(input_tells_missing_from_not_arrived),
      cmocka_unit_test(older_option_structs_are_filled_up),
      cmocka_unit_test(each_code_has_a_name_and_a_text),
      cmocka_unit_test(text_is_formatted_as_by_printf),
      cmocka_unit_test(overflow_is_noticed),
      cmocka_unit_test(bytes_that_do_not_help_are_an_error),
      cmocka_unit_test(a_size_that_was_told_is_no_answer_to_a_range),
      cmocka_unit_test(the_largest_number_is_no_size),
      cmocka_unit_test(the_host_may_cancel_whatever_is_needed),
      cmocka_unit_test(the_host_says_why_a_file_cannot_be_read),
      cmocka_unit_test(bytes_of_another_file_are_not_taken_for_its_own),
      cmocka_unit_test(a_host_of_one_file_cannot_answer_for_another),
      cmocka_unit_test(a_loss_is_taken_once),
      cmocka_unit_test(a_failure_without_a_code_is_one_of_reading),
      cmocka_unit_test(a_dictionary_is_no_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
