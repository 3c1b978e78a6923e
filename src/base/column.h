/* A column: numbers by index. Each takes as many bytes as the largest of them needs; trailing zeros take none. Columns
 * hold items that may number in the millions; a struct for each would need room for the largest possible values. */
#ifndef CPB_BASE_COLUMN_H
#define CPB_BASE_COLUMN_H

#include "base/alloc.h"
#include "base/bytes.h"

/* All 0: an empty one. */
typedef struct cpb_column {
  uint8_t *bytes;
  size_t capacity; /* in bytes; a number is loaded as 8, so there are spare bytes after the last */
  size_t count;    /* numbers stored */
  uint64_t mask;   /* of a number's bytes */
  uint8_t width;   /* bytes of a number */
} cpb_column;

static inline uint64_t cpb_column_get(const cpb_column *c, size_t i) {
  return i < c->count ? cpb_load64(c->bytes + i * c->width) & c->mask : 0;
}

/* False, with nothing changed, if memory is short. */
bool cpb_column_set(cpb_column *c, const cpb_allocator *a, size_t i, uint64_t value);

/* Makes an empty column equal to `from`. */
bool cpb_column_copy(cpb_column *c, const cpb_allocator *a, const cpb_column *from);

void cpb_column_free(cpb_column *c, const cpb_allocator *a);

#endif
