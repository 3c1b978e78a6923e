#include "proto/json/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"

static uint64_t signed_rank(int64_t value) { return (uint64_t)value ^ UINT64_C(1) << 63; }
static int64_t zigzag(uint64_t value) { return (int64_t)(value >> 1 ^ (0 - (value & 1))); }

/* Ranks have the order of the numbers. Keys with the same number have the same rank, however they are encoded. */
static uint64_t rank_of(cpb_field_type type, uint64_t value) {
  switch (type) {
    case CPB_TYPE_BOOL: return value != 0;
    case CPB_TYPE_INT32:
    case CPB_TYPE_SFIXED32: return signed_rank((int32_t)value);
    case CPB_TYPE_INT64:
    case CPB_TYPE_SFIXED64: return signed_rank((int64_t)value);
    case CPB_TYPE_SINT32: return signed_rank(zigzag((uint32_t)value));
    case CPB_TYPE_SINT64: return signed_rank(zigzag(value));
    case CPB_TYPE_UINT32:
    case CPB_TYPE_FIXED32: return (uint32_t)value;
    default: return value;
  }
}

static bool add_entry(cpb_json_entries *entries, cpb_json_items *items, const cpb_json_entry *entry) {
  if (!CPB_RESERVE(&items->allocator, &entries->list, &entries->capacity, entries->count + 1))
    return cpb_fail_memory(items->error), false;
  entries->list[entries->count++] = *entry;
  return true;
}

static bool read_entry(cpb_json_items *items, size_t i, cpb_json_entry *entry) {
  size_t base = items->count;
  *entry = (cpb_json_entry){.item = items->list[i]};
  const cpb_message_type *type = entry->item.field->message;
  const cpb_field *key = cpb_message_find_number(type, 1);
  if (!cpb_json_collect(items, type, &entry->item)) return false;
  for (size_t k = base; k < items->count; k++) {
    const cpb_json_item *part = &items->list[k];
    if (part->field != key) continue;
    if (key->type == CPB_TYPE_STRING) entry->text = part->bytes;
    entry->value = part->value;
  }
  if (key->type != CPB_TYPE_STRING) entry->rank = rank_of(key->type, entry->value);
  items->count = base;
  return true;
}

static int by_key(const cpb_json_entry *x, const cpb_json_entry *y) {
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  size_t common = cpb_min_size(x->text.size, y->text.size);
  int order = common > 0 ? memcmp(x->text.data, y->text.data, common) : 0;
  return order != 0 ? order : (x->text.size > y->text.size) - (x->text.size < y->text.size);
}

static int by_key_and_order(const void *a, const void *b) {
  const cpb_json_entry *x = a, *y = b;
  int order = by_key(x, y);
  return order != 0 ? order : (x->item.order > y->item.order) - (x->item.order < y->item.order);
}

bool cpb_json_collect_entries(cpb_json_entries *entries, cpb_json_items *items, size_t first, size_t end) {
  size_t base = entries->count;
  for (size_t i = first; i < end; i++) {
    cpb_json_entry entry;
    if (!read_entry(items, i, &entry) || !add_entry(entries, items, &entry)) return false;
  }
  qsort(entries->list + base, entries->count - base, sizeof *entries->list, by_key_and_order);
  size_t kept = base;
  for (size_t i = base; i < entries->count; i++) {
    bool last = i + 1 == entries->count || by_key(&entries->list[i], &entries->list[i + 1]) != 0;
    if (last) entries->list[kept++] = entries->list[i];
  }
  entries->count = kept;
  return true;
}
