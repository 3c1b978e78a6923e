#include "chunked/merge/numbers.h"

#include <string.h>

#include "base/status.h"
#include "chunked/merge/items.h"

/* More numbers than any schema has: a message with more gets its new fields at
 * the end. */
#define NUMBERS_MAX 1024

static bool no_memory(cpb_merge_walk *w) {
  cpb_fail_memory(w->error);
  return false;
}

/* --- The list of one range ------------------------------------------------- */

/* The index of `number`, or where it would be. */
static size_t search(const cpb_number *items, size_t count, uint32_t number) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (items[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

void cpb_numbers_end(cpb_number_list *list, cpb_place place) {
  if (list->count > 0) list->items[list->open].last = place;
}

bool cpb_numbers_field(const cpb_allocator *a, cpb_number_list *list, uint32_t number, cpb_place place) {
  if (list->crowded) return true;
  cpb_numbers_end(list, place);
  if (list->count > 0 && list->items[list->open].number == number) return true;
  size_t i = search(list->items, list->count, number);
  list->open = i;
  if (i < list->count && list->items[i].number == number) return true;
  if (list->count == NUMBERS_MAX) {
    list->crowded = true;
    return true;
  }
  void *items = list->items;
  if (!cpb_reserve(a, &items, &list->capacity, list->count + 1, sizeof *list->items)) return false;
  list->items = items;
  memmove(list->items + i + 1, list->items + i, (list->count - i) * sizeof *list->items);
  list->items[i] = (cpb_number){place, place, number};
  list->count++;
  return true;
}

/* --- The list of a target ------------------------------------------------- */

static cpb_place later(cpb_place a, cpb_place b) { return cpb_place_before(a, b) ? b : a; }

/* Where a new field `number` belongs: before the first field with a higher
 * number, but after all that have the same, for among those the order counts. */
static cpb_place place_for(const cpb_merge_walk *w, const cpb_target *t, uint32_t number) {
  const cpb_target_more *more = cpb_target_more_of(w->tree, t);
  if (t->last_range == CPB_NONE) return (cpb_place){0, 0};
  cpb_place place = {w->ranges[t->last_range].end, t->last_range + 1};
  if (t->crowded || more->num_numbers == 0) return place;
  const cpb_number *items = w->numbers + more->numbers;
  size_t i = search(items, more->num_numbers, number);
  bool same = i < more->num_numbers && items[i].number == number;
  for (size_t higher = i + same; higher < more->num_numbers; higher++) {
    if (cpb_place_before(items[higher].first, place)) place = items[higher].first;
  }
  return same ? later(items[i].last, place) : place;
}

/* Room for one more number in the target's list, which moves to the end of w->numbers to become
 * twice as large. */
static bool reserve_number(cpb_merge_walk *w, cpb_target_more *t) {
  if (t->num_numbers < t->numbers_capacity) return true;
  uint32_t capacity = t->numbers_capacity > 0 ? 2 * t->numbers_capacity : 8;
  void *numbers = w->numbers;
  if (!cpb_reserve(&w->allocator, &numbers, &w->numbers_capacity, w->num_numbers + capacity, sizeof *w->numbers)) {
    return no_memory(w);
  }
  w->numbers = numbers;
  if (t->num_numbers > 0) {
    memcpy(w->numbers + w->num_numbers, w->numbers + t->numbers, t->num_numbers * sizeof *w->numbers);
  }
  t->numbers = w->num_numbers;
  t->numbers_capacity = capacity;
  w->num_numbers += capacity;
  return true;
}

/* A list has at most NUMBERS_MAX numbers, so that all inserting into it is bounded however many
 * ranges come; a number that is there already is only looked up. */
static bool add_number(cpb_merge_walk *w, cpb_target_more *t, cpb_number number) {
  size_t i = t->num_numbers > 0 ? search(w->numbers + t->numbers, t->num_numbers, number.number) : 0;
  if (i < t->num_numbers && w->numbers[t->numbers + i].number == number.number) {
    w->numbers[t->numbers + i].last = number.last;
    return true;
  }
  if (!reserve_number(w, t)) return false;
  cpb_number *items = w->numbers + t->numbers;
  memmove(items + i + 1, items + i, (t->num_numbers - i) * sizeof *items);
  items[i] = number;
  t->num_numbers++;
  return true;
}

static bool add_numbers(cpb_merge_walk *w, uint32_t target, const cpb_number_list *list) {
  cpb_target *t = &w->tree->targets[target];
  if (list->crowded || t->crowded || cpb_target_more_of(w->tree, t)->num_numbers + list->count > NUMBERS_MAX) {
    t->crowded = true;
    return true;
  }
  cpb_target_more *more = list->count > 0 ? cpb_target_make_more(w->tree, target) : NULL;
  if (!more) return list->count == 0;
  for (size_t i = 0; i < list->count; i++) {
    if (!add_number(w, more, list->items[i])) return false;
  }
  return true;
}

static void link_range(cpb_merge_walk *w, cpb_target *t, uint32_t range) {
  if (t->last_range == CPB_NONE) t->first_range = range;
  else w->ranges[t->last_range].next = range;
  t->last_range = range;
}

void cpb_walk_append_range(cpb_merge_walk *w, uint32_t target, uint32_t range) {
  link_range(w, &w->tree->targets[target], range);
  w->tree->targets[target].crowded = true;
}

bool cpb_walk_ends_with(const cpb_merge_walk *w, uint32_t target, uint32_t number) {
  const cpb_target *t = &w->tree->targets[target];
  const cpb_target_more *more = cpb_target_more_of(w->tree, t);
  if (t->crowded || more->num_numbers == 0) return true;
  return w->numbers[more->numbers + more->num_numbers - 1].number <= number;
}

bool cpb_walk_add_range(cpb_merge_walk *w, uint32_t target, uint32_t range, const cpb_number_list *list) {
  cpb_target *t = &w->tree->targets[target];
  if (!cpb_walk_make_range(w, target)) return false;
  bool one_number = list->count == 1 && !list->crowded;
  if (t->last_range != CPB_NONE && one_number) {
    return cpb_walk_insert(w, target, list->items[0].number, CPB_INSERT_RANGE, range);
  }
  link_range(w, t, range);
  return add_numbers(w, target, list);
}

/* --- Inserts -------------------------------------------------------------- */

bool cpb_walk_insert(cpb_merge_walk *w, uint32_t target, uint32_t number, cpb_insert_kind kind, uint32_t what) {
  void *inserts = w->inserts;
  if (!cpb_merge_tree_charge(w->tree)) return false;
  if (!cpb_reserve(&w->allocator, &inserts, &w->inserts_capacity, w->num_inserts + 1, sizeof *w->inserts)) {
    return no_memory(w);
  }
  w->inserts = inserts;
  cpb_target_more *more = cpb_target_make_more(w->tree, target);
  if (!more) return false;
  const cpb_target *t = &w->tree->targets[target];
  uint64_t looked_at = t->crowded ? 0 : more->num_numbers;
  if (!cpb_meter_charge(w->tree->meter, CPB_WORK_WALKED, looked_at, w->tree->position, w->error)) return false;
  uint32_t id = (uint32_t)w->num_inserts++;
  cpb_place place = place_for(w, t, number);
  w->inserts[id] =
      (cpb_insert){place.offset, place.range, number & CPB_FIELD_NUMBER_MAX, (uint32_t)kind & 3, what, CPB_NONE};
  if (more->last_insert == CPB_NONE) more->first_insert = id;
  else w->inserts[more->last_insert].next = id;
  more->last_insert = id;
  return true;
}
