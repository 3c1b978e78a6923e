#include "chunked/split/seen.h"

#include <string.h>

#include "base/checked.h"

void cpb_seen_init(cpb_split_seen *s, const cpb_allocator *a) {
  memset(s, 0, sizeof *s);
  s->allocator = a;
}

void cpb_seen_free(cpb_split_seen *s) {
  cpb_release(s->allocator, s->fields);
  cpb_release(s->allocator, s->keys);
  cpb_seen_init(s, s->allocator);
}

void cpb_seen_clear(cpb_split_seen *s) {
  s->num_fields = s->num_keys = 0;
  if (s->num_slots > 0) memset(s->keys, 0, s->num_slots * sizeof *s->keys);
}

/* --- Fields --------------------------------------------------------------- */

cpb_seen_field *cpb_seen_get(cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof) {
  for (size_t i = s->num_fields; i-- > first;) {
    if (s->fields[i].number == number) return &s->fields[i];
  }
  void *items = s->fields;
  if (!cpb_reserve(s->allocator, &items, &s->fields_capacity, s->num_fields + 1, sizeof *s->fields)) {
    return NULL;
  }
  s->fields = items;
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
  for (size_t i = first; i < s->num_fields; i++) {
    if (s->fields[i].oneof == oneof && s->fields[i].number != number) return true;
  }
  return false;
}

/* --- Map keys ------------------------------------------------------------- */

uint64_t cpb_seen_hash(uint64_t seed, const void *data, size_t size) {
  const uint8_t *bytes = data;
  uint64_t h = seed ^ 0xcbf29ce484222325u; /* FNV-1a */
  for (size_t i = 0; i < size; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h | 1;
}

/* The key's slot, or the unused one where it belongs. */
static cpb_seen_key *slot_of(const cpb_split_seen *s, uint64_t hash) {
  size_t i = (size_t)(hash >> 1) & (s->num_slots - 1);
  while (s->keys[i].hash != 0 && s->keys[i].hash != hash) i = (i + 1) & (s->num_slots - 1);
  return &s->keys[i];
}

uint64_t cpb_seen_key_find(const cpb_split_seen *s, uint64_t hash) {
  if (s->num_slots == 0) return CPB_NO_OFFSET;
  const cpb_seen_key *slot = slot_of(s, hash);
  return slot->hash == hash ? slot->entry : CPB_NO_OFFSET;
}

static bool grow(cpb_split_seen *s) {
  cpb_split_seen larger = *s;
  size_t size;
  larger.num_slots = s->num_slots > 0 ? s->num_slots * 2 : 64;
  if (!cpb_mul_size(larger.num_slots, sizeof *s->keys, &size)) return false;
  larger.keys = cpb_alloc_zeroed(s->allocator, size);
  if (!larger.keys) return false;
  for (size_t i = 0; i < s->num_slots; i++) {
    if (s->keys[i].hash != 0) *slot_of(&larger, s->keys[i].hash) = s->keys[i];
  }
  cpb_release(s->allocator, s->keys);
  *s = larger;
  return true;
}

bool cpb_seen_key_add(cpb_split_seen *s, uint64_t hash, uint64_t entry) {
  if (s->num_keys >= s->num_slots / 2 && !grow(s)) return false;
  cpb_seen_key *slot = slot_of(s, hash);
  if (slot->hash == 0) s->num_keys++;
  *slot = (cpb_seen_key){hash, entry};
  return true;
}
