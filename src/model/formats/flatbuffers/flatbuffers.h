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
#include "model/formats/flatbuffers/pages.h"

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
