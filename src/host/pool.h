/* Threads that work through numbered parts: each takes the next one until none are left. They start and end within one
 * call of the library; only the caller's thread reports progress. If one fails, all stop. */
#ifndef CPB_HOST_POOL_H
#define CPB_HOST_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "host/transfer.h"

typedef struct cpb_pool {
  pthread_mutex_t lock; /* guards the following members, and those that its user adds */
  pthread_cond_t changed;
  size_t next, num_parts; /* the next part to take */
  uint64_t done;          /* bytes, as reported to cpb_pool_goes_on() */
  unsigned running;
  bool stopped;
} cpb_pool;

void cpb_pool_init(cpb_pool *p, size_t num_parts);
void cpb_pool_free(cpb_pool *p);

/* --- In a thread ---------------------------------------------------------------------- */

/* Takes the next part. False: no part is left, or all threads must stop. */
bool cpb_pool_take(cpb_pool *p, size_t *part);

/* Counts bytes as done. False: all threads must stop. */
bool cpb_pool_goes_on(cpb_pool *p, uint64_t done);

void cpb_pool_stop(cpb_pool *p);

/* --- Around the threads ------------------------------------------------------------------ */

/* The function of a thread, and its data. It returns false to stop all threads. */
typedef struct cpb_worker {
  cpb_pool *pool;
  bool (*work)(void *user);
  void *user;
  pthread_t thread;
} cpb_worker;

/* False if the system cannot create a thread. */
bool cpb_worker_start(cpb_worker *w);
void cpb_worker_join(cpb_worker *w);

/* Waits until a thread ends, or for a tenth of a second; returns whether any is still running. */
bool cpb_pool_still_running(cpb_pool *p);

/* With the lock held: waits for `changed`, or a tenth of a second. */
void cpb_pool_wait(cpb_pool *p);

uint64_t cpb_pool_done(cpb_pool *p);

#endif
