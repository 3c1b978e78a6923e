/* Ranges of a file that are kept, and how much to fetch at a time. Pure: no function here does I/O. */
#ifndef CPB_HOST_URL_WINDOWS_H
#define CPB_HOST_URL_WINDOWS_H

#include "base/alloc.h"

#define CPB_WINDOW_LEAST ((size_t)64 << 10)
#define CPB_WINDOW_MOST ((size_t)4 << 20)
#define CPB_WINDOWS 16

typedef struct cpb_window {
  uint64_t begin, used; /* `used`: a number that grows, the latest is the largest */
  cpb_buffer bytes;     /* empty: there is none */
} cpb_window;

typedef struct cpb_windows {
  cpb_allocator allocator;
  cpb_window kept[CPB_WINDOWS];
  uint64_t clock;
  size_t least;  /* how much is fetched at least */
  uint64_t next; /* where the last one that was made ends */
  size_t step;   /* how much was fetched there */
} cpb_windows;

void cpb_windows_init(cpb_windows *w, const cpb_allocator *a);
void cpb_windows_free(cpb_windows *w);

/* What is kept from `offset` on: its length, 0 for nothing. */
const uint8_t *cpb_windows_find(cpb_windows *w, uint64_t offset, size_t *length);

/* How much to fetch from `offset`, of which nothing is kept, in a file of `size` bytes, when
 * `wanted` bytes are wanted: up to what is kept already; at least `least`, at first 64 KiB, and while
 * reading goes on where it ended, each time twice as much, up to 4 MiB. */
size_t cpb_windows_plan(cpb_windows *w, uint64_t offset, uint64_t wanted, uint64_t size);

/* A window that begins at `offset`, to be filled, after which it is kept. What was used longest
 * ago goes, so that no more than 4 MiB are kept beside the new one. */
cpb_window *cpb_windows_add(cpb_windows *w, uint64_t offset);

/* Of all windows nothing is kept. */
void cpb_windows_clear(cpb_windows *w);

#endif
