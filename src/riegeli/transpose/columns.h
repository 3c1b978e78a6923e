/* Columns: bytes that are put in front of what is there, many columns at once. A column is a list of
 * blocks, each filled from its end to its beginning, which are cut from slabs. So nothing is moved
 * when a column grows, and a small one takes little. */
#ifndef CPB_RIEGELI_TRANSPOSE_COLUMNS_H
#define CPB_RIEGELI_TRANSPOSE_COLUMNS_H

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_slab cpb_slab;

typedef struct cpb_slabs {
  cpb_slab *used, *unused;
  uint8_t *next; /* in the slab that blocks are cut from */
  size_t left;   /* there */
  size_t in_use; /* bytes of the slabs that are used */
  size_t total;  /* and of all */
} cpb_slabs;

typedef struct cpb_column_block {
  struct cpb_column_block *older;
  size_t size;
} cpb_column_block; /* and its bytes */

typedef struct cpb_column {
  cpb_column_block *newest;
  uint8_t *begin; /* of what is in that block; from there on it is full, as older ones are */
  size_t room;    /* before that */
  uint64_t size;  /* of all */
} cpb_column;

/* For cpb_column_put() where the room is not enough. */
bool cpb_column_put_slowly(cpb_column *column, cpb_slabs *slabs, const cpb_allocator *a, cpb_span bytes);

/* False when memory is short. */
static inline bool cpb_column_put(cpb_column *column, cpb_slabs *slabs, const cpb_allocator *a, cpb_span bytes) {
  if (bytes.size > column->room) return cpb_column_put_slowly(column, slabs, a, bytes);
  column->begin -= bytes.size;
  column->room -= bytes.size;
  column->size += bytes.size;
  memcpy(column->begin, bytes.data, bytes.size);
  return true;
}

/* The bytes of a column are those of its blocks, from the newest to the oldest. */
cpb_span cpb_column_bytes(const cpb_column *column, const cpb_column_block *block);

/* Frees all blocks, and of the slabs what is more than `keep` bytes. */
void cpb_slabs_reset(cpb_slabs *slabs, const cpb_allocator *a, size_t keep);

#endif
