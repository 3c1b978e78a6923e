#include <string.h>

#include "base/checked.h"
#include "chunked/split/chunked_writer.h"

/* --- evenly ----------------------------------------------------------------------------------- */

#define PIECE_MOST ((size_t)1 << 20)
#define PIECE_LEAST ((size_t)64 << 10)

void cpb_evenly_init(cpb_evenly *p, const cpb_allocator *a, size_t buffer) {
  memset(p, 0, sizeof *p);
  cpb_buffer_init(&p->held, a);
  p->most = buffer == 0 ? PIECE_MOST : cpb_min_size(cpb_max_size(buffer, PIECE_LEAST), PIECE_MOST);
}

void cpb_evenly_free(cpb_evenly *p) { cpb_buffer_free(&p->held); }

void cpb_evenly_begin(cpb_evenly *p, uint64_t chunk_size, bool even) {
  p->left = chunk_size;
  p->even = even;
  p->rest.size = p->held.size = 0;
  p->given = false;
}

/* Bytes beyond the end of the chunk are returned as well: the writer rejects them. */
bool cpb_evenly_next(cpb_evenly *p, cpb_span *piece) {
  *piece = (cpb_span){NULL, 0};
  if (p->given) p->held.size = 0;
  p->given = false;
  const bool whole = p->held.size == 0 && p->rest.size >= cpb_min_u64(p->most, p->left);
  if (whole || !p->even) {
    const size_t size = p->even ? cpb_min_size(p->rest.size, p->most) : p->rest.size;
    *piece = (cpb_span){p->rest.data, size};
    p->rest = (cpb_span){p->rest.data + size, p->rest.size - size};
    p->left -= cpb_min_u64(size, p->left);
    return true;
  }
  size_t n = cpb_min_size(p->rest.size, p->most - p->held.size);
  if (!cpb_buffer_append(&p->held, p->rest.data, n)) return false;
  p->rest = (cpb_span){p->rest.data + n, p->rest.size - n};
  p->left -= cpb_min_u64(n, p->left);
  p->given = p->held.size == p->most || p->left == 0;
  if (p->given) *piece = (cpb_span){p->held.data, p->held.size};
  return true;
}

/* --- parts ------------------------------------------------------------------------------------ */

void cpb_parts_init(cpb_parts *p, const cpb_allocator *a) {
  memset(p, 0, sizeof *p);
  p->allocator = *a;
}

void cpb_parts_free(cpb_parts *p) {
  const cpb_allocator a = p->allocator;
  cpb_release(&a, p->items);
  cpb_parts_init(p, &a);
}

void cpb_parts_restart(cpb_parts *p, const cpb_record_writer *writer, uint64_t least) {
  cpb_parts_free(p);
  p->least = least;
  p->most = cpb_record_writer_buffer(writer);
}

static bool begin(cpb_parts *p, size_t first, bool alone) {
  if (!CPB_RESERVE(&p->allocator, &p->items, &p->capacity, p->count + 1)) return false;
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
