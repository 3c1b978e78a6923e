/* Columns: byte strings that grow at the front, many of them at once. A column is a list of blocks, each filled from
 * its end to its beginning, which are cut from slabs. So nothing moves when a column grows, and a small one takes
 * little memory. */
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
  size_t in_use; /* bytes of the slabs in use */
  size_t total;  /* total bytes */
} cpb_slabs;

typedef struct cpb_column_block {
  struct cpb_column_block *older;
  size_t size;
} cpb_column_block; /* its bytes follow */

typedef struct cpb_column {
  cpb_column_block *newest;
  uint8_t *begin; /* of the used part of that block; from here on the block is full, like all older ones */
  size_t room;    /* bytes free before that */
  uint64_t size;  /* of all */
} cpb_column;

/* For cpb_column_put() if the room is too small. */
bool cpb_column_put_slowly(cpb_column *column, cpb_slabs *slabs, const cpb_allocator *a, cpb_span bytes);

/* False if memory is short. */
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

/* Frees all blocks, and the slabs in excess of `keep` bytes. */
void cpb_slabs_reset(cpb_slabs *slabs, const cpb_allocator *a, size_t keep);

#endif
