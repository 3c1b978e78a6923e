/* A column: numbers by index, each in as many bytes as the largest of them needs, and zeros after the last
 * other number in none. What there is a million of is kept in columns, where a struct would take the room of
 * the largest values that might come. */
#ifndef CPB_BASE_COLUMN_H
#define CPB_BASE_COLUMN_H

#include "base/alloc.h"
#include "base/bytes.h"

/* All 0: an empty one. */
typedef struct cpb_column {
  uint8_t *bytes;
  size_t capacity; /* bytes; a number is loaded as 8, so that there are some after the last */
  size_t count;    /* numbers that are stored */
  uint64_t mask;   /* of the bytes of a number */
  uint8_t width;   /* how many these are */
} cpb_column;

static inline uint64_t cpb_column_get(const cpb_column *c, size_t i) {
  return i < c->count ? cpb_load64(c->bytes + i * c->width) & c->mask : 0;
}

/* False when memory is short: then nothing has changed. */
bool cpb_column_set(cpb_column *c, const cpb_allocator *a, size_t i, uint64_t value);

/* Makes an empty column equal to `from`. */
bool cpb_column_copy(cpb_column *c, const cpb_allocator *a, const cpb_column *from);

void cpb_column_free(cpb_column *c, const cpb_allocator *a);

#endif
