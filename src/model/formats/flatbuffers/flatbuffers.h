/* Reads FlatBuffers field by field, without generated code and without a verifying pass
 * before: each offset, size and alignment is checked when it is followed, each string for its
 * NUL and UTF-8. The bytes that are read are counted in `spent` and limited by the size of the
 * buffer, as a small buffer whose tables are shared at every level would otherwise expand
 * without bound. docs/samediff-format.md says what is checked, FlatBuffers' docs/source/internals.md
 * how the format works.
 *
 * The buffer is in memory, whole or only its beginning, or it is read from an input in pages.
 * A function that returns false either lacks bytes (flat->wait is true: supply more, then
 * repeat the same call) or has set the error. It has appended nothing to `out` then. Tables
 * and vectors are offsets, not pointers: they stay valid when pages come and go. */
#ifndef CPB_MODEL_FORMATS_FLATBUFFERS_FLATBUFFERS_H
#define CPB_MODEL_FORMATS_FLATBUFFERS_FLATBUFFERS_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/input.h"

/* --- pages ------------------------------------------------------------------------------------ */

/* A cache of pages of 4 KiB, for an input that is read in no particular order.
 *
 * The cache owns copies of the pages, sorted by number; a page is in the list only once it is
 * complete, and `coming` is the one that is not. It takes at most `max_memory` bytes of pages,
 * or two pages if that is more. Pages are dropped only in cpb_pages_turn(), never while one is
 * being read: so a reader that had to wait can start over and finds all that it has read
 * before, and comes further each time. */

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

/* --- flatbuffers ------------------------------------------------------------------------------ */

typedef struct cpb_flat {
  uint64_t size;    /* of the whole buffer */
  uint64_t base;    /* its offset in the input, for errors, or CPB_NO_OFFSET */
  cpb_pages *pages; /* NULL when the buffer is in memory */
  cpb_span memory;  /* then the whole buffer, or its first bytes */
  uint64_t spent;   /* bytes read, each as often as it was read */
  bool wait;
  cpb_error *error;
} cpb_flat;

/* An absent table or vector has `at` 0. */
typedef struct cpb_flat_table {
  uint64_t at, vtable;
  uint16_t vtable_size, size;
} cpb_flat_table;

typedef struct cpb_flat_vector {
  uint64_t at; /* of the first element */
  uint32_t count;
} cpb_flat_vector;

void cpb_flat_begin(cpb_flat *flat, cpb_span memory, uint64_t size, uint64_t base, cpb_error *error);
void cpb_flat_begin_pages(cpb_flat *flat, cpb_pages *pages, cpb_error *error);

/* Sets the error, about byte `at` of the buffer. Returns false. */
bool cpb_flat_fail(cpb_flat *flat, uint64_t at, const char *what);

/* The root table, whose offset is in the first four bytes. */
bool cpb_flat_root(cpb_flat *flat, cpb_flat_table *root);

/* An integer field of `size` bytes (1, 2, 4 or 8), sign-extended; `absent`, the
 * schema's default, when it is not stored. */
bool cpb_flat_number(cpb_flat *flat, const cpb_flat_table *table, unsigned field, unsigned size, int64_t absent,
                     int64_t *value);
bool cpb_flat_table_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, cpb_flat_table *sub);
/* `size` is that of an element; tables and strings are stored as offsets of 4 bytes. */
bool cpb_flat_vector_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, unsigned size,
                        cpb_flat_vector *vector);
/* Appends the text to `out`. An absent one is empty. */
bool cpb_flat_text_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, cpb_buffer *out);

/* Elements, i < count. */
bool cpb_flat_element(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, unsigned size, int64_t *value);
bool cpb_flat_element_table(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, cpb_flat_table *sub);
bool cpb_flat_element_text(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, cpb_buffer *out);

/* The table at `at`, an offset that was found before. */
bool cpb_flat_open(cpb_flat *flat, uint64_t at, cpb_flat_table *table);

#endif
