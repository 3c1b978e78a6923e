/* The entries of a map field: sorted by key, the last of each key. */
#ifndef CPB_PROTO_JSON_MAP_H
#define CPB_PROTO_JSON_MAP_H

#include "proto/json/fields.h"

typedef struct cpb_json_entry {
  cpb_json_item item; /* of the map field */
  cpb_span text;      /* the key: of a string */
  uint64_t value;     /* of any other type, as on the wire */
  uint64_t rank;      /* in the order of the numbers */
} cpb_json_entry;

/* A stack, like cpb_json_items. */
typedef struct cpb_json_entries {
  cpb_json_entry *list;
  size_t count, capacity;
} cpb_json_entries;

/* Appends the entries in items [first, end), all of one map field. */
bool cpb_json_collect_entries(cpb_json_entries *entries, cpb_json_items *items, size_t first, size_t end);

#endif
