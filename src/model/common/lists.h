/* Lists: of calls between functions, of a map's entries, of joined items, of names. */
#ifndef CPB_MODEL_COMMON_LISTS_H
#define CPB_MODEL_COMMON_LISTS_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "model/common/cursor.h"

/* --- calls ------------------------------------------------------------------------------------ */

/* Who calls whom, of the functions of a model. */

typedef struct cpb_call {
  uint32_t caller; /* numbers of the owner's */
  uint32_t callee;
  uint32_t count; /* nodes of the caller that call it */
} cpb_call;

typedef struct cpb_calls {
  cpb_allocator allocator;
  cpb_call *items; /* by caller, then callee */
  size_t count, capacity;
  cpb_call *callers; /* the same by callee, then caller */
} cpb_calls;

void cpb_calls_init(cpb_calls *calls, const cpb_allocator *a);
void cpb_calls_free(cpb_calls *calls);

/* Notes that a node of the caller calls it. False if memory is short. */
bool cpb_calls_add(cpb_calls *calls, uint32_t caller, uint32_t callee);
/* Call it after the last was added: keeps one of each pair. False if memory is short. */
bool cpb_calls_sort(cpb_calls *calls);

/* The calls by a function, and the calls of it; they are contiguous. */
const cpb_call *cpb_calls_by(const cpb_calls *calls, uint32_t caller, size_t *count);
const cpb_call *cpb_calls_of(const cpb_calls *calls, uint32_t callee, size_t *count);

/* --- entries ---------------------------------------------------------------------------------- */

/* A map's entries sorted by key: their order in a message depends on its writer. */

typedef struct cpb_entry {
  cpb_span key, value; /* of a map<string, message or string> */
} cpb_entry;

typedef struct cpb_entries {
  cpb_allocator allocator;
  cpb_entry *items;
  size_t count, capacity;
} cpb_entries;

/* The entries of field `number`; as in parsers, the last of several with the same key wins. False if memory is short,
 * with nothing to free. */
bool cpb_entries_read(cpb_entries *entries, const cpb_allocator *a, cpb_span message, uint32_t number);
/* The value of the key, or NULL data. */
cpb_span cpb_entries_find(const cpb_entries *entries, cpb_span key);
void cpb_entries_free(cpb_entries *entries);

/* --- joined ----------------------------------------------------------------------------------- */

/* A list that joins equal items whenever it has grown to four times its size after the last join. Its memory is
 * therefore proportional to the result, and not to the model. */

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

/* --- names ------------------------------------------------------------------------------------ */

/* Names, found by binary search: of functions, nodes, operations. */

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
