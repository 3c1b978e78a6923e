/* The places in the tree of objects that are still to be visited, each a child of another: the path to
 * one is put together where it is to be shown, since all paths of a deep tree are much longer than the
 * tree. */
#ifndef CPB_MODEL_DIFF_PLACES_H
#define CPB_MODEL_DIFF_PLACES_H

#include "base/alloc.h"
#include "base/bytes.h"

#define CPB_DIFF_NO_PLACE SIZE_MAX

/* Objects of both models of which the children are still to be compared. */
typedef struct cpb_diff_place {
  uint64_t nodes[2];
  size_t parent;          /* a place before it, or CPB_DIFF_NO_PLACE */
  size_t name, name_size; /* of the object in its parent, in `names` */
} cpb_diff_place;

typedef struct cpb_diff_places {
  cpb_allocator allocator;
  cpb_diff_place *list;
  size_t count, capacity;
  cpb_buffer names;
  cpb_buffer seen[2]; /* a bit for each object: it is one of the places */
  cpb_buffer path;
} cpb_diff_places;

void cpb_diff_places_init(cpb_diff_places *places, const cpb_allocator *a);
void cpb_diff_places_free(cpb_diff_places *places); /* empties them */

/* Adds a place, unless an object of it is one already: an object may be listed twice as a child, and its
 * own children as well. False when memory is short. */
bool cpb_diff_places_add(cpb_diff_places *places, const uint64_t nodes[2], size_t parent, cpb_span name);

/* The path of the child `name` of a place, as in root.layer.kernel, until the next call; of
 * CPB_DIFF_NO_PLACE it is `name`. Data is NULL when memory is short. */
cpb_span cpb_diff_places_path(cpb_diff_places *places, size_t parent, cpb_span name);

#endif
