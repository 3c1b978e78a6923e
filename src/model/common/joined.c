#include "model/common/joined.h"

#include <stdlib.h>
#include <string.h>

#define WORTH 1024 /* items, for which joining is worth it */

void cpb_joined_free(cpb_joined *l) { cpb_release(&l->allocator, l->items); }

void cpb_joined_join(cpb_joined *l) {
  size_t kept = 0;
  char *items = l->items;
  if (l->count > 1) qsort(items, l->count, l->each, l->compare);
  for (size_t i = 0; i < l->count; i++) {
    char *last = kept > 0 ? items + (kept - 1) * l->each : NULL, *item = items + i * l->each;
    if (last && l->compare(last, item) == 0) l->join(last, item);
    else memmove(items + kept++ * l->each, item, l->each);
  }
  l->count = l->joined = kept;
}

bool cpb_joined_add(cpb_joined *l, const void *item) {
  char *last = l->count > 0 ? (char *)l->items + (l->count - 1) * l->each : NULL;
  if (last && !l->late && l->compare(last, item) == 0) return l->join(last, item), true;
  if (!l->late && l->count / 4 > l->joined && l->count >= WORTH) cpb_joined_join(l);
  if (!cpb_reserve(&l->allocator, &l->items, &l->capacity, l->count + 1, l->each)) return false;
  memcpy((char *)l->items + l->count++ * l->each, item, l->each);
  return true;
}
