/* Every single-bit flip and every truncation of small files: an error, or the
 * same events; never other records with success. Tries each 69th bit, or each
 * one when CPB_TEST_ALL is set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stride.h"
#include "sweep.h"

static size_t stride(void) { return getenv("CPB_TEST_ALL") != NULL ? 1 : 23 * sanitized_stride(5); }

/* With an error, what came before it is a beginning of the good log. */
static void check(const target *t, const outcome *good, const outcome *bad, const char *what, size_t at) {
  const char *name = t->op->name;
  if (bad->error.code == CPB_OK) {
    if (!outcome_equal(good, bad))
      fail_msg("%s of %s with %s at %zu: other events, no error", name, t->sample, what, at);
    return;
  }
  if (bad->error.code == CPB_E_MEMORY || bad->error.message[0] == '\0')
    fail_msg("%s of %s with %s at %zu: error %s without text", name, t->sample, what, at,
             cpb_code_name(bad->error.code));
  if (!outcome_begins(bad, good))
    fail_msg("%s of %s with %s at %zu: other events before the error", name, t->sample, what, at);
}

static void try_flips(const target *t, host *h, const outcome *good) {
  for (size_t bit = 0; bit < t->size * 8; bit += stride()) {
    t->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    outcome out;
    outcome_init(&out);
    t->op->run(h, &out);
    check(t, good, &out, "bit flipped", bit);
    outcome_free(&out);
    t->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
}

static void try_cuts(const target *t, host *h, const outcome *good) {
  for (h->size = 0; h->size < t->size; h->size += sanitized_stride(5)) {
    outcome out;
    outcome_init(&out);
    t->op->run(h, &out);
    if (!(t->op->traits & OP_SHORTER_IS_WHOLE) || out.error.code != CPB_OK) check(t, good, &out, "cut", h->size);
    else if (!outcome_begins(&out, good))
      fail_msg("%s of %s cut at %zu: other events", t->op->name, t->sample, h->size);
    outcome_free(&out);
  }
  h->size = t->size;
}

/* A zip's directory has no checksum, but what it tells of an entry that is read is
 * checked. */
static void damage(const target *t) {
  host h = {.data = t->data, .size = t->size};
  outcome good;
  outcome_init(&good);
  t->op->run(&h, &good);
  assert_int_equal(good.error.code, CPB_OK);
  try_flips(t, &h, &good);
  try_cuts(t, &h, &good);
  outcome_free(&good);
}

int main(int argc, char **argv) { return sweep(argc, argv, damage, OP_CHECKED, 0); }
