#include "chunked/merge/items.h"

#include "base/status.h"

/* --- Ranges and patches ---------------------------------------------------- */

static bool reserve(cpb_merge_walk *w, void **items, size_t *capacity, size_t count, size_t element) {
  if (!cpb_merge_tree_charge(w->tree)) return false;
  if (cpb_reserve(&w->allocator, items, capacity, count + 1, element)) return true;
  cpb_fail_memory(w->error);
  return false;
}

uint32_t cpb_walk_new_range(cpb_merge_walk *w, uint32_t chunk, uint64_t begin, uint64_t end) {
  void *ranges = w->ranges;
  if (!reserve(w, &ranges, &w->ranges_capacity, w->num_ranges, sizeof *w->ranges)) return CPB_NONE;
  w->ranges = ranges;
  w->ranges[w->num_ranges] = (cpb_walk_range){begin, end, chunk, CPB_NONE, CPB_NONE, CPB_NONE};
  return (uint32_t)w->num_ranges++;
}

uint32_t cpb_walk_new_patch(cpb_merge_walk *w, uint32_t range, uint64_t begin, uint64_t end, uint32_t target) {
  void *patches = w->patches;
  if (!reserve(w, &patches, &w->patches_capacity, w->num_patches, sizeof *w->patches)) return CPB_NONE;
  w->patches = patches;
  uint32_t patch = (uint32_t)w->num_patches++;
  w->patches[patch] = (cpb_patch){begin, end, target, CPB_NONE};
  cpb_walk_range *p = &w->ranges[range];
  if (p->last_patch == CPB_NONE) p->first_patch = patch;
  else w->patches[p->last_patch].next = patch;
  p->last_patch = patch;
  return patch;
}

uint64_t cpb_walk_whole_size(cpb_merge_walk *w, const cpb_target *t) {
  uint64_t size = 0;
  cpb_chunk_store_size(w->store, t->first_range, &size);
  return size;
}

bool cpb_walk_make_range(cpb_merge_walk *w, uint32_t target) {
  cpb_target *t = &w->tree->targets[target];
  if (!t->whole) return true;
  uint32_t range = cpb_walk_new_range(w, t->first_range, 0, cpb_walk_whole_size(w, t));
  if (range == CPB_NONE) return false;
  t->whole = false;
  t->first_range = t->last_range = range;
  return true;
}

/* --- What is in the message ----------------------------------------------- */

void cpb_walk_set_live(cpb_merge_walk *w, uint32_t id) {
  cpb_target *t = &w->tree->targets[id];
  if (t->live) return;
  cpb_target_more *parent = &w->tree->more[w->tree->targets[t->parent].more]; /* it has children */
  t->live = true;
  t->next_live = parent->first_live;
  parent->first_live = id;
}

static void empty(cpb_merge_tree *tree, cpb_target *t) {
  t->merged = t->apart = t->is_number = t->whole = t->crowded = t->hidden = false;
  t->first_range = t->last_range = CPB_NONE;
  if (t->more == 0) return;
  cpb_target_more *more = &tree->more[t->more];
  more->count = 0;
  more->num_numbers = more->numbers_capacity = 0;
  more->first_live = more->first_insert = more->last_insert = CPB_NONE;
}

/* Puts the children of what is removed in front of the list of what is still to be removed: so no
 * stack is needed, however deep the tree. */
void cpb_walk_clear(cpb_merge_walk *w, uint32_t id) {
  cpb_target *targets = w->tree->targets;
  uint32_t list = cpb_target_more_of(w->tree, &targets[id])->first_live;
  empty(w->tree, &targets[id]);
  while (list != CPB_NONE) {
    cpb_target *gone = &targets[list];
    uint32_t below = cpb_target_more_of(w->tree, gone)->first_live;
    list = gone->next_live;
    empty(w->tree, gone);
    gone->live = false;
    gone->anchor = gone->next_live = CPB_NONE;
    while (below != CPB_NONE) {
      uint32_t after = targets[below].next_live;
      targets[below].next_live = list;
      list = below;
      below = after;
    }
  }
}
