/* A list in which equal items are joined. That is done whenever there are four times as many as after the last time: so
 * it takes the memory of what there is to be told, and not of what a model has. */
#ifndef CPB_MODEL_COMMON_JOINED_H
#define CPB_MODEL_COMMON_JOINED_H

#include "base/alloc.h"

typedef struct cpb_joined {
  cpb_allocator allocator;
  size_t each; /* bytes of an item */
  int (*compare)(const void *a, const void *b);
  void (*join)(void *to, const void *from); /* in whichever order they came */
  bool late;                                /* nothing is joined before cpb_joined_join() */
  void *items;
  size_t count, capacity, joined;
} cpb_joined;

void cpb_joined_free(cpb_joined *list);
/* A copy of the item. False when memory is short. */
bool cpb_joined_add(cpb_joined *list, const void *item);
/* After the last was added: one of each, in the order of `compare`. */
void cpb_joined_join(cpb_joined *list);

#endif
