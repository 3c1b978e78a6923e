/* However the host cuts the input into pieces, the events are the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "operations.h"
#include "samples.h"

static void same_in_pieces(const char *name, const char *sample) {
  const operation *op = operation_named(name);
  host h = {0};
  uint8_t *data = read_data(sample, &h.size);
  h.data = data;
  outcome whole;
  outcome_init(&whole);
  op->run(&h, &whole);
  assert_int_equal(whole.error.code, CPB_OK);
  const size_t sizes[] = {1, 2, 3, 23, 24, 25, 40, 64, 1000, 65536};
  for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
    h.max_piece = sizes[i / 2];
    h.seed = i % 2 == 0 ? 0 : (unsigned)i;
    h.grow = i % 2 == 0;
    outcome cut;
    outcome_init(&cut);
    op->run(&h, &cut);
    if (!outcome_equal(&whole, &cut))
      fail_msg("%s of %s differs in pieces of %zu: %s", name, sample, h.max_piece, cut.error.message);
    outcome_free(&cut);
  }
  outcome_free(&whole);
  free(data);
}

static void records_do_not_depend_on_pieces(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(record_samples); i++) {
    same_in_pieces("records", record_samples[i]);
    same_in_pieces("records-late", record_samples[i]);
    same_in_pieces("recover", record_samples[i]);
  }
  same_in_pieces("records", "corrupt/base_blocks.riegeli");
  same_in_pieces("records", "corrupt/base_longchunk.riegeli");
  same_in_pieces("records-late", "corrupt/base_longchunk.riegeli");
}

static void merging_does_not_depend_on_pieces(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) same_in_pieces("merge", cpb_samples[i]);
}

static void splitting_does_not_depend_on_pieces(void **state) {
  (void)state;
  same_in_pieces("split-graph", message_samples[0]);
  same_in_pieces("split-graph", message_samples[1]);
  same_in_pieces("split-saved-model", message_samples[2]);
}

static void chunks_do_not_depend_on_pieces(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) {
    same_in_pieces("chunk-ranges", cpb_samples[i]);
    same_in_pieces("pages", cpb_samples[i]);
    same_in_pieces("repack-remote", cpb_samples[i]);
    same_in_pieces("repack-compat", cpb_samples[i]);
  }
}

static void finding_does_not_depend_on_pieces(void **state) {
  (void)state;
  same_in_pieces("find", message_samples[1]);
  same_in_pieces("outline", message_samples[0]);
  same_in_pieces("outline", message_samples[1]);
}

static void samediff_does_not_depend_on_pieces(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(samediff_samples); i++) {
    same_in_pieces("samediff", samediff_samples[i]);
    same_in_pieces("values", samediff_samples[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_do_not_depend_on_pieces),
      cmocka_unit_test(merging_does_not_depend_on_pieces),
      cmocka_unit_test(chunks_do_not_depend_on_pieces),
      cmocka_unit_test(finding_does_not_depend_on_pieces),
      cmocka_unit_test(splitting_does_not_depend_on_pieces),
      cmocka_unit_test(samediff_does_not_depend_on_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
