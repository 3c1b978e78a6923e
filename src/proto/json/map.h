/* The entries of a map, sorted by key; the last of several with the same key. */
#ifndef CPB_PROTO_JSON_MAP_H
#define CPB_PROTO_JSON_MAP_H

#include "proto/json/fields.h"

typedef struct cpb_json_entry {
  cpb_json_item item; /* the entry, a message */
  cpb_span text;      /* the key, if it is a string */
  uint64_t value;     /* else a number as on the wire */
  uint64_t rank;      /* the sort key */
} cpb_json_entry;

/* A stack, like cpb_json_items. */
typedef struct cpb_json_entries {
  cpb_json_entry *list;
  size_t count, capacity;
} cpb_json_entries;

/* Appends the entries that are the items [first, end), all of one map. */
bool cpb_json_collect_entries(cpb_json_entries *entries, cpb_json_items *items, size_t first, size_t end);

#endif
