/* A cache of pages of 4 KiB, for an input that is read in no particular order.
 *
 * The cache owns copies of the pages, sorted by number; a page is in the list only once it is
 * complete, and `coming` is the one that is not. It takes at most `max_memory` bytes of pages,
 * or two pages if that is more. Pages are dropped only in cpb_pages_turn(), never while one is
 * being read: so a reader that had to wait can start over and finds all that it has read
 * before, and comes further each time. */
#ifndef CPB_MODEL_FORMATS_FLATBUFFERS_PAGES_H
#define CPB_MODEL_FORMATS_FLATBUFFERS_PAGES_H

#include "base/alloc.h"
#include "base/input.h"

typedef struct cpb_flat_page {
  uint64_t number;
  uint64_t used; /* the turn in which it was last read */
  uint8_t *data;
} cpb_flat_page;

#define CPB_PAGE_RUNS 4

/* Neighbouring pages that were read one after the other, upwards or downwards. */
typedef struct cpb_page_run {
  uint64_t first, last; /* the pages of it that were fetched last or are being fetched */
  uint64_t length;      /* number of these pages; 0: no run */
} cpb_page_run;

typedef struct cpb_pages {
  cpb_allocator allocator;
  cpb_input *input;
  cpb_error *error;
  uint64_t size; /* of the input */
  uint64_t max_memory;
  cpb_flat_page *list; /* by number */
  size_t count, capacity;
  uint64_t turn;
  cpb_page_run runs[CPB_PAGE_RUNS]; /* the latest is first */
  uint8_t *coming;                  /* the page that is being filled */
  uint64_t coming_number;
  size_t coming_size;
} cpb_pages;

void cpb_pages_init(cpb_pages *pages, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_error *error);
void cpb_pages_free(cpb_pages *pages);

/* Copies [offset, offset + length), which lies within the input's size.
 * CPB_HAVE, CPB_WAIT, or CPB_FAILED with the error set. */
cpb_have cpb_pages_read(cpb_pages *pages, uint64_t offset, size_t length, uint8_t *out);

/* Begins another turn: pages that were read in earlier turns may be dropped. Call it when
 * nothing is under way that would start over after CPB_WAIT. */
void cpb_pages_turn(cpb_pages *pages);

#endif
