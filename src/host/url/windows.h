/* Keeps ranges of a file, and decides how much to fetch at a time. Pure: no function here does I/O. */
#ifndef CPB_HOST_URL_WINDOWS_H
#define CPB_HOST_URL_WINDOWS_H

#include "base/alloc.h"

#define CPB_WINDOW_LEAST ((size_t)64 << 10)
#define CPB_WINDOW_MOST ((size_t)4 << 20)
#define CPB_WINDOWS 16

typedef struct cpb_window {
  uint64_t begin, used; /* `used`: an increasing number, largest for the latest use */
  cpb_buffer bytes;     /* empty: unused */
} cpb_window;

typedef struct cpb_windows {
  cpb_allocator allocator;
  cpb_window kept[CPB_WINDOWS];
  uint64_t clock;
  size_t least;  /* the smallest size to fetch */
  uint64_t next; /* the end of the last one made */
  size_t step;   /* the size that was fetched for it */
} cpb_windows;

void cpb_windows_init(cpb_windows *w, const cpb_allocator *a);
void cpb_windows_free(cpb_windows *w);

/* The bytes kept from `offset` on, and their length, or 0. */
const uint8_t *cpb_windows_find(cpb_windows *w, uint64_t offset, size_t *length);

/* How much to fetch from `offset`, where nothing is kept, in a file of `size` bytes, to read `wanted` bytes. The result
 * ends where kept bytes begin. It is at least `least`, initially 64 KiB; while reading continues sequentially it
 * doubles each time, up to 4 MiB. */
size_t cpb_windows_plan(cpb_windows *w, uint64_t offset, uint64_t wanted, uint64_t size);

/* A window that begins at `offset`, which the caller fills; it is then kept. The least recently used ones are dropped,
 * so that at most 4 MiB are kept besides the new one. */
cpb_window *cpb_windows_add(cpb_windows *w, uint64_t offset);

/* Drops the bytes of all windows. */
void cpb_windows_clear(cpb_windows *w);

#endif
