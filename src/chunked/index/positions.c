#include "chunked/index/tree_order.h"

#include <string.h>

#include "base/checked.h"

static uint64_t at(const cpb_positions *p, size_t i) {
  return p->sorted ? p->sorted[i] : cpb_column_get(&p->metadata->chunks.offset, i);
}

/* --- Making --------------------------------------------------------------- */

static bool ascends(const cpb_metadata *m) {
  uint64_t last = 0;
  for (size_t i = 0; i < m->num_chunks; i++) {
    uint64_t position = cpb_column_get(&m->chunks.offset, i);
    if (i > 0 && position <= last) return false;
    last = position;
  }
  return true;
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

static uint32_t file_of(const cpb_positions *p, size_t i) { return cpb_metadata_reference(p->metadata, i).file; }

/* Sorts the positions by file: counts them, puts them into place, and sorts them there. Duplicates within a file leave
 * its last places with UINT64_MAX. */
static bool sort_by_file(cpb_positions *p) {
  size_t bytes, count = p->count, num_files = (size_t)p->metadata->highest_file + 1;
  if (!cpb_mul_size(num_files + 1, sizeof *p->files, &bytes)) return false;
  p->files = cpb_alloc_zeroed(&p->allocator, bytes);
  if (!p->files) return false;
  for (size_t i = 0; i < count; i++) p->files[file_of(p, i) + 1]++;
  for (size_t f = 0; f < num_files; f++) p->files[f + 1] += p->files[f];
  for (size_t i = 0; i < count; i++)
    p->sorted[p->files[file_of(p, i)]++] = cpb_column_get(&p->metadata->chunks.offset, i);
  for (size_t f = 0, begin = 0; f < num_files; begin = p->files[f++]) {
    sort(p->sorted + begin, p->files[f] - begin);
    size_t kept = keep_each_once(p->sorted + begin, p->files[f] - begin);
    memset(p->sorted + begin + kept, 0xff, (p->files[f] - begin - kept) * sizeof *p->sorted);
  }
  p->count = p->files[0];
  return true;
}

bool cpb_positions_init(cpb_positions *p, const cpb_allocator *a, const cpb_metadata *metadata) {
  *p = (cpb_positions){.allocator = *a, .metadata = metadata, .count = metadata->num_chunks};
  bool is_one = metadata->highest_file == 0;
  size_t bytes;
  if (is_one && ascends(metadata)) return true;
  if (!cpb_mul_size(p->count, sizeof *p->sorted, &bytes)) return false;
  p->sorted = cpb_alloc(a, bytes);
  if (!p->sorted) return false;
  if (!is_one) return sort_by_file(p);
  for (size_t i = 0; i < p->count; i++) p->sorted[i] = cpb_column_get(&metadata->chunks.offset, i);
  sort(p->sorted, p->count);
  p->count = keep_each_once(p->sorted, p->count);
  return true;
}

void cpb_positions_free(cpb_positions *p) {
  cpb_release(&p->allocator, p->sorted);
  cpb_release(&p->allocator, p->files);
  p->sorted = NULL;
  p->files = NULL;
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

/* Positions are distinct, so two in one run are as far apart as their ranks. */
static bool in_one_run(const cpb_positions *p, size_t a, size_t b) { return at(p, b) - at(p, a) == b - a; }

/* Most runs contain one position. */
static size_t run_begin(const cpb_positions *p, size_t i) {
  size_t low = 0, high = i;
  if (i > 0 && !in_one_run(p, i - 1, i)) return i;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (in_one_run(p, middle, i)) high = middle;
    else low = middle + 1;
  }
  return low;
}

static size_t run_end(const cpb_positions *p, size_t i) {
  size_t low = i, high = p->count;
  if (high - low > 1 && !in_one_run(p, i, i + 1)) return i + 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (in_one_run(p, i, middle)) low = middle;
    else high = middle;
  }
  return high;
}

static void around(const cpb_positions *p, uint64_t position, uint64_t *begin, uint64_t *end) {
  size_t i = rank(p, position);
  *begin = position;
  *end = CPB_NO_OFFSET;
  if (i == p->count) return;
  size_t next = run_end(p, i);
  *begin = at(p, run_begin(p, i));
  if (next < p->count) *end = at(p, next);
}

void cpb_positions_around(const cpb_positions *p, uint32_t file, uint64_t position, uint64_t *begin, uint64_t *end) {
  cpb_positions one = *p;
  if (p->files) {
    size_t first = file > 0 ? p->files[file - 1] : 0;
    one.sorted = p->sorted + first;
    one.count = p->files[file] - first;
  }
  around(&one, position, begin, end);
}
