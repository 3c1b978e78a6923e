/* The walk over the chunks: carries out the operations of the tree. See walk.c. */
#ifndef CPB_CHUNKED_MERGE_WALK_H
#define CPB_CHUNKED_MERGE_WALK_H

#include "chunked/merge/walk_state.h"

void cpb_merge_walk_init(cpb_merge_walk *w, const cpb_allocator *a, cpb_merge_tree *tree, cpb_chunk_store *store,
                         uint32_t depth_limit, cpb_error *error);
void cpb_merge_walk_free(cpb_merge_walk *w);
/* Frees the data that only walking needs; the data for the layout stays. */
void cpb_merge_walk_finish(cpb_merge_walk *w);

/* Creates the target, and the targets around it, if it is not in the message yet. */
bool cpb_walk_make_live(cpb_merge_walk *w, uint32_t target);

/* CPB_HAVE when all operations were carried out, CPB_WAIT, or CPB_FAILED with
 * the error set. */
cpb_have cpb_merge_walk_run(cpb_merge_walk *w);

#endif
