/* The n-th allocation fails, for every n, once and from then on: a clean error
 * (or the same result, where the library can do without), and no leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "failing_allocator.h"
#include "stride.h"
#include "sweep.h"

static size_t run_counted(const operation *op, host *h, size_t fail_at, bool onward, outcome *out) {
  failing_allocator f = {.fail_at = fail_at, .for_ever = onward};
  const cpb_allocator allocator = failing_allocator_of(&f);
  h->allocator = &allocator;
  outcome_init(out);
  op->run(h, out);
  if (f.blocks != 0) fail_msg("%s leaks %zu blocks when allocation %zu fails", op->name, f.blocks, fail_at);
  return f.calls;
}

static void survives(const target *t) {
  host h = {.data = t->data, .size = t->size};
  outcome good;
  size_t calls = run_counted(t->op, &h, 0, false, &good);
  assert_int_equal(good.error.code, CPB_OK);
  assert_true(calls > 0);
  for (int onward = 0; onward < 2; onward++) {
    for (size_t n = 1 + (size_t)onward; n <= calls; n += sanitized_stride(5)) {
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
