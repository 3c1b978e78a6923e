/* The host fails at the n-th need, or has no more bytes from there on, for every
 * n: its own error, or one about the input; no leak, nothing made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stride.h"
#include "sweep.h"

static void *allocate(void *user, size_t size) {
  ++*(size_t *)user;
  return malloc(size);
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  return realloc(block, new_size);
}

static void release(void *user, void *block) {
  --*(size_t *)user;
  free(block);
}

static outcome run(const operation *op, host h) {
  size_t live = 0;
  const cpb_allocator allocator = {&live, allocate, resize, release};
  outcome out;
  h.allocator = &allocator;
  outcome_init(&out);
  op->run(&h, &out);
  if (live != 0) fail_msg("%s leaks %zu blocks when need %zu is not met", op->name, live, h.fail_at + h.end_at);
  return out;
}

/* An engine has read what it says before the failure. */
static void fails_at_each_need(const operation *op, host h, const outcome *good, size_t needs, size_t step) {
  for (h.fail_at = 1; h.fail_at <= needs; h.fail_at += step) {
    size_t n = 0;
    h.needs = &n;
    outcome out = run(op, h);
    if (out.error.code != CPB_E_READ || strcmp(out.error.message, "the host gives up") != 0)
      fail_msg("%s, need %zu: %s", op->name, h.fail_at, out.error.message);
    assert_true(outcome_begins(&out, good));
    outcome_free(&out);
  }
}

/* What a shorter input is: damaged, or for records, which follow one another, a
 * shorter file. */
static void ends_at_each_need(const operation *op, host h, const outcome *good, size_t needs, size_t step) {
  int may_be_whole = op->traits & OP_SHORTER_IS_WHOLE;
  for (h.end_at = 1; h.end_at <= needs; h.end_at += step) {
    size_t n = 0;
    h.needs = &n;
    outcome out = run(op, h);
    switch (out.error.code) {
      case CPB_OK: assert_true(may_be_whole ? outcome_begins(&out, good) : outcome_equal(&out, good)); break;
      case CPB_E_TRUNCATED:
      case CPB_E_DAMAGED:
      case CPB_E_FORMAT: assert_true(outcome_begins(&out, good)); break;
      default: fail_msg("%s, need %zu: %s", op->name, h.end_at, out.error.message);
    }
    outcome_free(&out);
  }
}

static void unmet(const target *t) {
  const size_t pieces[] = {0, 100, 7};
  for (size_t i = 0; i < 2 * COUNT(pieces); i++) {
    size_t needs = 0;
    host h = {.data = t->data, .size = t->size, .max_piece = pieces[i / 2], .grow = i % 2, .needs = &needs};
    outcome good = run(t->op, h);
    assert_int_equal(good.error.code, CPB_OK);
    assert_true(needs > 0);
    size_t step = (needs / 100 + 1) * sanitized_stride(5);
    fails_at_each_need(t->op, h, &good, needs, step);
    if (!(t->op->traits & OP_RECOVERS)) ends_at_each_need(t->op, h, &good, needs, step);
    outcome_free(&good);
  }
}

int main(int argc, char **argv) { return sweep(argc, argv, unmet, 0, OP_GIVEN_ALL | OP_LARGE | OP_QUESTION); }
