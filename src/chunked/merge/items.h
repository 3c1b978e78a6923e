/* The ranges and patches that a walk notes, and which targets are in the message. */
#ifndef CPB_CHUNKED_MERGE_ITEMS_H
#define CPB_CHUNKED_MERGE_ITEMS_H

#include "chunked/merge/walk_state.h"

/* Each returns the new item's number, or CPB_NONE with the error set. */
uint32_t cpb_walk_new_range(cpb_merge_walk *w, uint32_t chunk, uint64_t begin, uint64_t end);
uint32_t cpb_walk_new_patch(cpb_merge_walk *w, uint32_t range, uint64_t begin, uint64_t end, uint32_t target);

void cpb_walk_set_live(cpb_merge_walk *w, uint32_t target);
/* The target's content goes, and all that was in it. */
void cpb_walk_clear(cpb_merge_walk *w, uint32_t target);

#endif
