/* FlatBuffers read field by field, each verified before it is used: offsets within
 * the buffer, aligned, strings with their NUL and UTF-8. What a path through the
 * buffer costs is counted, so that tables shared over and over are no way to make
 * little into much. docs/samediff-format.md says what is checked.
 *
 * The buffer is in memory, or only its first bytes, or it is pages of an input.
 * A function that returns false either needs bytes that are not there
 * (flat->wait: supply more and do the same again) or has set the error. */
#ifndef CPB_MODEL_FORMATS_FLATBUFFERS_FLATBUFFERS_H
#define CPB_MODEL_FORMATS_FLATBUFFERS_FLATBUFFERS_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "model/formats/flatbuffers/pages.h"

typedef struct cpb_flat {
  uint64_t size;    /* of the whole buffer */
  uint64_t base;    /* where it lies in the input, for errors, or CPB_NO_OFFSET */
  cpb_pages *pages; /* NULL: it is in memory, */
  cpb_span memory;  /* all of it, or its first bytes */
  uint64_t spent;   /* bytes looked at */
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

/* Sets the error, at `at` of the buffer. Answers false. */
bool cpb_flat_fail(cpb_flat *flat, uint64_t at, const char *what);

/* The table that the first bytes point to. */
bool cpb_flat_root(cpb_flat *flat, cpb_flat_table *root);

/* A field of `size` bytes (1, 2, 4 or 8), its sign extended; `absent` when it is
 * not stored. */
bool cpb_flat_number(cpb_flat *flat, const cpb_flat_table *table, unsigned field, unsigned size, int64_t absent,
                     int64_t *value);
bool cpb_flat_table_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, cpb_flat_table *sub);
/* Elements of `size` bytes; those of tables and strings have 4. */
bool cpb_flat_vector_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, unsigned size,
                        cpb_flat_vector *vector);
/* Appends the text to `out`. An absent one is empty. */
bool cpb_flat_text_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, cpb_buffer *out);

/* Elements, i < count. */
bool cpb_flat_element(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, unsigned size, int64_t *value);
bool cpb_flat_element_table(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, cpb_flat_table *sub);
bool cpb_flat_element_text(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, cpb_buffer *out);

/* The table at `at`, found before. */
bool cpb_flat_open(cpb_flat *flat, uint64_t at, cpb_flat_table *table);

#endif
