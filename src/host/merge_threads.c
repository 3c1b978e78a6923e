/* One message merged by several threads. Each has a reader of the plan and a view of the
 * input, and takes the next part until there is none. Into a file it writes each part where
 * it belongs; else the threads take turns. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/alloc.h"
#include "base/status.h"
#include "host/file.h"
#include "host/output.h"
#include "host/threads.h"
#include "host/turns.h"

#define ROOM_EACH ((size_t)2 << 20)
#define AHEAD_EACH 4u
#define REPORT_NANOSECONDS 100000000L

typedef struct pool {
  cpb_transfer *transfer;
  const uint64_t *ends;
  size_t num_parts;
  cpb_turns *turns;     /* NULL: the output can be written anywhere */
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  size_t next;   /* the part to be taken */
  uint64_t done; /* bytes, unless the turns count them */
  unsigned running;
  bool stopped;
} pool;

typedef struct worker {
  pool *pool;
  cpb_merge *merge;
  cpb_file *in;
  cpb_output *out;
  pthread_t thread;
} worker;

/* --- In a thread --------------------------------------------------------------- */

static void stop(pool *p) {
  pthread_mutex_lock(&p->lock);
  p->stopped = true;
  pthread_mutex_unlock(&p->lock);
  if (p->turns) cpb_turns_stop(p->turns);
}

static bool goes_on(pool *p, uint64_t done) {
  pthread_mutex_lock(&p->lock);
  p->done += done;
  bool go = !p->stopped;
  pthread_mutex_unlock(&p->lock);
  return go;
}

static bool take(pool *p, size_t *part) {
  pthread_mutex_lock(&p->lock);
  bool found = !p->stopped && p->next < p->num_parts;
  if (found) *part = p->next++;
  pthread_mutex_unlock(&p->lock);
  return found;
}

static bool put(worker *w, size_t part, uint64_t at, const uint8_t *data, size_t length) {
  if (w->pool->turns) return cpb_turns_put(w->pool->turns, part, data, length);
  return cpb_output_write(w->out, at, data, length) == CPB_OK;
}

static bool merge_part(worker *w, size_t part) {
  pool *p = w->pool;
  uint64_t at = part > 0 ? p->ends[part - 1] : 0;
  size_t length = 0;
  cpb_merge_read(w->merge, at, p->ends[part] - at);
  while (goes_on(p, length)) {
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
  pool *p = w->pool;
  size_t part;
  while (take(p, &part)) {
    if (p->turns && !cpb_turns_begin(p->turns, part)) return false;
    if (!merge_part(w, part)) return false;
    if (p->turns && !cpb_turns_finish(p->turns, part)) return false;
  }
  return p->turns || cpb_output_flush(w->out) == CPB_OK;
}

static void *work(void *user) {
  worker *w = user;
  pool *p = w->pool;
  if (!work_through(w)) stop(p);
  pthread_mutex_lock(&p->lock);
  p->running--;
  pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* --- Around the threads ---------------------------------------------------------- */

/* The first worker has what the transfer has. */
static bool equip(worker *w, cpb_merge *merge, bool first) {
  cpb_transfer *t = w->pool->transfer;
  w->merge = first ? merge : cpb_merge_fork(merge, t->options.allocator);
  w->in = first ? t->in : cpb_file_share(t->in);
  w->out = first || w->pool->turns ? t->out : cpb_output_share(t->out);
  return w->merge && w->in && w->out;
}

static void strip(worker *w, bool first) {
  if (first) return;
  cpb_merge_free(w->merge);
  cpb_file_close(w->in);
  if (!w->pool->turns) cpb_output_free(w->out);
}

/* Signals are for the program's own threads. */
static bool start(worker *w) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_mutex_lock(&w->pool->lock);
  w->pool->running++;
  pthread_mutex_unlock(&w->pool->lock);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&w->thread, NULL, work, w) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) return true;
  pthread_mutex_lock(&w->pool->lock);
  w->pool->running--;
  pthread_mutex_unlock(&w->pool->lock);
  return false;
}

static uint64_t written(pool *p) {
  if (p->turns) return cpb_turns_written(p->turns);
  pthread_mutex_lock(&p->lock);
  uint64_t done = p->done;
  pthread_mutex_unlock(&p->lock);
  return done;
}

static bool still_running(pool *p) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += REPORT_NANOSECONDS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&p->lock);
  if (p->running > 0) pthread_cond_timedwait(&p->changed, &p->lock, &until);
  bool running = p->running > 0;
  pthread_mutex_unlock(&p->lock);
  return running;
}

/* Reports progress until all is done. */
static void watch(pool *p) {
  bool go = true;
  while (still_running(p)) {
    if (go && !cpb_transfer_go_on(p->transfer, written(p), p->ends[p->num_parts - 1])) {
      go = false;
      stop(p);
    }
  }
}

/* Fewer threads than were asked for will do. Ends with the pool stopped unless all went well. */
static void run(pool *p, worker *workers, cpb_merge *merge, unsigned count) {
  unsigned equipped = 0, started = 0;
  while (equipped < count && equip(&workers[equipped], merge, equipped == 0)) equipped++;
  while (started < equipped && start(&workers[started])) started++;
  if (started > 0) watch(p);
  else stop(p);
  for (unsigned i = 0; i < started; i++) pthread_join(workers[i].thread, NULL);
  for (unsigned i = 0; i < equipped && p->transfer->error->code == CPB_OK; i++) {
    const cpb_error *error = cpb_output_error(workers[i].out);
    if (error->code != CPB_OK) *p->transfer->error = *error;
  }
  for (unsigned i = 0; i < count; i++) strip(&workers[i], i == 0);
}

bool cpb_merge_by_threads(cpb_transfer *t, cpb_merge *merge, const uint64_t *ends, size_t num_parts, unsigned count,
                          uint64_t *out) {
  pool p = {.transfer = t, .ends = ends, .num_parts = num_parts};
  cpb_allocator a = cpb_allocator_or_default(t->options.allocator);
  if (!cpb_transfer_go_on(t, 0, ends[num_parts - 1])) return true;
  worker *workers = cpb_alloc_zeroed(&a, count * sizeof *workers);
  bool in_order = !cpb_output_can_share(t->out);
  if (workers && in_order) p.turns = cpb_turns_new(&a, t->out, (size_t)count * AHEAD_EACH, count * ROOM_EACH);
  p.stopped = !workers || (in_order && !p.turns);
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.changed, NULL);
  for (unsigned i = 0; workers && i < count; i++) workers[i].pool = &p;
  if (!p.stopped) run(&p, workers, merge, count);
  *out = p.turns ? cpb_turns_written(p.turns) : 0;
  pthread_cond_destroy(&p.changed);
  pthread_mutex_destroy(&p.lock);
  cpb_turns_free(p.turns);
  cpb_release(&a, workers);
  return t->error->code != CPB_OK || !p.stopped;
}
