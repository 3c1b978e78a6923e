#include "chunked/index/positions.h"

#include "base/checked.h"

static uint64_t at(const cpb_positions *p, size_t i) {
  return p->sorted ? p->sorted[i] : p->metadata->chunks[i].offset;
}

/* --- Making --------------------------------------------------------------- */

static bool ascends(const cpb_metadata *m) {
  size_t i = 1;
  while (i < m->num_chunks && m->chunks[i - 1].offset < m->chunks[i].offset) i++;
  return i >= m->num_chunks;
}

/* Moves items[i] down a heap with the largest at items[0]. */
static void sift(uint64_t *items, size_t i, size_t count) {
  uint64_t item = items[i];
  for (size_t child; i < count / 2; i = child) {
    child = 2 * i + 1;
    if (child + 1 < count && items[child] < items[child + 1]) child++;
    if (items[child] <= item) break;
    items[i] = items[child];
  }
  items[i] = item;
}

static void sort(uint64_t *items, size_t count) {
  for (size_t i = count / 2; i > 0; i--) sift(items, i - 1, count);
  for (size_t end = count; end > 1; end--) {
    uint64_t largest = items[0];
    items[0] = items[end - 1];
    items[end - 1] = largest;
    sift(items, 0, end - 1);
  }
}

static size_t keep_each_once(uint64_t *items, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept == 0 || items[kept - 1] != items[i]) items[kept++] = items[i];
  }
  return kept;
}

bool cpb_positions_init(cpb_positions *p, const cpb_allocator *a, const cpb_metadata *metadata) {
  *p = (cpb_positions){.allocator = *a, .metadata = metadata, .count = metadata->num_chunks};
  if (ascends(metadata)) return true;
  size_t bytes;
  if (!cpb_mul_size(p->count, sizeof *p->sorted, &bytes)) return false;
  p->sorted = cpb_alloc(a, bytes);
  if (!p->sorted) return false;
  for (size_t i = 0; i < p->count; i++) p->sorted[i] = metadata->chunks[i].offset;
  sort(p->sorted, p->count);
  p->count = keep_each_once(p->sorted, p->count);
  return true;
}

void cpb_positions_free(cpb_positions *p) {
  cpb_release(&p->allocator, p->sorted);
  p->sorted = NULL;
}

/* --- Asking --------------------------------------------------------------- */

/* How many positions are less than `position`. */
static size_t rank(const cpb_positions *p, uint64_t position) {
  size_t low = 0, high = p->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (at(p, middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Positions differ, so two of one run are as far apart as their ranks. */
static bool in_one_run(const cpb_positions *p, size_t a, size_t b) { return at(p, b) - at(p, a) == b - a; }

static size_t run_begin(const cpb_positions *p, size_t i) {
  size_t low = 0, high = i;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (in_one_run(p, middle, i)) high = middle;
    else low = middle + 1;
  }
  return low;
}

static size_t run_end(const cpb_positions *p, size_t i) {
  size_t low = i, high = p->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (in_one_run(p, i, middle)) low = middle;
    else high = middle;
  }
  return high;
}

void cpb_positions_around(const cpb_positions *p, uint64_t position, uint64_t *begin, uint64_t *end) {
  size_t i = rank(p, position);
  *begin = position;
  *end = CPB_NO_OFFSET;
  if (i == p->count) return;
  size_t next = run_end(p, i);
  *begin = at(p, run_begin(p, i));
  if (next < p->count) *end = at(p, next);
}
