/* The state of a cpb_merge. */
#ifndef CPB_CHUNKED_MERGE_MERGE_STATE_H
#define CPB_CHUNKED_MERGE_MERGE_STATE_H

#include "chunked/index/index_state.h"
#include "chunked/merge/layout.h"
#include "chunked/merge/only.h"

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
