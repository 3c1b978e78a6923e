/* qsort() in place of the C library's, which may keep equal elements in their order where another
 * library does not: this one reverses them. What it sorts must have a total order. */
#ifndef UNSTABLE_SORT_H
#define UNSTABLE_SORT_H

#include <stdlib.h>
#include <string.h>

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *list = base, held[256];
  if (size > sizeof held) abort();
  for (size_t i = 1; i < count; i++) {
    size_t at = i;
    memcpy(held, list + i * size, size);
    while (at > 0 && compare(list + (at - 1) * size, held) >= 0) at--;
    memmove(list + (at + 1) * size, list + at * size, (i - at) * size);
    memcpy(list + at * size, held, size);
  }
}

#endif
