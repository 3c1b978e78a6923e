/* Each budget of cpb_limits ends at many points of each operation: an error that names the limit, after events that are
 * those of a run without limits up to there, and no leak; or, where the operation can do with less, the same result.
 * With as much as the operation used it ends as it did. */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "failing_allocator.h"
#include "stride.h"
#include "sweep.h"

enum { POINTS = 8 }; /* of each budget under sanitizers; else 64 */

static const struct counter {
  const char *name;
  size_t used, limit; /* places in cpb_work and cpb_limits */
} counters[] = {
#define COUNTER(NAME, name, unit) {#name, offsetof(cpb_work, name), offsetof(cpb_limits, name)},
    CPB_WORKS(COUNTER)};

static void run(const target *t, const cpb_limits *limits, outcome *out) {
  failing_allocator counting = {.fail_at = 0};
  const cpb_allocator allocator = failing_allocator_of(&counting);
  host h = {.data = t->data, .size = t->size, .allocator = &allocator, .limits = limits};
  outcome_init(out);
  t->op->run(&h, out);
  if (counting.blocks != 0) fail_msg("%s of %s leaks %zu blocks", t->op->name, t->sample, counting.blocks);
}

/* What could be read of a model is told, with the limit as its problem. */
static int is_told(const outcome *out, const char *named) {
  if (out->error.code != CPB_OK) return strstr(out->error.message, named) != NULL;
  return out->log.size > 0 && memmem(out->log.data, out->log.size, named, strlen(named)) != NULL;
}

static int is_right(const target *t, const outcome *out, const outcome *good, const struct counter *c, int suffices) {
  char named[32] = "limit `";
  strcat(strcat(named, c->name), "`");
  if (outcome_equal(out, good)) return 1;
  if (suffices) return 0;
  if (t->op->traits & OP_QUESTION && is_told(out, named)) return 1;
  /* An engine that has no room for itself is not made, which has no error of its own. */
  if (out->error.code == CPB_E_MEMORY) return out->log.size == 0 && strcmp(c->name, "held") == 0;
  return out->error.code == CPB_E_LIMIT && strstr(out->error.message, named) && outcome_begins(out, good);
}

static void run_with(const target *t, const outcome *good, const struct counter *c, uint64_t most, int suffices) {
  outcome out;
  cpb_limits limits = {.struct_size = sizeof limits};
  memcpy((char *)&limits + c->limit, &most, sizeof most);
  run(t, &limits, &out);
  if (!is_right(t, &out, good, c, suffices))
    fail_msg("%s of %s with %llu for %s: %s", t->op->name, t->sample, (unsigned long long)most, c->name,
             out.error.message);
  outcome_free(&out);
}

static void is_bounded(const target *t) {
  const uint64_t points = sanitized_stride(2) == 1 ? 8 * POINTS : POINTS;
  cpb_work work = {0};
  const cpb_limits counting = {.struct_size = sizeof counting, .work = &work};
  outcome good;
  run(t, &counting, &good);
  assert_int_equal(good.error.code, CPB_OK);
  for (size_t i = 0; i < COUNT(counters); i++) {
    uint64_t used;
    memcpy(&used, (const char *)&work + counters[i].used, sizeof used);
    for (uint64_t n = 1; n < used; n += used / points + 1) run_with(t, &good, &counters[i], n, 0);
    if (used > 0) run_with(t, &good, &counters[i], used, 1);
  }
  outcome_free(&good);
}

int main(int argc, char **argv) { return sweep(argc, argv, is_bounded, 0, OP_LARGE); }
