/* The ranges and patches that a walk finds, and which targets are live, that is, in the message.
 *
 * Items are referred to by number and not by pointer, because the arrays move when they grow; an item never changes its
 * number and is never freed. Clearing only unlinks items. So the arrays grow with the work done, and the meter, which
 * is charged for each item, bounds both. Each range is in the list of at most one target, each patch in that of one
 * range, in the order of the chunk. */
#ifndef CPB_CHUNKED_MERGE_ITEMS_H
#define CPB_CHUNKED_MERGE_ITEMS_H

#include "chunked/merge/walk_columns.h"

/* Each returns the new item's number, or CPB_NONE with the error set. */
uint32_t cpb_walk_new_range(cpb_merge_walk *w, uint32_t chunk, uint64_t begin, uint64_t end);
uint32_t cpb_walk_new_patch(cpb_merge_walk *w, uint32_t range, uint64_t begin, uint64_t end, uint32_t target);

/* Makes `next` follow the range in the list of a target. */
bool cpb_walk_link_range(cpb_merge_walk *w, uint32_t range, uint32_t next);

/* Gives a range to a target that is a whole chunk, before another range is added. */
bool cpb_walk_make_range(cpb_merge_walk *w, uint32_t target);
/* The size of that chunk, which was read when the target became the chunk. */
uint64_t cpb_walk_whole_size(cpb_merge_walk *w, const cpb_target *t);

void cpb_walk_set_live(cpb_merge_walk *w, uint32_t target);
/* Removes the target's content with all targets in it; the target itself stays live. Takes time proportional to the
 * live targets below it, without recursion. */
void cpb_walk_clear(cpb_merge_walk *w, uint32_t target);

#endif
