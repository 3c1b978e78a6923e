/* The state of a cpb_merge. */
#ifndef CPB_CHUNKED_MERGE_MERGE_STATE_H
#define CPB_CHUNKED_MERGE_MERGE_STATE_H

#include "base/column.h"
#include "chunked/index/index_state.h"
#include "chunked/merge/targets.h"
#include "chunked/merge/walk_state.h"

/* --- layout ----------------------------------------------------------------------------------- */

/* The plan of a merge: the segments of the merged message, built from the results of the walk.
 *
 * Segments are in the order of the message, without gaps: each ends where the next one begins, the last at `size`. A
 * segment is a range of a chunk, or of `literals`, which has the new tags and lengths; the content of chunks is not
 * copied. A layout never changes once it is built, so several readers can share it. Memory: segments are in columns, 10
 * bytes each in a message of less than 4 GiB; each is charged to the meter as an entry (limits.entries). */

typedef struct cpb_layout_segment {
  uint64_t offset; /* in the merged message; its length extends to the next one */
  uint64_t at;     /* in the chunk or in `literals` */
  uint32_t chunk;  /* or CPB_LITERAL */
} cpb_layout_segment;

typedef struct cpb_merge_layout {
  cpb_allocator allocator;
  cpb_column offsets, ats, chunks; /* by segment; chunks: plus 1; 0: literals */
  size_t num_segments;
  cpb_buffer literals;
  uint64_t size;
} cpb_merge_layout;

static inline uint64_t cpb_layout_offset(const cpb_merge_layout *layout, size_t segment) {
  return cpb_column_get(&layout->offsets, segment);
}

static inline cpb_layout_segment cpb_layout_get(const cpb_merge_layout *layout, size_t segment) {
  return (cpb_layout_segment){cpb_layout_offset(layout, segment), cpb_column_get(&layout->ats, segment),
                              (uint32_t)cpb_column_get(&layout->chunks, segment) - 1};
}

void cpb_merge_layout_init(cpb_merge_layout *layout, const cpb_allocator *a);
void cpb_merge_layout_free(cpb_merge_layout *layout);

/* Fills `layout` once the walk is done. False with the walk's error set. */
bool cpb_merge_layout_build(cpb_merge_layout *layout, cpb_merge_walk *walk);

/* --- merge state ------------------------------------------------------------------------------ */

typedef enum cpb_merge_state { CPB_MERGE_BEGIN, CPB_MERGE_WALK, CPB_MERGE_READY, CPB_MERGE_FAILED } cpb_merge_state;

/* A range of a file that will be read in sequence, according to the segments before `segment`. */
typedef struct cpb_merge_joined {
  uint64_t begin, end;
  uint32_t file;
  size_t segment;
  uint64_t used; /* clock of the last use */
} cpb_merge_joined;

/* A message that alternates between chunks in several places reads sequentially in each of them. */
enum { CPB_MERGE_JOINED = 4 };

struct cpb_merge {
  cpb_allocator outer; /* of the merge itself */
  cpb_meter meter;
  cpb_allocator allocator; /* of everything else */
  cpb_merge_options options;
  const cpb_index *index;
  cpb_input input;
  cpb_error error;
  cpb_merge_state state;
  bool planned; /* a later read may have failed */
  cpb_chunk_store store;
  cpb_merge_tree tree;
  cpb_merge_walk walk;
  cpb_merge_only *only;    /* after cpb_merge_plan_for() */
  cpb_walk_losses *losses; /* with cpb_merge_keep_damaged() */
  cpb_merge_layout layout;
  const cpb_merge_layout *plan; /* its own plan, or that of the merge that it was forked from */
  uint64_t *cuts;
  uint64_t at, end; /* of the range being read */
  size_t segment;   /* the segment of `at` */
  cpb_merge_joined joined[CPB_MERGE_JOINED];
  uint64_t clock;
  cpb_span data;
};

#endif
