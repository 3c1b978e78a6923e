#include "chunked/split/plan.h"

#include <string.h>

#include "base/checked.h"

void cpb_seen_init(cpb_split_seen *s, const cpb_allocator *a) {
  memset(s, 0, sizeof *s);
  s->allocator = a;
  s->root = CPB_ORDERED_NONE;
}

void cpb_seen_free(cpb_split_seen *s) {
  cpb_release(s->allocator, s->fields);
  cpb_release(s->allocator, s->keys);
  cpb_seen_init(s, s->allocator);
}

void cpb_seen_clear(cpb_split_seen *s) {
  s->num_fields = s->num_keys = 0;
  s->root = CPB_ORDERED_NONE;
}

/* --- Fields --------------------------------------------------------------- */

cpb_seen_field *cpb_seen_get(cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof) {
  for (size_t i = s->num_fields; i-- > first;)
    if (s->fields[i].number == number) return &s->fields[i];
  if (!CPB_RESERVE(s->allocator, &s->fields, &s->fields_capacity, s->num_fields + 1)) return NULL;
  cpb_seen_field *field = &s->fields[s->num_fields++];
  *field = (cpb_seen_field){0, CPB_NO_OFFSET, number, oneof};
  return field;
}

uint64_t cpb_seen_conflict(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof) {
  for (size_t i = first; i < s->num_fields; i++) {
    const cpb_seen_field *f = &s->fields[i];
    bool same = f->number == number || (oneof >= 0 && f->oneof == oneof);
    if (same && f->cut != CPB_NO_OFFSET) return f->cut;
  }
  return CPB_NO_OFFSET;
}

bool cpb_seen_rival(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof) {
  for (size_t i = first; i < s->num_fields; i++)
    if (s->fields[i].oneof == oneof && s->fields[i].number != number) return true;
  return false;
}

/* --- Map keys ------------------------------------------------------------- */

uint64_t cpb_seen_hash(uint64_t seed, const void *data, size_t size) {
  const uint8_t *bytes = data;
  uint64_t h = seed ^ 0xcbf29ce484222325u; /* FNV-1a */
  for (size_t i = 0; i < size; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h | 1;
}

typedef struct sought {
  const cpb_split_seen *seen;
  uint64_t hash;
} sought;

static int compare(const void *key, uint32_t i) {
  const sought *s = key;
  uint64_t hash = s->seen->keys[i].hash;
  return s->hash < hash ? -1 : s->hash > hash;
}

static cpb_ordered in_order(const cpb_split_seen *s) {
  return (cpb_ordered){s->keys ? &s->keys->links : NULL, sizeof *s->keys};
}

uint64_t cpb_seen_key_find(const cpb_split_seen *s, uint64_t hash) {
  const sought key = {s, hash};
  uint32_t i = cpb_ordered_find(in_order(s), s->root, compare, &key);
  return i == CPB_ORDERED_NONE ? CPB_NO_OFFSET : s->keys[i].entry;
}

bool cpb_seen_key_add(cpb_split_seen *s, uint64_t hash, uint64_t entry) {
  if (s->num_keys >= CPB_ORDERED_NONE) return false;
  if (!CPB_RESERVE(s->allocator, &s->keys, &s->keys_capacity, s->num_keys + 1)) return false;
  uint32_t added = (uint32_t)s->num_keys++;
  const sought key = {s, hash};
  s->keys[added] = (cpb_seen_key){.hash = hash, .entry = entry};
  s->root = cpb_ordered_add(in_order(s), s->root, added, compare, &key);
  return true;
}
