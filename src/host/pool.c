#define _POSIX_C_SOURCE 200809L
#include "host/pool.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#define REPORT_NANOSECONDS 100000000L

void cpb_pool_init(cpb_pool *p, size_t num_parts) {
  memset(p, 0, sizeof *p);
  p->num_parts = num_parts;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->changed, NULL);
}

void cpb_pool_free(cpb_pool *p) {
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->lock);
}

/* --- In a thread ---------------------------------------------------------------------- */

bool cpb_pool_take(cpb_pool *p, size_t *part) {
  pthread_mutex_lock(&p->lock);
  bool found = !p->stopped && p->next < p->num_parts;
  if (found) *part = p->next++;
  pthread_mutex_unlock(&p->lock);
  return found;
}

bool cpb_pool_goes_on(cpb_pool *p, uint64_t done) {
  pthread_mutex_lock(&p->lock);
  p->done += done;
  bool go = !p->stopped;
  pthread_mutex_unlock(&p->lock);
  return go;
}

void cpb_pool_stop(cpb_pool *p) {
  pthread_mutex_lock(&p->lock);
  p->stopped = true;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

static void *run(void *user) {
  cpb_worker *w = user;
  cpb_pool *p = w->pool;
  if (!w->work(w->user)) cpb_pool_stop(p);
  pthread_mutex_lock(&p->lock);
  p->running--;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* --- Around the threads ------------------------------------------------------------------ */

static void count_running(cpb_pool *p, bool more) {
  pthread_mutex_lock(&p->lock);
  if (more) p->running++;
  else p->running--;
  pthread_mutex_unlock(&p->lock);
}

/* Signals are for the program's own threads. */
bool cpb_worker_start(cpb_worker *w) {
  sigset_t all, before;
  sigfillset(&all);
  count_running(w->pool, true);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&w->thread, NULL, run, w) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!started) count_running(w->pool, false);
  return started;
}

void cpb_worker_join(cpb_worker *w) { pthread_join(w->thread, NULL); }

void cpb_pool_wait(cpb_pool *p) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += REPORT_NANOSECONDS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

bool cpb_pool_still_running(cpb_pool *p) {
  pthread_mutex_lock(&p->lock);
  if (p->running > 0) cpb_pool_wait(p);
  bool running = p->running > 0;
  pthread_mutex_unlock(&p->lock);
  return running;
}

uint64_t cpb_pool_done(cpb_pool *p) {
  pthread_mutex_lock(&p->lock);
  uint64_t done = p->done;
  pthread_mutex_unlock(&p->lock);
  return done;
}
