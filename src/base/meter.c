#include "base/meter.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"

/* A limit and its growth; cpb_limits has them in a row, in the order of CPB_WORKS. */
typedef struct {
  uint64_t most, per_byte;
} bound;

#define CPB_IN_ORDER(NAME, name, unit)                                                                            \
  _Static_assert(offsetof(cpb_limits, name) == offsetof(cpb_limits, decoded) + CPB_WORK_##NAME * sizeof(bound) && \
                     offsetof(cpb_limits, name##_per_byte) == offsetof(cpb_limits, name) + sizeof(uint64_t) &&    \
                     offsetof(cpb_work, name) == CPB_WORK_##NAME * sizeof(uint64_t),                              \
                 "limits and work are laid out in the order of CPB_WORKS");
CPB_WORKS(CPB_IN_ORDER)
#undef CPB_IN_ORDER

static bound bound_of(const cpb_meter *m, cpb_work_kind kind) {
  bound b;
  memcpy(&b, (const char *)&m->limits + offsetof(cpb_limits, decoded) + kind * sizeof b, sizeof b);
  return b;
}

static uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t saturating_multiply(uint64_t a, uint64_t b) { return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

/* A bound never falls below what was done: a size that is stated late may be smaller than what
 * was supplied. */
static void compute(cpb_meter *m) {
  for (int kind = 0; kind < CPB_NUM_WORKS; kind++) {
    bound b = bound_of(m, (cpb_work_kind)kind);
    uint64_t most = saturating_add(b.most, saturating_multiply(b.per_byte, m->seen));
    m->most[kind] = cpb_max_u64(most, m->done[kind]);
  }
  m->held.limit = (size_t)cpb_min_u64(m->most[CPB_WORK_HELD], SIZE_MAX);
  m->held.limit = cpb_max_size(m->held.limit, m->held.used);
  m->held.needed = 0;
}

void cpb_meter_init(cpb_meter *m, const cpb_allocator *a, const cpb_limits *limits, const cpb_input *input) {
  memset(m, 0, sizeof *m);
  m->limits = cpb_limits_or_default(limits);
  m->input = input;
  cpb_budget_init(&m->held, a, SIZE_MAX);
  compute(m);
}

cpb_allocator cpb_meter_allocator(cpb_meter *m) { return cpb_budget_allocator(&m->held); }

void cpb_meter_grow(cpb_meter *m, uint64_t size) {
  if (size <= m->seen) return;
  m->seen = size;
  compute(m);
}

void cpb_meter_update(cpb_meter *m) {
  if (m->input && m->input->size != CPB_NO_OFFSET) cpb_meter_grow(m, saturating_add(m->input->size, m->beside));
}

void cpb_meter_add(cpb_meter *m, uint64_t size) {
  m->beside = saturating_add(m->beside, size);
  cpb_meter_grow(m, saturating_add(m->seen, size));
}

static void fail(const cpb_meter *m, cpb_work_kind kind, uint64_t needed, uint64_t offset, cpb_error *error) {
#define CPB_SAY(NAME, name, unit) {#name, unit},
  static const char *const words[][2] = {CPB_WORKS(CPB_SAY)};
#undef CPB_SAY
  bound b = bound_of(m, kind);
  cpb_fail(
      error, CPB_E_LIMIT, offset,
      "limit `%s`: at least %llu %s are needed, and %llu are allowed (%llu, and %llu for each of %llu bytes of input)",
      words[kind][0], (unsigned long long)needed, words[kind][1], (unsigned long long)m->most[kind],
      (unsigned long long)b.most, (unsigned long long)b.per_byte, (unsigned long long)m->seen);
}

bool cpb_meter_allows(cpb_meter *m, cpb_work_kind kind, uint64_t amount, uint64_t offset, cpb_error *error) {
  if (amount > m->most[kind]) cpb_meter_update(m);
  if (amount <= m->most[kind]) return true;
  fail(m, kind, amount, offset, error);
  return false;
}

bool cpb_meter_charge(cpb_meter *m, cpb_work_kind kind, uint64_t amount, uint64_t offset, cpb_error *error) {
  uint64_t done = saturating_add(m->done[kind], amount);
  if (done > m->most[kind] && !cpb_meter_allows(m, kind, done, offset, error)) return false;
  m->done[kind] = done;
  return true;
}

void cpb_meter_renew(cpb_meter *m) {
  for (int kind = 0; kind < CPB_NUM_WORKS; kind++) {
    m->before[kind] = saturating_add(m->before[kind], m->done[kind]);
    m->done[kind] = 0;
  }
}

void cpb_meter_explain(const cpb_meter *m, cpb_error *error) {
  if (error->code != CPB_E_MEMORY || m->held.needed == 0) return;
  uint64_t offset = error->offset;
  memset(error, 0, sizeof *error);
  fail(m, CPB_WORK_HELD, m->held.needed, offset, error);
}

cpb_work cpb_meter_work(const cpb_meter *m) {
  cpb_work work;
  for (cpb_work_kind kind = 0; kind < CPB_NUM_WORKS; kind++)
    *cpb_work_at(&work, kind) = saturating_add(m->before[kind], m->done[kind]);
  work.held = m->held.peak;
  return work;
}

void cpb_meter_free(cpb_meter *m) {
  cpb_work work = cpb_meter_work(m), *sum = m->limits.work;
  for (cpb_work_kind kind = 0; sum && kind < CPB_NUM_WORKS; kind++)
    *cpb_work_at(sum, kind) = saturating_add(*cpb_work_at(sum, kind), *cpb_work_at(&work, kind));
}
