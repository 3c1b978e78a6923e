#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/budget.h"
#include "base/column.h"
#include "failing_allocator.h"

enum { MOST = 400 };

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return *state >> 11;
}

static void expect_column(const cpb_column *c, const uint64_t *expected) {
  for (size_t i = 0; i < MOST + 10; i++) assert_true(cpb_column_get(c, i) == (i < MOST ? expected[i] : 0));
}

/* Against an array: numbers of all widths, in and out of order, also over one another. */
static void a_column_has_what_was_put_into_it(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (uint64_t run = 0; run < 300; run++) {
    cpb_column c = {.count = 0}, copy;
    uint64_t expected[MOST] = {0}, random = run;
    for (size_t k = 0; k < MOST; k++) {
      size_t i = run % 3 ? k : (size_t)next_random(&random) % MOST;
      unsigned bits = (unsigned)(next_random(&random) % (1 + run % 65));
      expected[i] = bits == 0 ? 0 : (next_random(&random) << 32 ^ next_random(&random)) >> (64 - bits);
      assert_true(cpb_column_set(&c, &a, i, expected[i]));
    }
    expect_column(&c, expected);
    assert_true(cpb_column_copy(&copy, &a, &c));
    assert_true(cpb_column_set(&c, &a, 0, ~expected[0]));
    expect_column(&copy, expected);
    cpb_column_free(&c, &a);
    cpb_column_free(&copy, &a);
  }
}

static void a_number_takes_the_bytes_of_the_largest_and_trailing_zeros_none(void **state) {
  (void)state;
  const cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_budget budget;
  cpb_budget_init(&budget, &system, SIZE_MAX);
  const cpb_allocator a = cpb_budget_allocator(&budget);
  cpb_column c = {.count = 0};
  for (size_t i = 0; i < 1000000; i++) assert_true(cpb_column_set(&c, &a, i, 0));
  assert_int_equal(budget.peak, 0);
  for (size_t i = 0; i < 1000000; i++) assert_true(cpb_column_set(&c, &a, i, i));
  assert_true(budget.used < 3000000 * 9 / 8 + 100);
  cpb_column_free(&c, &a);
  assert_int_equal(budget.used, 0);
}

static void a_number_that_finds_no_memory_changes_nothing(void **state) {
  (void)state;
  for (size_t n = 1; n < 8; n++) {
    failing_allocator f = {.fail_at = n};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_column c = {.count = 0};
    uint64_t expected[MOST] = {0};
    for (size_t i = 0; i < MOST; i++) {
      uint64_t value = UINT64_C(1) << i % 64;
      if (cpb_column_set(&c, &a, i, value)) expected[i] = value;
    }
    expect_column(&c, expected);
    cpb_column_free(&c, &a);
    assert_int_equal(f.blocks, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_column_has_what_was_put_into_it),
      cmocka_unit_test(a_number_takes_the_bytes_of_the_largest_and_trailing_zeros_none),
      cmocka_unit_test(a_number_that_finds_no_memory_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
