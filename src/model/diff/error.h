/* Failures of a comparison. */
#ifndef CPB_MODEL_DIFF_ERROR_H
#define CPB_MODEL_DIFF_ERROR_H

#include "base/status.h"
#include "model/diff/state.h"

static inline bool cpb_diff_ok(const cpb_diff *d) { return d->error.code == CPB_OK; }

/* All return false. The first failure stays. */
static inline bool cpb_diff_fail(cpb_diff *d, int side, const cpb_error *error) {
  if (!cpb_diff_ok(d)) return false;
  d->side = side;
  d->error = *error;
  return false;
}

static inline bool cpb_diff_fail_memory(cpb_diff *d) {
  if (cpb_diff_ok(d)) d->side = -1;
  cpb_fail_memory(&d->error);
  return false;
}

/* False when more is charged than is allowed. */
static inline bool cpb_diff_charge(cpb_diff *d, cpb_work_kind kind, uint64_t amount) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  return cpb_meter_charge(&d->meter, kind, amount, CPB_NO_OFFSET, &error) || cpb_diff_fail(d, -1, &error);
}

#endif
