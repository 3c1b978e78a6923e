/* A map's entries sorted by key: their order in a message depends on its writer. */
#ifndef CPB_MODEL_COMMON_ENTRIES_H
#define CPB_MODEL_COMMON_ENTRIES_H

#include "base/alloc.h"
#include "model/common/cursor.h"

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

#endif
