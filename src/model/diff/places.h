/* Places in the tree of objects whose children are still to be compared. A place is a child of another place. */
#ifndef CPB_MODEL_DIFF_PLACES_H
#define CPB_MODEL_DIFF_PLACES_H

#include "model/common/links.h"

#define CPB_DIFF_NO_PLACE SIZE_MAX

/* Two objects, one of each model, whose children are still to be compared. */
typedef struct cpb_diff_place {
  uint64_t nodes[2];
} cpb_diff_place;

typedef struct cpb_diff_places {
  cpb_allocator allocator;
  cpb_diff_place *list;
  cpb_link *links; /* of each place, and one for a child of it; they own their names */
  size_t count, capacity, links_capacity;
  cpb_buffer seen[2]; /* a bit for each object that is one of the places */
  cpb_buffer path;
} cpb_diff_places;

void cpb_diff_places_init(cpb_diff_places *places, const cpb_allocator *a);
void cpb_diff_places_free(cpb_diff_places *places); /* empties them */

/* Adds a place, unless one of its objects is a place already: an object may be the child of several objects. False if
 * memory is short. */
bool cpb_diff_places_add(cpb_diff_places *places, const uint64_t nodes[2], size_t parent, cpb_span name);

/* The path of the child `name` of a place, in the form of the answers (common/links.h), valid until the next call; for
 * CPB_DIFF_NO_PLACE it is `name`. NULL data if memory is short. */
cpb_span cpb_diff_places_path(cpb_diff_places *places, size_t parent, cpb_span name);

#endif
