/* Where in a message the fields of each number are, and so where a new field
 * belongs. */
#ifndef CPB_CHUNKED_MERGE_NUMBERS_H
#define CPB_CHUNKED_MERGE_NUMBERS_H

#include "chunked/merge/walk_state.h"

static inline bool cpb_place_before(cpb_place a, cpb_place b) {
  return a.range != b.range ? a.range < b.range : a.offset < b.offset;
}

/* A field begins at `place`; whichever came before it ended there. */
bool cpb_numbers_field(const cpb_allocator *a, cpb_number_list *list, uint32_t number, cpb_place place);
void cpb_numbers_end(cpb_number_list *list, cpb_place place);

/* Call it after a range of `target` was walked: adds it to the target's ranges, or, if its fields all have one number
 * and there are ranges already, makes it an insert. */
bool cpb_walk_add_range(cpb_merge_walk *w, uint32_t target, uint32_t range, const cpb_number_list *list);

/* The same for a range that was not walked: it comes last, whatever it contains, and so must all later ones. */
bool cpb_walk_append_range(cpb_merge_walk *w, uint32_t target, uint32_t range);

/* Whether the target's ranges have no field with a number above this. */
bool cpb_walk_ends_with(const cpb_merge_walk *w, uint32_t target, uint32_t number);

/* Adds an insert of field `number` to the message `target`. */
bool cpb_walk_insert(cpb_merge_walk *w, uint32_t target, uint32_t number, cpb_insert_kind kind, uint32_t what);

#endif
