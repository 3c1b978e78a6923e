/* Chooses places to cut the merged message so that no Riegeli chunk that is expensive to decode is needed on both
 * sides. */
#include <stdlib.h>

#include "base/checked.h"
#include "chunked/merge/merge_state.h"

/* A large Riegeli chunk, with the first and last segment that need it. */
typedef struct extent {
  uint32_t file;
  uint64_t begin;
  size_t first, last;
} extent;

typedef struct cutter {
  const cpb_merge *merge;
  extent *extents;
  size_t num_extents, extents_capacity;
  uint64_t *cuts;
  size_t num_cuts, cuts_capacity;
} cutter;

static bool is_literal(const cutter *c, size_t segment) {
  return cpb_layout_get(c->merge->plan, segment).chunk == CPB_LITERAL;
}

static cpb_chunk_home home_of(const cutter *c, size_t segment) {
  return cpb_chunk_store_home(&c->merge->store, cpb_layout_get(c->merge->plan, segment).chunk);
}

/* --- What must not be cut ---------------------------------------------------- */

static bool is_in(const extent *e, cpb_chunk_home home) { return e->begin == home.begin && e->file == home.file; }

static bool add_extent(cutter *c, cpb_chunk_home home, size_t segment) {
  if (c->num_extents > 0 && is_in(&c->extents[c->num_extents - 1], home)) {
    c->extents[c->num_extents - 1].last = segment;
    return true;
  }
  if (!CPB_RESERVE(&c->merge->allocator, &c->extents, &c->extents_capacity, c->num_extents + 1)) return false;
  c->extents[c->num_extents++] = (extent){home.file, home.begin, segment, segment};
  return true;
}

static bool find_extents(cutter *c) {
  for (size_t i = 0; i < c->merge->plan->num_segments; i++) {
    if (is_literal(c, i)) continue;
    cpb_chunk_home home = home_of(c, i);
    if (home.large && !add_extent(c, home, i)) return false;
  }
  return true;
}

static int order(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_begin(const void *a, const void *b) {
  const extent *x = a, *y = b;
  if (x->file != y->file) return order(x->file, y->file);
  return x->begin != y->begin ? order(x->begin, y->begin) : order(x->first, y->first);
}

static int by_first(const void *a, const void *b) {
  const extent *x = a, *y = b;
  return order(x->first, y->first);
}

/* Joins all extents of a Riegeli chunk into one. */
static void join_extents(cutter *c) {
  size_t kept = 0;
  if (c->num_extents < 2) return;
  qsort(c->extents, c->num_extents, sizeof *c->extents, by_begin);
  for (size_t i = 1; i < c->num_extents; i++) {
    const extent *e = &c->extents[i];
    if (c->extents[kept].begin == e->begin && c->extents[kept].file == e->file) c->extents[kept].last = e->last;
    else c->extents[++kept] = *e;
  }
  c->num_extents = kept + 1;
  qsort(c->extents, c->num_extents, sizeof *c->extents, by_first);
}

/* --- Cutting ----------------------------------------------------------------- */

static bool add_cut(cutter *c, uint64_t offset) {
  if (!CPB_RESERVE(&c->merge->allocator, &c->cuts, &c->cuts_capacity, c->num_cuts + 1)) return false;
  c->cuts[c->num_cuts++] = offset;
  return true;
}

/* A cut goes before a segment if no large Riegeli chunk is open there, and the segment before it is in another Riegeli
 * chunk. */
static bool find_cuts(cutter *c, uint64_t least) {
  const cpb_merge_layout *plan = c->merge->plan;
  uint64_t begin = 0;
  cpb_chunk_home last = {.begin = CPB_NO_OFFSET};
  size_t closed = 0; /* the first segment at which every extent so far has ended */
  for (size_t i = 0, next = 0; i < plan->num_segments; i++) {
    if (is_literal(c, i)) continue;
    for (; next < c->num_extents && c->extents[next].first < i; next++)
      closed = cpb_max_size(closed, c->extents[next].last + 1);
    cpb_chunk_home home = home_of(c, i);
    uint64_t offset = cpb_layout_offset(plan, i);
    bool same = home.begin == last.begin && home.file == last.file && home.begin != CPB_NO_OFFSET;
    bool apart = i >= closed && !same;
    last = home;
    if (!apart || offset - begin < least) continue;
    if (!add_cut(c, offset)) return false;
    begin = offset;
  }
  return plan->size == begin || add_cut(c, plan->size);
}

cpb_code cpb_merge_cut(cpb_merge *m, uint64_t least, const uint64_t **cuts, size_t *count) {
  cutter c = {.merge = m};
  if (m->state != CPB_MERGE_READY) return CPB_E_USAGE;
  bool done = find_extents(&c);
  if (done) {
    join_extents(&c);
    done = find_cuts(&c, cpb_max_u64(least, 1));
  }
  cpb_release(&m->allocator, c.extents);
  cpb_release(&m->allocator, m->cuts);
  *cuts = m->cuts = c.cuts;
  *count = done ? c.num_cuts : 0;
  return done ? CPB_OK : CPB_E_MEMORY;
}
