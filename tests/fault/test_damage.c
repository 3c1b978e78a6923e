/* Every single-bit flip and every truncation of small files: an error, or the
 * same events; never other records with success. Tries each 23rd bit, or each
 * one when CPB_THOROUGH is set (minutes). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "operations.h"
#include "samples.h"

static size_t stride(void) { return getenv("CPB_THOROUGH") != NULL ? 1 : 23; }

/* With an error, what came before it is a beginning of the good log. */
static void check(const operation *op, const char *sample, const outcome *good, const outcome *bad,
                  const char *what, size_t at) {
  if (bad->error.code == CPB_OK) {
    if (!outcome_equal(good, bad)) fail_msg("%s of %s with %s at %zu: other events, no error", op->name, sample, what, at);
    return;
  }
  if (bad->error.code == CPB_E_MEMORY || bad->error.message[0] == '\0')
    fail_msg("%s of %s with %s at %zu: error %s without text", op->name, sample, what, at,
             cpb_code_name(bad->error.code));
  if (bad->log.size > good->log.size || (bad->log.size > 0 && memcmp(bad->log.data, good->log.data, bad->log.size) != 0))
    fail_msg("%s of %s with %s at %zu: other events before the error", op->name, sample, what, at);
}

static void try_flips(const operation *op, const char *sample, host *h, uint8_t *data, const outcome *good) {
  for (size_t bit = 0; bit < h->size * 8; bit += stride()) {
    data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    outcome out;
    outcome_init(&out);
    op->run(h, &out);
    check(op, sample, good, &out, "bit flipped", bit);
    outcome_free(&out);
    data[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
}

static void try_cuts(const operation *op, const char *sample, host *h, const outcome *good, int ends_early) {
  size_t size = h->size;
  for (h->size = 0; h->size < size; h->size++) {
    outcome out;
    outcome_init(&out);
    op->run(h, &out);
    if (!ends_early || out.error.code != CPB_OK) {
      check(op, sample, good, &out, "cut", h->size);
    } else if (out.log.size > good->log.size || (out.log.size > 0 && memcmp(out.log.data, good->log.data, out.log.size) != 0)) {
      fail_msg("%s of %s cut at %zu: other events", op->name, sample, h->size);
    }
    outcome_free(&out);
  }
  h->size = size;
}

/* `ends_early`: a file cut between two Riegeli chunks is a whole file. */
static void damage(const char *name, const char *sample, int ends_early) {
  const operation *op = operation_named(name);
  host h = {0};
  uint8_t *data = read_data(sample, &h.size);
  h.data = data;
  outcome good;
  outcome_init(&good);
  op->run(&h, &good);
  assert_int_equal(good.error.code, CPB_OK);
  try_flips(op, sample, &h, data, &good);
  try_cuts(op, sample, &h, &good, ends_early);
  outcome_free(&good);
  free(data);
}

static void damaged_records_are_noticed(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(record_samples); i++) damage("records", record_samples[i], 1);
}

static void damaged_cpb_files_are_noticed(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) damage("merge", cpb_samples[i], 0);
}

static void damaged_chunks_are_noticed(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cpb_samples); i++) {
    damage("chunk-ranges", cpb_samples[i], 0);
    damage("pages", cpb_samples[i], 0);
    damage("repack-remote", cpb_samples[i], 0);
  }
}

/* A zip's directory has no checksum, but what it tells of an entry that is read is
 * checked; a graph file has none at all. */
static void damaged_samediff_values_are_noticed(void **state) {
  (void)state;
  damage("values", samediff_samples[0], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damaged_records_are_noticed),
      cmocka_unit_test(damaged_cpb_files_are_noticed),
      cmocka_unit_test(damaged_chunks_are_noticed),
      cmocka_unit_test(damaged_samediff_values_are_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
