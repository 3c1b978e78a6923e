#include "riegeli/transpose/encoder_state.h"

#include "base/checked.h"

struct cpb_slab {
  cpb_slab *next;
  size_t size; /* with this struct */
};

enum { SMALLEST_BLOCK = 64, LARGEST_BLOCK = 64 << 10, SMALLEST_SLAB = 4 << 10, LARGEST_SLAB = 256 << 10 };

/* --- Slabs ------------------------------------------------------------------ */

static cpb_slab *reuse(cpb_slabs *slabs, size_t size) {
  for (cpb_slab **at = &slabs->unused; *at; at = &(*at)->next) {
    cpb_slab *slab = *at;
    if (slab->size < size) continue;
    *at = slab->next;
    return slab;
  }
  return NULL;
}

/* A slab of at least `size` bytes. */
static cpb_slab *new_slab(cpb_slabs *slabs, const cpb_allocator *a, size_t size) {
  cpb_slab *slab = reuse(slabs, size);
  if (!slab) {
    slab = cpb_alloc(a, size);
    if (!slab) return NULL;
    slab->size = size;
    slabs->total += size;
  }
  slab->next = slabs->used;
  slabs->used = slab;
  slabs->in_use += slab->size;
  return slab;
}

/* Slabs grow in proportion to the total memory, and equally for each chunk, so that they fit again. A large block has a
 * slab of its own. */
static void *take(cpb_slabs *slabs, const cpb_allocator *a, size_t size) {
  if (size > slabs->left) {
    const size_t usual = cpb_min_size(cpb_max_size(slabs->in_use, SMALLEST_SLAB), LARGEST_SLAB);
    const bool own = size > usual / 2;
    size_t whole;
    cpb_slab *slab = NULL;
    if (cpb_add_size(size, sizeof *slab, &whole)) slab = new_slab(slabs, a, own ? whole : usual);
    if (!slab || own) return slab ? slab + 1 : NULL;
    slabs->next = (uint8_t *)(slab + 1);
    slabs->left = slab->size - sizeof *slab;
  }
  void *block = slabs->next;
  slabs->next += size;
  slabs->left -= size;
  return block;
}

void cpb_slabs_reset(cpb_slabs *slabs, const cpb_allocator *a, size_t keep) {
  cpb_slab *lists[] = {slabs->used, slabs->unused};
  *slabs = (cpb_slabs){.left = 0};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    for (cpb_slab *slab = lists[i], *next; slab; slab = next) {
      next = slab->next;
      if (slab->size > keep - slabs->total) {
        cpb_release(a, slab);
        continue;
      }
      slab->next = slabs->unused;
      slabs->unused = slab;
      slabs->total += slab->size;
    }
  }
}

/* --- Columns ---------------------------------------------------------------- */

static uint8_t *bytes_of(const cpb_column_block *block) { return (uint8_t *)(block + 1); }

cpb_span cpb_column_bytes(const cpb_column *column, const cpb_column_block *block) {
  const size_t unused = block == column->newest ? column->room : 0;
  return (cpb_span){bytes_of(block) + unused, block->size - unused};
}

/* Adds a block for `size` bytes at least, all unused. */
static bool add_block(cpb_column *column, cpb_slabs *slabs, const cpb_allocator *a, size_t size) {
  const size_t align = sizeof(cpb_column_block);
  const size_t usual = !column->newest ? SMALLEST_BLOCK : cpb_min_size(2 * column->newest->size, LARGEST_BLOCK);
  size_t whole;
  if (!cpb_add_size(cpb_max_size(usual, size), 2 * align - 1, &whole)) return false;
  whole -= whole % align;
  cpb_column_block *block = take(slabs, a, whole);
  if (!block) return false;
  block->older = column->newest;
  block->size = whole - sizeof *block;
  column->newest = block;
  column->room = block->size;
  column->begin = bytes_of(block) + block->size;
  return true;
}

bool cpb_column_put_slowly(cpb_column *column, cpb_slabs *slabs, const cpb_allocator *a, cpb_span bytes) {
  const size_t rest = bytes.size - column->room;
  if (column->room > 0) {
    memcpy(bytes_of(column->newest), bytes.data + rest, column->room);
    column->size += column->room;
    column->begin = bytes_of(column->newest);
    column->room = 0;
  }
  return add_block(column, slabs, a, rest) && cpb_column_put(column, slabs, a, (cpb_span){bytes.data, rest});
}
