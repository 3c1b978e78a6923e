/* The n-th allocation fails, for every n, once and from then on: a clean error
 * (or the same result, where the library can do without), and no leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stride.h"
#include "sweep.h"

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

static void survives(const target *t) {
  host h = {.data = t->data, .size = t->size};
  outcome good;
  size_t calls = run_counted(t->op, &h, SIZE_MAX, 0, &good);
  assert_int_equal(good.error.code, CPB_OK);
  assert_true(calls > 0);
  for (int onward = 0; onward < 2; onward++) {
    for (size_t n = (size_t)onward; n < calls; n += sanitized_stride(5)) {
      outcome out;
      run_counted(t->op, &h, n, onward, &out);
      if (out.error.code != CPB_E_MEMORY && !outcome_equal(&good, &out))
        fail_msg("%s of %s, allocation %zu: %s", t->op->name, t->sample, n, out.error.message);
      outcome_free(&out);
    }
  }
  outcome_free(&good);
}

int main(int argc, char **argv) { return sweep(argc, argv, survives, 0, OP_LARGE); }
