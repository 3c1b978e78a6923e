#include "chunked/split/evenly.h"

#include <string.h>

#include "base/checked.h"

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
