/* What occurred before in the messages that are open in the walk.
 *
 * Something may be cut out of a field's value only if that value is what a
 * parser ends up with. It is not when a singular field occurs again (parsers
 * merge messages and take the last of other values), when another member of its
 * oneof follows, or when a map's key does. Serializers write none of this, so
 * the walk simply cuts, and starts anew without that cut when it finds out. */
#ifndef CPB_CHUNKED_SPLIT_SEEN_H
#define CPB_CHUNKED_SPLIT_SEEN_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/ordered.h"
#include "cpb/base.h"

typedef struct cpb_seen_field {
  uint64_t count; /* of occurrences in its message so far */
  uint64_t cut;   /* where the occurrence begins that was cut, or CPB_NO_OFFSET */
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
  cpb_seen_key *keys; /* in a tree, in the order of their hashes: the input chooses these */
  size_t num_keys, keys_capacity;
  uint32_t root; /* of the tree */
} cpb_split_seen;

void cpb_seen_init(cpb_split_seen *s, const cpb_allocator *a);
void cpb_seen_free(cpb_split_seen *s);
void cpb_seen_clear(cpb_split_seen *s);

/* The field of the message whose fields begin at fields[first]; made with count
 * 0 when it is new. NULL when memory is short. Valid until the next call. */
cpb_seen_field *cpb_seen_get(cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Where an occurrence begins that was cut, though this field or a member of
 * this oneof now follows; CPB_NO_OFFSET when there is none. */
uint64_t cpb_seen_conflict(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Another member of the oneof occurred already. */
bool cpb_seen_rival(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Keys are known by a hash of the map and the key; two keys with one hash are
 * taken for the same, which costs a cut and nothing else. */
uint64_t cpb_seen_hash(uint64_t seed, const void *data, size_t size);
uint64_t cpb_seen_key_find(const cpb_split_seen *s, uint64_t hash); /* its entry */
bool cpb_seen_key_add(cpb_split_seen *s, uint64_t hash, uint64_t entry);

#endif
