/* The host fails at the n-th need, or has no more bytes from there on, for every
 * n: its own error, or one about the input; no leak, nothing made up. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "operations.h"
#include "samples.h"

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

static int is_prefix(const outcome *part, const outcome *whole) {
  return part->log.size <= whole->log.size &&
         (part->log.size == 0 || memcmp(part->log.data, whole->log.data, part->log.size) == 0);
}

/* An engine has read what it says before the failure. */
static void fails_at_each_need(const operation *op, host h, const outcome *good, size_t needs, size_t step) {
  for (h.fail_at = 1; h.fail_at <= needs; h.fail_at += step) {
    size_t n = 0;
    h.needs = &n;
    outcome out = run(op, h);
    if (out.error.code != CPB_E_READ || strcmp(out.error.message, "the host gives up") != 0)
      fail_msg("%s, need %zu: %s", op->name, h.fail_at, out.error.message);
    assert_true(is_prefix(&out, good));
    outcome_free(&out);
  }
}

/* What a shorter input is: damaged, or for records, which follow one another, a
 * shorter file. */
static void ends_at_each_need(const operation *op, host h, const outcome *good, size_t needs, size_t step) {
  int records = strncmp(op->name, "records", 7) == 0;
  for (h.end_at = 1; h.end_at <= needs; h.end_at += step) {
    size_t n = 0;
    h.needs = &n;
    outcome out = run(op, h);
    switch (out.error.code) {
      case CPB_OK: assert_true(records ? is_prefix(&out, good) : outcome_equal(&out, good)); break;
      case CPB_E_TRUNCATED:
      case CPB_E_DAMAGED:
      case CPB_E_FORMAT: assert_true(is_prefix(&out, good)); break;
      default: fail_msg("%s, need %zu: %s", op->name, h.end_at, out.error.message);
    }
    outcome_free(&out);
  }
}

static void unmet(const char *name, const char *sample) {
  const operation *op = operation_named(name);
  const size_t pieces[] = {0, 100, 7};
  for (size_t i = 0; i < 2 * COUNT(pieces); i++) {
    size_t needs = 0;
    host h = {.max_piece = pieces[i / 2], .grow = i % 2, .needs = &needs};
    uint8_t *data = read_data(sample, &h.size);
    h.data = data;
    outcome good = run(op, h);
    assert_int_equal(good.error.code, CPB_OK);
    assert_true(needs > 0);
    size_t step = needs / 100 + 1;
    fails_at_each_need(op, h, &good, needs, step);
    ends_at_each_need(op, h, &good, needs, step);
    outcome_free(&good);
    free(data);
  }
}

static void reading_records(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(record_samples); i++) {
    unmet("records", record_samples[i]);
    unmet("records-late", record_samples[i]);
  }
}

static void reading_and_merging_chunks(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) {
    unmet("merge", cpb_samples[i]);
    unmet("chunk-ranges", cpb_samples[i]);
    unmet("pages", cpb_samples[i]);
  }
}

static void repacking(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) {
    unmet("repack-remote", cpb_samples[i]);
    unmet("repack-compat", cpb_samples[i]);
  }
}

static void splitting(void **state) {
  (void)state;
  unmet("split-graph", message_samples[0]);
  unmet("split-graph", message_samples[1]);
  unmet("split-saved-model", message_samples[2]);
}

static void finding(void **state) {
  (void)state;
  unmet("find", message_samples[1]);
}

static void samediff(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(samediff_samples); i++) {
    unmet("samediff", samediff_samples[i]);
    unmet("values", samediff_samples[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reading_records), cmocka_unit_test(reading_and_merging_chunks), cmocka_unit_test(repacking),
      cmocka_unit_test(splitting),       cmocka_unit_test(finding),
      cmocka_unit_test(samediff),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
