/* Names, found by binary search: of functions, nodes, operations. */
#ifndef CPB_MODEL_COMMON_NAMES_H
#define CPB_MODEL_COMMON_NAMES_H

#include "base/alloc.h"
#include "base/bytes.h"

#define CPB_NO_NAME UINT32_MAX

typedef struct cpb_name {
  cpb_span text; /* the caller's */
  uint32_t what; /* for the caller */
} cpb_name;

typedef struct cpb_names {
  cpb_allocator allocator;
  cpb_name *items;
  size_t count, capacity;
} cpb_names;

void cpb_names_init(cpb_names *names, const cpb_allocator *a);
void cpb_names_free(cpb_names *names);
/* False when memory is short. */
bool cpb_names_add(cpb_names *names, cpb_span text, uint32_t what);
/* Call it after the last was added. */
void cpb_names_sort(cpb_names *names);
/* The number of this name (the first that was added, if there are several), or CPB_NO_NAME. */
uint32_t cpb_names_find(const cpb_names *names, cpb_span text);
/* All entries with this name, ordered by their numbers. */
const cpb_name *cpb_names_all(const cpb_names *names, cpb_span text, size_t *count);

#endif
