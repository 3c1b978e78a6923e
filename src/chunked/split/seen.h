/* Records the earlier fields of the messages that are open in the walk.
 *
 * A field's value may be cut only if a parser would end up with that value. This is not the case if a singular field
 * occurs again (parsers merge messages, and take the last of other values), if another member of its oneof follows, or
 * if a map's key occurs again. Serializers write none of these, so the walk cuts first; when it discovers one of them,
 * it restarts without that cut. */
#ifndef CPB_CHUNKED_SPLIT_SEEN_H
#define CPB_CHUNKED_SPLIT_SEEN_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/ordered.h"
#include "cpb/base.h"

typedef struct cpb_seen_field {
  uint64_t count; /* number of occurrences in its message so far */
  uint64_t cut;   /* where the occurrence that was cut begins, or CPB_NO_OFFSET */
  uint32_t number;
  int32_t oneof; /* -1: none */
} cpb_seen_field;

typedef struct cpb_seen_key {
  uint64_t hash;
  uint64_t entry; /* where the map entry that was cut begins */
  cpb_ordered_links links;
} cpb_seen_key;

typedef struct cpb_split_seen {
  const cpb_allocator *allocator;
  cpb_seen_field *fields; /* of all open messages, the innermost one's last */
  size_t num_fields, fields_capacity;
  cpb_seen_key *keys; /* in a tree ordered by their hashes, which the input determines */
  size_t num_keys, keys_capacity;
  uint32_t root; /* of the tree */
} cpb_split_seen;

void cpb_seen_init(cpb_split_seen *s, const cpb_allocator *a);
void cpb_seen_free(cpb_split_seen *s);
void cpb_seen_clear(cpb_split_seen *s);

/* The entry of a field in the message whose fields begin at fields[first]; created with count 0. NULL if memory is
 * short. Valid until the next call. */
cpb_seen_field *cpb_seen_get(cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Where a cut occurrence begins that this field, or this member of the oneof, now makes wrong; or CPB_NO_OFFSET. */
uint64_t cpb_seen_conflict(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Whether another member of the oneof has occurred. */
bool cpb_seen_rival(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Keys are identified by a hash of the map and the key; two keys with the same hash count as equal, which only costs a
 * cut. */
uint64_t cpb_seen_hash(uint64_t seed, const void *data, size_t size);
uint64_t cpb_seen_key_find(const cpb_split_seen *s, uint64_t hash); /* its entry */
bool cpb_seen_key_add(cpb_split_seen *s, uint64_t hash, uint64_t entry);

#endif
