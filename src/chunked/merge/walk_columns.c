#include "chunked/merge/walk_state.h"

#include "base/status.h"

bool cpb_walk_set(cpb_merge_walk *w, cpb_column *column, size_t i, uint64_t value) {
  if (cpb_column_set(column, &w->allocator, i, value)) return true;
  cpb_fail_memory(w->error);
  return false;
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
