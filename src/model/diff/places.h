/* The places in the tree of objects that are still to be visited, each a child of another. */
#ifndef CPB_MODEL_DIFF_PLACES_H
#define CPB_MODEL_DIFF_PLACES_H

#include "model/common/links.h"

#define CPB_DIFF_NO_PLACE SIZE_MAX

/* Objects of both models of which the children are still to be compared. */
typedef struct cpb_diff_place {
  uint64_t nodes[2];
} cpb_diff_place;

typedef struct cpb_diff_places {
  cpb_allocator allocator;
  cpb_diff_place *list;
  cpb_link *links; /* of each place, and room for a child of it; their names are ours */
  size_t count, capacity, links_capacity;
  cpb_buffer seen[2]; /* a bit for each object: it is one of the places */
  cpb_buffer path;
} cpb_diff_places;

void cpb_diff_places_init(cpb_diff_places *places, const cpb_allocator *a);
void cpb_diff_places_free(cpb_diff_places *places); /* empties them */

/* Adds a place, unless an object of it is one already: an object may be listed twice as a child, and its
 * own children as well. False when memory is short. */
bool cpb_diff_places_add(cpb_diff_places *places, const uint64_t nodes[2], size_t parent, cpb_span name);

/* The path of the child `name` of a place, as the models' answers have it (common/links.h), until the
 * next call; of CPB_DIFF_NO_PLACE it is `name`. Data is NULL when memory is short. */
cpb_span cpb_diff_places_path(cpb_diff_places *places, size_t parent, cpb_span name);

#endif
