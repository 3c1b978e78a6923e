/* Merges one message with several threads, each with a reader of the plan and a view of the input. If the output is a
 * file, each part is written to its place. If the output takes its bytes in order, the threads write in turns. If the
 * message is compared, each thread compares its parts. */
#include "base/alloc.h"
#include "base/status.h"
#include "host/file.h"
#include "host/output.h"
#include "host/pool.h"
#include "host/transfer.h"
#include "host/turns.h"

#define ROOM_EACH ((size_t)2 << 20)
#define AHEAD_EACH 4u

typedef struct merging {
  cpb_pool pool;
  cpb_transfer *transfer;
  const uint64_t *ends;
  cpb_turns *turns; /* NULL: no output, or one that can be written anywhere */
} merging;

typedef struct worker {
  cpb_worker thread;
  merging *all;
  cpb_merge *merge;
  cpb_file *in, *against;
  cpb_output *out;
} worker;

/* --- In a thread --------------------------------------------------------------- */

static void stop(merging *m) {
  cpb_pool_stop(&m->pool);
  if (m->turns) cpb_turns_stop(m->turns);
}

/* A difference stops it: one thread then finds the first difference. */
static bool put(worker *w, size_t part, uint64_t at, const uint8_t *data, size_t length) {
  cpb_comparison found = {.same = 1};
  if (w->all->turns) return cpb_turns_put(w->all->turns, part, data, length);
  if (w->out) return cpb_output_write(w->out, at, data, length) == CPB_OK;
  if (w->against) cpb_compare_bytes(&found, w->against, at, data, length);
  return found.same && found.error.code == CPB_OK;
}

static bool merge_part(worker *w, size_t part) {
  merging *m = w->all;
  uint64_t at = part > 0 ? m->ends[part - 1] : 0;
  size_t length = 0;
  cpb_merge_read(w->merge, at, m->ends[part] - at);
  while (cpb_pool_goes_on(&m->pool, length)) {
    cpb_step step = cpb_merge_step(w->merge);
    length = 0;
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(w->in, cpb_merge_input(w->merge));
    } else if (step == CPB_STEP_DATA) {
      const uint8_t *data = cpb_merge_data(w->merge, &length);
      if (!put(w, part, at, data, length)) return false;
      at += length;
    } else {
      return step == CPB_STEP_DONE;
    }
  }
  return false;
}

static bool work_through(worker *w) {
  merging *m = w->all;
  size_t part;
  while (cpb_pool_take(&m->pool, &part)) {
    if (m->turns && !cpb_turns_begin(m->turns, part)) return false;
    if (!merge_part(w, part)) return false;
    if (m->turns && !cpb_turns_finish(m->turns, part)) return false;
  }
  return m->turns || !w->out || cpb_output_flush(w->out) == CPB_OK;
}

static bool work(void *user) {
  worker *w = user;
  bool done = work_through(w);
  if (!done) stop(w->all);
  return done;
}

/* --- Around the threads ---------------------------------------------------------- */

/* The first worker uses the transfer's own reader and files. */
static bool equip(worker *w, merging *m, cpb_merge *merge, bool first) {
  cpb_transfer *t = m->transfer;
  w->all = m;
  w->thread = (cpb_worker){.pool = &m->pool, .work = work, .user = w};
  w->merge = first ? merge : cpb_merge_fork(merge, t->options.allocator);
  w->in = first ? t->in : cpb_file_share(t->in);
  if (t->out) w->out = first || m->turns ? t->out : cpb_output_share(t->out);
  if (t->against) w->against = first ? t->against : cpb_file_share(t->against);
  return w->merge && w->in && (w->out || !t->out) && (w->against || !t->against);
}

static void strip(worker *w, bool first) {
  if (first || !w->all) return;
  cpb_merge_free(w->merge);
  cpb_file_close(w->in);
  cpb_file_close(w->against);
  if (!w->all->turns) cpb_output_free(w->out);
}

static uint64_t written(merging *m) { return m->turns ? cpb_turns_written(m->turns) : cpb_pool_done(&m->pool); }

/* Reports progress until all threads have finished. */
static void watch(merging *m) {
  bool go = true;
  while (cpb_pool_still_running(&m->pool)) {
    if (go && !cpb_transfer_go_on(m->transfer, written(m), m->ends[m->pool.num_parts - 1])) {
      go = false;
      stop(m);
    }
  }
}

/* Fewer threads than requested are acceptable. On failure, the pool is stopped. */
static void run(merging *m, worker *workers, cpb_merge *merge, unsigned count) {
  unsigned equipped = 0, started = 0;
  while (equipped < count && equip(&workers[equipped], m, merge, equipped == 0)) equipped++;
  while (started < equipped && cpb_worker_start(&workers[started].thread)) started++;
  if (started > 0) watch(m);
  else stop(m);
  for (unsigned i = 0; i < started; i++) cpb_worker_join(&workers[i].thread);
  for (unsigned i = 0; i < equipped && m->transfer->out && m->transfer->error->code == CPB_OK; i++) {
    const cpb_error *error = cpb_output_error(workers[i].out);
    if (error->code != CPB_OK) *m->transfer->error = *error;
  }
  for (unsigned i = 0; i < count; i++) strip(&workers[i], i == 0);
}

bool cpb_merge_by_threads(cpb_transfer *t, cpb_merge *merge, const uint64_t *ends, size_t num_parts, unsigned count,
                          uint64_t *out) {
  merging m = {.transfer = t, .ends = ends};
  cpb_allocator a = cpb_allocator_or_default(t->options.allocator);
  if (!cpb_transfer_go_on(t, 0, ends[num_parts - 1])) return true;
  worker *workers = cpb_alloc_zeroed(&a, count * sizeof *workers);
  bool in_order = t->out && !cpb_output_can_share(t->out);
  if (workers && in_order) m.turns = cpb_turns_new(&a, t->out, (size_t)count * AHEAD_EACH, count * ROOM_EACH);
  cpb_pool_init(&m.pool, num_parts);
  m.pool.stopped = !workers || (in_order && !m.turns);
  if (!m.pool.stopped) run(&m, workers, merge, count);
  *out = m.turns ? cpb_turns_written(m.turns) : 0;
  bool stopped = m.pool.stopped;
  cpb_pool_free(&m.pool);
  cpb_turns_free(m.turns);
  cpb_release(&a, workers);
  return t->error->code != CPB_OK || !stopped;
}
