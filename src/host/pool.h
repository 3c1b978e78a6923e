/* Threads that work through numbered parts: each takes the next one until there are none. They
 * start and end within one call of the library; only the caller's thread reports progress. If one
 * fails, all stop. */
#ifndef CPB_HOST_POOL_H
#define CPB_HOST_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "host/transfer_state.h"

typedef struct cpb_pool {
  pthread_mutex_t lock; /* of what follows, and of what its user adds */
  pthread_cond_t changed;
  size_t next, num_parts; /* the part to be taken */
  uint64_t done;          /* bytes, as cpb_pool_goes_on() was told */
  unsigned running;
  bool stopped;
} cpb_pool;

void cpb_pool_init(cpb_pool *p, size_t num_parts);
void cpb_pool_free(cpb_pool *p);

/* --- In a thread ---------------------------------------------------------------------- */

/* The next part. False: there is none, or all are to stop. */
bool cpb_pool_take(cpb_pool *p, size_t *part);

/* Counts bytes that were done. False: all are to stop. */
bool cpb_pool_goes_on(cpb_pool *p, uint64_t done);

void cpb_pool_stop(cpb_pool *p);

/* --- Around the threads ------------------------------------------------------------------ */

/* What a thread does, and with what. False stops all of them. */
typedef struct cpb_worker {
  cpb_pool *pool;
  bool (*work)(void *user);
  void *user;
  pthread_t thread;
} cpb_worker;

/* False when the system gives no thread. */
bool cpb_worker_start(cpb_worker *w);
void cpb_worker_join(cpb_worker *w);

/* Waits for an end, or a tenth of a second; whether threads still run. */
bool cpb_pool_still_running(cpb_pool *p);

/* With the lock held: waits for `changed`, or a tenth of a second. */
void cpb_pool_wait(cpb_pool *p);

uint64_t cpb_pool_done(cpb_pool *p);
bool cpb_pool_is_stopped(cpb_pool *p);

#endif
