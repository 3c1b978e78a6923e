#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/bytes.h"
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
