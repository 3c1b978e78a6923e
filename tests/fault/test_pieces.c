/* However the host cuts the input into pieces, the events are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stride.h"
#include "sweep.h"

static void same_in_pieces(const target *t) {
  host h = {.data = t->data, .size = t->size};
  outcome whole;
  outcome_init(&whole);
  t->op->run(&h, &whole);
  assert_int_equal(whole.error.code, CPB_OK);
  const size_t sizes[] = {1, 2, 3, 23, 24, 25, 40, 64, 1000, 65536};
  for (size_t i = 0; i < 2 * COUNT(sizes); i += sanitized_stride(3)) {
    h.max_piece = sizes[i / 2];
    h.seed = i % 2 == 0 ? 0 : (unsigned)i;
    h.grow = i % 2 == 0;
    outcome cut;
    outcome_init(&cut);
    t->op->run(&h, &cut);
    if (!outcome_equal(&whole, &cut))
      fail_msg("%s of %s differs in pieces of %zu: %s", t->op->name, t->sample, h.max_piece, cut.error.message);
    outcome_free(&cut);
  }
  outcome_free(&whole);
}

int main(int argc, char **argv) { return sweep(argc, argv, same_in_pieces, 0, OP_GIVEN_ALL | OP_QUESTION); }
