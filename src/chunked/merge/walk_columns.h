/* The data of a walk's items, in columns, because there may be a million. */
#ifndef CPB_CHUNKED_MERGE_WALK_COLUMNS_H
#define CPB_CHUNKED_MERGE_WALK_COLUMNS_H

#include "chunked/merge/walk_state.h"

/* False, with the error set, when memory is short. */
bool cpb_walk_set(cpb_merge_walk *w, cpb_column *column, size_t i, uint64_t value);

/* --- Ranges and patches ------------------------------------------------------ */

static inline uint32_t cpb_walk_item(const cpb_column *c, size_t i) { return (uint32_t)cpb_column_get(c, i) - 1; }

static inline cpb_walk_range cpb_walk_get_range(const cpb_merge_walk *w, uint32_t i) {
  const cpb_range_columns *c = &w->ranges;
  uint64_t begin = cpb_column_get(&c->begin, i);
  return (cpb_walk_range){begin,
                          begin + cpb_column_get(&c->size, i),
                          cpb_walk_item(&c->chunk, i),
                          cpb_walk_item(&c->next, i),
                          cpb_walk_item(&c->first_patch, i),
                          cpb_walk_item(&c->last_patch, i)};
}

static inline cpb_patch cpb_walk_get_patch(const cpb_merge_walk *w, uint32_t i) {
  const cpb_patch_columns *c = &w->patches;
  uint64_t begin = cpb_column_get(&c->begin, i);
  return (cpb_patch){begin, begin + cpb_column_get(&c->size, i), cpb_walk_item(&c->target, i),
                     cpb_walk_item(&c->next, i)};
}

/* Frees these, and inserts. */
void cpb_walk_free_items(cpb_merge_walk *w);

/* --- Numbers: `i` is a place in the row ---------------------------------------- */

static inline cpb_place cpb_walk_first_place(const cpb_merge_walk *w, size_t i) {
  const cpb_number_columns *c = &w->numbers;
  return (cpb_place){cpb_column_get(&c->first_offset, i), (uint32_t)cpb_column_get(&c->first_range, i)};
}

static inline cpb_place cpb_walk_last_place(const cpb_merge_walk *w, size_t i) {
  const cpb_number_columns *c = &w->numbers;
  return (cpb_place){cpb_column_get(&c->last_offset, i), (uint32_t)cpb_column_get(&c->last_range, i)};
}

bool cpb_walk_set_last_place(cpb_merge_walk *w, size_t i, cpb_place last);
bool cpb_walk_set_number(cpb_merge_walk *w, size_t i, cpb_number number);

/* Forgets the numbers of a target. */
void cpb_walk_clear_numbers(cpb_merge_walk *w, uint32_t target);

/* Frees the numbers of all targets. */
void cpb_walk_free_numbers(cpb_merge_walk *w);

#endif
