#include "chunked/split/parts.h"

#include <string.h>

#include "base/checked.h"

void cpb_parts_init(cpb_parts *p, const cpb_allocator *a) {
  memset(p, 0, sizeof *p);
  p->allocator = *a;
}

void cpb_parts_free(cpb_parts *p) {
  const cpb_allocator a = p->allocator;
  cpb_release(&a, p->items);
  cpb_parts_init(p, &a);
}

static bool begin(cpb_parts *p, size_t first, bool alone) {
  void *items = p->items;
  if (!cpb_reserve(&p->allocator, &items, &p->capacity, p->count + 1, sizeof *p->items)) return false;
  p->items = items;
  p->items[p->count++] = (cpb_file_part){first, alone};
  p->bytes = 0;
  return true;
}

static bool is_full(const cpb_parts *p, bool alone, bool large, bool joined) {
  if (p->count == 0 || p->items[p->count - 1].alone != alone) return true;
  return !joined && (p->bytes >= p->least || p->large || large);
}

bool cpb_parts_add(cpb_parts *p, const cpb_record_writer *writer, uint64_t size, bool joined) {
  size_t chunk = p->num_chunks++;
  bool alone = size > p->most, large = cpb_parts_leave(size, false);
  if (!cpb_record_writer_fits(writer, &p->filled, size)) {
    p->last_begin = chunk;
    if (is_full(p, alone, large, joined) && !begin(p, chunk, alone)) return false;
  }
  p->large = large;
  if (!cpb_add_u64(p->bytes, size, &p->bytes)) p->bytes = UINT64_MAX;
  return true;
}

bool cpb_parts_finish(cpb_parts *p, bool index_joins) {
  if (!index_joins || p->count == 0) return true;
  cpb_file_part *last = &p->items[p->count - 1];
  if (last->first != p->last_begin) return begin(p, p->last_begin, true);
  last->alone = true;
  return true;
}

size_t cpb_parts_end(const cpb_parts *p, size_t i) { return i + 1 < p->count ? p->items[i + 1].first : p->num_chunks; }

bool cpb_parts_arrive(cpb_parts *p, size_t chunk) {
  bool arrived = p->next < p->count && p->items[p->next].first == chunk;
  if (arrived) p->next++;
  return arrived;
}
