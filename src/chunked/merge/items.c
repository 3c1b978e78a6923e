#include "base/status.h"
#include "chunked/merge/walk_state.h"

/* --- walk columns ----------------------------------------------------------------------------- */

bool cpb_walk_set(cpb_merge_walk *w, cpb_column *column, size_t i, uint64_t value) {
  if (cpb_column_set(column, &w->allocator, i, value)) return true;
  return cpb_fail_memory(w->error), false;
}

void cpb_walk_free_items(cpb_merge_walk *w) {
  cpb_range_columns *r = &w->ranges;
  cpb_patch_columns *p = &w->patches;
  cpb_column *const all[] = {&r->begin,      &r->size,  &r->chunk, &r->next,   &r->first_patch,
                             &r->last_patch, &p->begin, &p->size,  &p->target, &p->next};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) cpb_column_free(all[i], &w->allocator);
  cpb_release(&w->allocator, w->inserts);
  w->inserts = NULL;
}

bool cpb_walk_set_last_place(cpb_merge_walk *w, size_t i, cpb_place last) {
  cpb_number_columns *c = &w->numbers;
  return cpb_walk_set(w, &c->last_offset, i, last.offset) && cpb_walk_set(w, &c->last_range, i, last.range);
}

bool cpb_walk_set_number(cpb_merge_walk *w, size_t i, cpb_number number) {
  cpb_number_columns *c = &w->numbers;
  return cpb_walk_set(w, &c->number, i, number.number) && cpb_walk_set(w, &c->first_offset, i, number.first.offset) &&
         cpb_walk_set(w, &c->first_range, i, number.first.range) && cpb_walk_set_last_place(w, i, number.last);
}

/* Indices beyond the column are 0 already, so this cannot fail. */
void cpb_walk_clear_numbers(cpb_merge_walk *w, uint32_t target) {
  cpb_column_set(&w->numbers.count, &w->allocator, target, 0);
  cpb_column_set(&w->numbers.capacity, &w->allocator, target, 0);
}

void cpb_walk_free_numbers(cpb_merge_walk *w) {
  cpb_number_columns *c = &w->numbers;
  cpb_column *const all[] = {&c->list,        &c->count,        &c->capacity,   &c->number,
                             &c->first_range, &c->first_offset, &c->last_range, &c->last_offset};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) cpb_column_free(all[i], &w->allocator);
  c->used = 0;
}

/* --- items ------------------------------------------------------------------------------------ */

/* --- Ranges and patches ---------------------------------------------------- */

/* An item's number, or CPB_NONE. */
static bool set_item(cpb_merge_walk *w, cpb_column *column, size_t i, uint32_t item) {
  return cpb_walk_set(w, column, i, (uint32_t)(item + 1));
}

/* Fields that are not set here stay zero. */
uint32_t cpb_walk_new_range(cpb_merge_walk *w, uint32_t chunk, uint64_t begin, uint64_t end) {
  cpb_range_columns *c = &w->ranges;
  size_t i = w->num_ranges;
  if (!cpb_merge_tree_charge(w->tree)) return CPB_NONE;
  if (!cpb_walk_set(w, &c->begin, i, begin) || !cpb_walk_set(w, &c->size, i, end - begin) ||
      !set_item(w, &c->chunk, i, chunk))
    return CPB_NONE;
  return (uint32_t)w->num_ranges++;
}

bool cpb_walk_link_range(cpb_merge_walk *w, uint32_t range, uint32_t next) {
  return set_item(w, &w->ranges.next, range, next);
}

static bool link_patch(cpb_merge_walk *w, uint32_t range, uint32_t patch) {
  cpb_range_columns *c = &w->ranges;
  uint32_t last = cpb_walk_item(&c->last_patch, range);
  bool linked =
      last == CPB_NONE ? set_item(w, &c->first_patch, range, patch) : set_item(w, &w->patches.next, last, patch);
  return linked && set_item(w, &c->last_patch, range, patch);
}

uint32_t cpb_walk_new_patch(cpb_merge_walk *w, uint32_t range, uint64_t begin, uint64_t end, uint32_t target) {
  cpb_patch_columns *c = &w->patches;
  uint32_t i = (uint32_t)w->num_patches;
  if (!cpb_merge_tree_charge(w->tree)) return CPB_NONE;
  if (!cpb_walk_set(w, &c->begin, i, begin) || !cpb_walk_set(w, &c->size, i, end - begin) ||
      !set_item(w, &c->target, i, target) || !link_patch(w, range, i))
    return CPB_NONE;
  w->num_patches++;
  return i;
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

static void empty(cpb_merge_walk *w, uint32_t id) {
  cpb_merge_tree *tree = w->tree;
  cpb_target *t = &tree->targets[id];
  cpb_walk_clear_numbers(w, id);
  t->merged = t->apart = t->is_number = t->whole = t->crowded = t->hidden = false;
  t->first_range = t->last_range = CPB_NONE;
  if (t->more == 0) return;
  cpb_target_more *more = &tree->more[t->more];
  more->count = 0;
  more->first_live = more->first_insert = more->last_insert = CPB_NONE;
}

/* Puts the children of a removed target at the front of the list of targets still to be removed, so that no stack is
 * needed, however deep the tree. */
void cpb_walk_clear(cpb_merge_walk *w, uint32_t id) {
  cpb_target *targets = w->tree->targets;
  uint32_t list = cpb_target_more_of(w->tree, &targets[id])->first_live;
  empty(w, id);
  while (list != CPB_NONE) {
    cpb_target *gone = &targets[list];
    uint32_t below = cpb_target_more_of(w->tree, gone)->first_live;
    empty(w, list);
    list = gone->next_live;
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
