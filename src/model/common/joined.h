/* A list that joins equal items whenever it has grown to four times its size after the last join. Its memory is
 * therefore proportional to the result, and not to the model. */
#ifndef CPB_MODEL_COMMON_JOINED_H
#define CPB_MODEL_COMMON_JOINED_H

#include "base/alloc.h"

typedef struct cpb_joined {
  cpb_allocator allocator;
  size_t each; /* bytes of an item */
  int (*compare)(const void *a, const void *b);
  void (*join)(void *to, const void *from); /* in any order */
  bool late;                                /* joins only in cpb_joined_join() */
  void *items;
  size_t count, capacity, joined;
} cpb_joined;

void cpb_joined_free(cpb_joined *list);
/* Adds a copy of the item. False if memory is short. */
bool cpb_joined_add(cpb_joined *list, const void *item);
/* Call it after the last was added. It leaves one item of each, in the order of `compare`. */
void cpb_joined_join(cpb_joined *list);

#endif
