/* Pages of an input that is read here and there: what was touched is kept. */
#ifndef CPB_MODEL_FORMATS_FLATBUFFERS_PAGES_H
#define CPB_MODEL_FORMATS_FLATBUFFERS_PAGES_H

#include "base/alloc.h"
#include "base/input.h"

typedef struct cpb_flat_page {
  uint64_t number;
  uint64_t used; /* the turn that touched it last */
  uint8_t *data;
} cpb_flat_page;

#define CPB_PAGE_RUNS 4

/* Pages that came in a row, up or down, and how many to fetch at once when it goes on. */
typedef struct cpb_page_run {
  uint64_t first, last; /* what was fetched last of it, or is being fetched */
  uint64_t length;      /* 0: this is none */
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
  uint8_t *coming;                  /* a page of which not all is there */
  uint64_t coming_number;
  size_t coming_size;
} cpb_pages;

void cpb_pages_init(cpb_pages *pages, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_error *error);
void cpb_pages_free(cpb_pages *pages);

/* Copies [offset, offset + length), which lies within the input's size.
 * CPB_HAVE, CPB_WAIT, or CPB_FAILED with the error set. */
cpb_have cpb_pages_read(cpb_pages *pages, uint64_t offset, size_t length, uint8_t *out);

/* What was touched in the turn before this one, or earlier, may go. Within a turn
 * everything stays, so that what was cut short by CPB_WAIT can begin again. */
void cpb_pages_turn(cpb_pages *pages);

#endif
