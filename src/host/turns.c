#define _POSIX_C_SOURCE 200809L
#include "host/turns.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"

#define BLOCK_SIZE ((size_t)256 << 10)

typedef struct block {
  struct block *next;
  size_t size;
  uint8_t data[BLOCK_SIZE];
} block;

/* A part that was begun. */
typedef struct slot {
  block *first, *last; /* the blocks it holds */
  bool finished;
} slot;

struct cpb_turns {
  cpb_allocator allocator;
  cpb_output *out;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  size_t turn;  /* the part whose turn it is */
  bool writing; /* it is finished, and its blocks and those of the next parts are being written */
  bool stopped;
  uint64_t written;
  block *spare;
  size_t blocks_left; /* that may still be allocated */
  size_t num_slots;
  slot slots[]; /* by part number, modulo their count */
};

static slot *slot_of(cpb_turns *t, size_t part) { return &t->slots[part % t->num_slots]; }

/* --- Making and freeing -------------------------------------------------------- */

cpb_turns *cpb_turns_new(const cpb_allocator *given, cpb_output *out, size_t ahead, size_t room) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_turns *t = cpb_alloc_zeroed(&a, sizeof *t + ahead * sizeof *t->slots);
  if (!t) return NULL;
  t->allocator = a;
  t->out = out;
  t->blocks_left = room / BLOCK_SIZE;
  t->num_slots = ahead;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->changed, NULL);
  return t;
}

static void free_blocks(cpb_turns *t, block *first) {
  while (first) {
    block *next = first->next;
    cpb_release(&t->allocator, first);
    first = next;
  }
}

void cpb_turns_free(cpb_turns *t) {
  if (!t) return;
  for (size_t i = 0; i < t->num_slots; i++) free_blocks(t, t->slots[i].first);
  free_blocks(t, t->spare);
  pthread_cond_destroy(&t->changed);
  pthread_mutex_destroy(&t->lock);
  cpb_allocator a = t->allocator;
  cpb_release(&a, t);
}

void cpb_turns_stop(cpb_turns *t) {
  pthread_mutex_lock(&t->lock);
  t->stopped = true;
  pthread_cond_broadcast(&t->changed);
  pthread_mutex_unlock(&t->lock);
}

uint64_t cpb_turns_written(cpb_turns *t) {
  pthread_mutex_lock(&t->lock);
  uint64_t written = t->written;
  pthread_mutex_unlock(&t->lock);
  return written;
}

/* --- Holding ------------------------------------------------------------------- */

/* Adds a block to the slot. Lack of memory is treated like a lack of room: the part waits for its turn. */
static bool add_block(cpb_turns *t, slot *s) {
  block *added = t->spare;
  if (added) {
    t->spare = added->next;
  } else {
    if (t->blocks_left == 0) return false;
    added = cpb_alloc(&t->allocator, sizeof *added);
    t->blocks_left = added ? t->blocks_left - 1 : 0;
    if (!added) return false;
  }
  added->next = NULL;
  added->size = 0;
  if (s->last) s->last->next = added;
  else s->first = added;
  s->last = added;
  return true;
}

/* --- Writing: only by the thread that has the turn, without the lock --------------- */

static bool write_out(cpb_turns *t, const uint8_t *data, size_t length) {
  bool done = cpb_output_write(t->out, t->written, data, length) == CPB_OK;
  pthread_mutex_lock(&t->lock);
  if (done) t->written += length;
  pthread_mutex_unlock(&t->lock);
  return done;
}

static bool write_held(cpb_turns *t, slot *s) {
  while (s->first) {
    block *out = s->first;
    if (!write_out(t, out->data, out->size)) return false;
    s->first = out->next;
    if (!s->first) s->last = NULL;
    pthread_mutex_lock(&t->lock);
    out->next = t->spare;
    t->spare = out;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
  }
  return true;
}

/* --- Parts --------------------------------------------------------------------- */

bool cpb_turns_begin(cpb_turns *t, size_t part) {
  pthread_mutex_lock(&t->lock);
  while (part - t->turn >= t->num_slots && !t->stopped) pthread_cond_wait(&t->changed, &t->lock);
  bool go = !t->stopped;
  pthread_mutex_unlock(&t->lock);
  return go;
}

typedef enum { STOPPED, ITS_TURN, HAS_ROOM } outcome;

static outcome wait_for_place(cpb_turns *t, size_t part) {
  slot *s = slot_of(t, part);
  outcome found;
  pthread_mutex_lock(&t->lock);
  for (;;) {
    if (t->stopped) found = STOPPED;
    else if (t->turn == part) found = ITS_TURN;
    else if ((s->last && s->last->size < BLOCK_SIZE) || add_block(t, s)) found = HAS_ROOM;
    else {
      pthread_cond_wait(&t->changed, &t->lock);
      continue;
    }
    break;
  }
  pthread_mutex_unlock(&t->lock);
  return found;
}

bool cpb_turns_put(cpb_turns *t, size_t part, const uint8_t *data, size_t length) {
  slot *s = slot_of(t, part);
  while (length > 0) {
    outcome found = wait_for_place(t, part);
    if (found == STOPPED) return false;
    if (found == ITS_TURN) return write_held(t, s) && write_out(t, data, length);
    size_t n = cpb_min_size(length, BLOCK_SIZE - s->last->size);
    memcpy(s->last->data + s->last->size, data, n);
    s->last->size += n;
    data += n;
    length -= n;
  }
  return true;
}

/* The thread that finishes the part whose turn it is also writes the following parts that are already finished. */
bool cpb_turns_finish(cpb_turns *t, size_t part) {
  bool done = true;
  pthread_mutex_lock(&t->lock);
  slot_of(t, part)->finished = true;
  while (done && !t->writing && !t->stopped && slot_of(t, t->turn)->finished) {
    slot *s = slot_of(t, t->turn);
    t->writing = true;
    pthread_mutex_unlock(&t->lock);
    done = write_held(t, s);
    pthread_mutex_lock(&t->lock);
    t->writing = false;
    s->finished = false;
    if (done) t->turn++;
    pthread_cond_broadcast(&t->changed);
  }
  pthread_mutex_unlock(&t->lock);
  return done;
}
