/* Encodes parts of a file with several threads, each with a fork of the engine and a view of the input. The caller's
 * thread takes the parts in order (cpb_encoders_take) and writes the file. If none of them can encode a part, or if it
 * fails, the caller's thread encodes it: it then finds the error as it would without threads. */
#include <string.h>

#include "base/alloc.h"
#include "host/file.h"
#include "host/pool.h"
#include "host/transfer.h"

/* Parts that are begun and not yet written, for each thread. */
#define AHEAD_EACH 2u

typedef struct slot {
  cpb_buffer bytes; /* of the part */
  bool ready;
} slot;

typedef struct worker {
  cpb_worker thread;
  cpb_encoders *all;
  cpb_packer fork;
  cpb_file *in;
} worker;

struct cpb_encoders {
  cpb_pool pool;
  cpb_transfer *transfer;
  cpb_allocator allocator;
  size_t turn; /* the part that the caller's thread takes next */
  worker *workers;
  unsigned count, started;
  slot *slots; /* by part, modulo their number */
  size_t num_slots;
};

static slot *slot_of(cpb_encoders *e, size_t part) { return &e->slots[part % e->num_slots]; }

/* --- In a thread ---------------------------------------------------------------------- */

/* Parts are begun in order, so many before they are written. */
static bool take_part(cpb_encoders *e, size_t *part) {
  cpb_pool *p = &e->pool;
  pthread_mutex_lock(&p->lock);
  while (!p->stopped && p->next < p->num_parts && p->next - e->turn >= e->num_slots)
    pthread_cond_wait(&p->changed, &p->lock);
  bool found = !p->stopped && p->next < p->num_parts;
  if (found) *part = p->next++;
  pthread_mutex_unlock(&p->lock);
  return found;
}

static void hand_over(cpb_encoders *e, slot *s) {
  pthread_mutex_lock(&e->pool.lock);
  s->ready = true;
  pthread_cond_broadcast(&e->pool.changed);
  pthread_mutex_unlock(&e->pool.lock);
}

static bool encode(worker *w, size_t part, cpb_buffer *out) {
  if (cpb_packer_part(&w->fork, part) != CPB_OK) return false;
  while (cpb_pool_goes_on(&w->all->pool, 0)) {
    cpb_step step = cpb_packer_step(&w->fork);
    uint64_t offset;
    size_t length;
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(w->in, cpb_packer_input(&w->fork));
    } else if (step == CPB_STEP_OUTPUT) {
      const uint8_t *data = cpb_packer_output(&w->fork, &offset, &length);
      if (!cpb_buffer_append(out, data, length)) return false;
    } else {
      return step == CPB_STEP_DONE;
    }
  }
  return false;
}

/* The slot is this thread's until it is ready. */
static bool work(void *user) {
  worker *w = user;
  size_t part;
  while (take_part(w->all, &part)) {
    slot *s = slot_of(w->all, part);
    if (!encode(w, part, &s->bytes)) return false;
    hand_over(w->all, s);
  }
  return true;
}

/* --- Around the threads ------------------------------------------------------------------ */

static bool equip(worker *w, cpb_encoders *e, const cpb_packer *packer) {
  w->all = e;
  w->thread = (cpb_worker){.pool = &e->pool, .work = work, .user = w};
  w->in = cpb_file_share(e->transfer->in);
  return w->in && cpb_packer_fork(packer, &e->allocator, &w->fork);
}

static bool make_room(cpb_encoders *e) {
  e->num_slots = (size_t)e->count * AHEAD_EACH;
  e->workers = cpb_alloc_zeroed(&e->allocator, e->count * sizeof *e->workers);
  e->slots = cpb_alloc_zeroed(&e->allocator, e->num_slots * sizeof *e->slots);
  for (size_t i = 0; e->slots && i < e->num_slots; i++) cpb_buffer_init(&e->slots[i].bytes, &e->allocator);
  return e->workers && e->slots;
}

/* All are equipped before the first one starts, because they read the packer's data. Fewer threads than requested are
 * acceptable. */
static bool start(cpb_encoders *e, const cpb_packer *packer) {
  unsigned equipped = 0;
  while (equipped < e->count && equip(&e->workers[equipped], e, packer)) equipped++;
  while (e->started < equipped && cpb_worker_start(&e->workers[e->started].thread)) e->started++;
  return e->started > 1;
}

cpb_encoders *cpb_encoders_new(cpb_transfer *t, const cpb_packer *packer, size_t num_parts, unsigned count) {
  cpb_allocator a = cpb_allocator_or_default(t->options.allocator);
  cpb_encoders *e = cpb_alloc_zeroed(&a, sizeof *e);
  if (!e) return NULL;
  e->allocator = a;
  e->transfer = t;
  e->count = count;
  cpb_pool_init(&e->pool, num_parts);
  if (make_room(e) && start(e, packer)) return e;
  cpb_encoders_free(e);
  return NULL;
}

void cpb_encoders_free(cpb_encoders *e) {
  if (!e) return;
  cpb_pool_stop(&e->pool);
  for (unsigned i = 0; i < e->started; i++) cpb_worker_join(&e->workers[i].thread);
  for (unsigned i = 0; e->workers && i < e->count; i++) {
    cpb_packer_free(&e->workers[i].fork);
    cpb_file_close(e->workers[i].in);
  }
  for (size_t i = 0; e->slots && i < e->num_slots; i++) cpb_buffer_free(&e->slots[i].bytes);
  cpb_release(&e->allocator, e->slots);
  cpb_release(&e->allocator, e->workers);
  cpb_pool_free(&e->pool);
  cpb_allocator a = e->allocator;
  cpb_release(&a, e);
}

/* --- In the caller's thread ------------------------------------------------------------------ */

cpb_taken cpb_encoders_wait(cpb_encoders *e, cpb_span *part) {
  cpb_pool *p = &e->pool;
  slot *s = slot_of(e, e->turn);
  pthread_mutex_lock(&p->lock);
  if (!s->ready && !p->stopped) cpb_pool_wait(p);
  cpb_taken taken = s->ready ? CPB_TAKEN : p->stopped ? CPB_TAKEN_NEVER : CPB_TAKEN_LATER;
  pthread_mutex_unlock(&p->lock);
  if (taken == CPB_TAKEN) *part = (cpb_span){s->bytes.data, s->bytes.size};
  return taken;
}

void cpb_encoders_give_back(cpb_encoders *e) {
  slot *s = slot_of(e, e->turn);
  s->bytes.size = 0;
  pthread_mutex_lock(&e->pool.lock);
  s->ready = false;
  e->turn++;
  pthread_cond_broadcast(&e->pool.changed);
  pthread_mutex_unlock(&e->pool.lock);
}
