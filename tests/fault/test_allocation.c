/* The n-th allocation fails, for every n, once and from then on: a clean error
 * (or the same result, where the library can do without), and no leak. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "operations.h"
#include "samples.h"

typedef struct {
  size_t calls, fail_at, live;
  int onward;
} counter;

static int fails(counter *c) {
  size_t n = c->calls++;
  return c->onward ? n >= c->fail_at : n == c->fail_at;
}

static void *allocate(void *user, size_t size) {
  counter *c = user;
  if (fails(c)) return NULL;
  c->live++;
  return malloc(size);
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)old_size;
  return fails(user) ? NULL : realloc(block, new_size);
}

static void release(void *user, void *block) {
  ((counter *)user)->live--;
  free(block);
}

static size_t run_counted(const operation *op, host *h, size_t fail_at, int onward, outcome *out) {
  counter c = {.fail_at = fail_at, .onward = onward};
  const cpb_allocator allocator = {&c, allocate, resize, release};
  h->allocator = &allocator;
  outcome_init(out);
  op->run(h, out);
  if (c.live != 0) fail_msg("%s leaks %zu blocks when allocation %zu fails", op->name, c.live, fail_at);
  return c.calls;
}

static void survives(const char *name, const char *sample) {
  const operation *op = operation_named(name);
  host h = {0};
  uint8_t *data = read_data(sample, &h.size);
  h.data = data;
  outcome good;
  size_t calls = run_counted(op, &h, SIZE_MAX, 0, &good);
  assert_int_equal(good.error.code, CPB_OK);
  assert_true(calls > 0);
  for (int onward = 0; onward < 2; onward++) {
    for (size_t n = 0; n < calls; n++) {
      outcome out;
      run_counted(op, &h, n, onward, &out);
      if (out.error.code != CPB_E_MEMORY && !outcome_equal(&good, &out))
        fail_msg("%s of %s, allocation %zu: %s", name, sample, n, out.error.message);
      outcome_free(&out);
    }
  }
  outcome_free(&good);
  free(data);
}

static void reading_survives(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(record_samples); i++) {
    survives("records", record_samples[i]);
    survives("recover", record_samples[i]);
  }
}

static void writing_survives(void **state) {
  (void)state;
  survives("write-zstd", message_samples[0]);
  survives("write-brotli", message_samples[1]);
  survives("write-streaming", message_samples[0]);
}

static void merging_survives(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) survives("merge", cpb_samples[i]);
}

static void splitting_survives(void **state) {
  (void)state;
  survives("split-graph", message_samples[1]);
  survives("split-saved-model", message_samples[2]);
}

static void reading_and_repacking_chunks_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) {
    survives("chunk-ranges", cpb_samples[i]);
    survives("pages", cpb_samples[i]);
    survives("repack-remote", cpb_samples[i]);
    survives("repack-compat", cpb_samples[i]);
  }
}

static void schemas_paths_and_json_survive(void **state) {
  (void)state;
  survives("find", message_samples[1]);
  survives("json", message_samples[1]);
  survives("outline", message_samples[1]);
}

static void samediff_survives(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(samediff_samples); i++) {
    survives("samediff", samediff_samples[i]);
    survives("values", samediff_samples[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reading_survives),
      cmocka_unit_test(writing_survives),
      cmocka_unit_test(merging_survives),
      cmocka_unit_test(reading_and_repacking_chunks_survive),
      cmocka_unit_test(schemas_paths_and_json_survive),
      cmocka_unit_test(splitting_survives),
      cmocka_unit_test(samediff_survives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
