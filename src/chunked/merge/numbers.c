#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/merge/number_text.h"
#include "chunked/merge/walk_state.h"
#include "proto/wire.h"

/* --- number text ------------------------------------------------------------------------------ */

/* Parses numbers like TensorFlow's merger, which accepts leading space and ignores everything after the number. */

static const char *skip_space(const char *p) {
  while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
  return p;
}

/* An integer in [-min, max]; negative ones in two's complement. */
static bool read_integer(const char *p, uint64_t min, uint64_t max, uint64_t *value) {
  p = skip_space(p);
  bool negative = *p == '-';
  if (negative || *p == '+') p++;
  if (*p < '0' || *p > '9') return false;
  uint64_t v = 0, limit = negative ? min : max;
  for (; *p >= '0' && *p <= '9'; p++) {
    unsigned digit = (unsigned)(*p - '0');
    if (v > limit / 10 || digit > limit - 10 * v) return false;
    v = 10 * v + digit;
  }
  *value = negative ? 0 - v : v;
  return true;
}

static bool read_enum(const cpb_enum_type *type, cpb_span text, uint64_t *value) {
  for (size_t i = 0; i < type->num_values; i++) {
    const cpb_enum_value *v = &type->values[i];
    if (strlen(v->name) != text.size || memcmp(v->name, text.data, text.size) != 0) continue;
    *value = (uint64_t)(int64_t)v->number;
    return true;
  }
  return false;
}

static uint64_t zigzag(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }

static bool read_value(const cpb_field *field, cpb_span text, const char *p, uint64_t *value) {
  const uint64_t low32 = (uint64_t)1 << 31, low64 = (uint64_t)1 << 63;
  switch (field->type) {
    case CPB_TYPE_DOUBLE: return cpb_decimal_read(skip_space(p), false, value);
    case CPB_TYPE_FLOAT: return cpb_decimal_read(skip_space(p), true, value);
    case CPB_TYPE_INT32:
    case CPB_TYPE_SINT32:
    case CPB_TYPE_SFIXED32: return read_integer(p, low32, low32 - 1, value);
    case CPB_TYPE_INT64:
    case CPB_TYPE_SINT64:
    case CPB_TYPE_SFIXED64: return read_integer(p, low64, low64 - 1, value);
    case CPB_TYPE_UINT32:
    case CPB_TYPE_FIXED32: return read_integer(p, 0, UINT32_MAX, value);
    case CPB_TYPE_UINT64:
    case CPB_TYPE_FIXED64: return read_integer(p, 0, UINT64_MAX, value);
    case CPB_TYPE_BOOL: *value = strncmp(skip_space(p), "true", 4) == 0; return true;
    case CPB_TYPE_ENUM: return read_enum(field->enumeration, text, value);
    default: return false;
  }
}

static uint8_t *put_fixed32(uint8_t *out, uint32_t number, uint64_t value) {
  out = cpb_wire_put_tag(out, number, CPB_WIRE_FIXED32);
  cpb_store32(out, (uint32_t)value);
  return out + 4;
}

static uint8_t *put_fixed64(uint8_t *out, uint32_t number, uint64_t value) {
  out = cpb_wire_put_tag(out, number, CPB_WIRE_FIXED64);
  cpb_store64(out, value);
  return out + 8;
}

static uint8_t *put_value(uint8_t *out, const cpb_field *field, uint64_t value) {
  switch (field->type) {
    case CPB_TYPE_FLOAT:
    case CPB_TYPE_FIXED32:
    case CPB_TYPE_SFIXED32: return put_fixed32(out, field->number, value);
    case CPB_TYPE_DOUBLE:
    case CPB_TYPE_FIXED64:
    case CPB_TYPE_SFIXED64: return put_fixed64(out, field->number, value);
    case CPB_TYPE_SINT32:
    case CPB_TYPE_SINT64: value = zigzag(value); break;
    default: break;
  }
  return cpb_varint_write(cpb_wire_put_tag(out, field->number, CPB_WIRE_VARINT), value);
}

size_t cpb_number_text_field(const cpb_field *field, cpb_span text, uint8_t out[CPB_NUMBER_MAX]) {
  char p[CPB_NUMBER_TEXT_MAX + 1];
  size_t length = cpb_min_size(text.size, CPB_NUMBER_TEXT_MAX);
  if (length > 0) memcpy(p, text.data, length);
  p[length] = '\0';
  uint64_t value = 0;
  if (!read_value(field, text, p, &value)) return 0;
  return (size_t)(put_value(out, field, value) - out);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Larger than the number of fields in any schema: a message with more gets new fields at its end. */
#define NUMBERS_MAX 1024

static bool no_memory(cpb_merge_walk *w) { return cpb_fail_memory(w->error), false; }

/* --- The list of one range ------------------------------------------------- */

/* Sorted numbers: a list in memory, or a target's list in the row. */
typedef struct {
  const cpb_number *items;
  const cpb_column *row;
  size_t begin, count;
} sorted_numbers;

/* The index of `number`, or the place to insert it. */
static size_t search(sorted_numbers in, uint32_t number) {
  size_t low = 0, high = in.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    uint64_t there = in.items ? in.items[middle].number : cpb_column_get(in.row, in.begin + middle);
    if (there < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

void cpb_numbers_end(cpb_number_list *list, cpb_place place) {
  if (list->count > 0) list->items[list->open].last = place;
}

bool cpb_numbers_field(const cpb_allocator *a, cpb_number_list *list, uint32_t number, cpb_place place) {
  if (list->crowded) return true;
  cpb_numbers_end(list, place);
  if (list->count > 0 && list->items[list->open].number == number) return true;
  size_t i = search((sorted_numbers){.items = list->items, .count = list->count}, number);
  list->open = i;
  if (i < list->count && list->items[i].number == number) return true;
  if (list->count == NUMBERS_MAX) {
    list->crowded = true;
    return true;
  }
  if (!CPB_RESERVE(a, &list->items, &list->capacity, list->count + 1)) return false;
  memmove(list->items + i + 1, list->items + i, (list->count - i) * sizeof *list->items);
  list->items[i] = (cpb_number){place, place, number};
  list->count++;
  return true;
}

/* --- The list of a target ------------------------------------------------- */

static sorted_numbers list_of(const cpb_merge_walk *w, uint32_t target) {
  const cpb_number_columns *c = &w->numbers;
  return (sorted_numbers){.row = &c->number,
                          .begin = (size_t)cpb_column_get(&c->list, target),
                          .count = (size_t)cpb_column_get(&c->count, target)};
}

static uint32_t number_at(const cpb_merge_walk *w, size_t i) { return (uint32_t)cpb_column_get(&w->numbers.number, i); }

static bool move_number(cpb_merge_walk *w, size_t to, size_t from) {
  const cpb_number moved = {cpb_walk_first_place(w, from), cpb_walk_last_place(w, from), number_at(w, from)};
  return cpb_walk_set_number(w, to, moved);
}

static cpb_place later(cpb_place a, cpb_place b) { return cpb_place_before(a, b) ? b : a; }

/* Where a new field `number` belongs: before the first field with a higher number, but after all with the same number,
 * because their order matters. */
static cpb_place place_for(const cpb_merge_walk *w, uint32_t target, uint32_t number) {
  const cpb_target *t = &w->tree->targets[target];
  if (t->last_range == CPB_NONE) return (cpb_place){0, 0};
  cpb_place place = {cpb_walk_get_range(w, t->last_range).end, t->last_range + 1};
  const sorted_numbers list = list_of(w, target);
  if (t->crowded || list.count == 0) return place;
  size_t i = list.begin + search(list, number), end = list.begin + list.count;
  bool same = i < end && number_at(w, i) == number;
  for (size_t higher = i + same; higher < end; higher++) {
    cpb_place first = cpb_walk_first_place(w, higher);
    if (cpb_place_before(first, place)) place = first;
  }
  return same ? later(cpb_walk_last_place(w, i), place) : place;
}

/* Makes room for so many numbers in the target's list. The numbers of its first range are often all; a list that grows
 * moves to the end of the row and doubles its size. */
static bool reserve_numbers(cpb_merge_walk *w, uint32_t target, size_t count) {
  cpb_number_columns *c = &w->numbers;
  const sorted_numbers list = list_of(w, target);
  size_t capacity = (size_t)cpb_column_get(&c->capacity, target), to = c->used;
  if (count <= capacity) return true;
  capacity = cpb_max_size(2 * capacity, count);
  for (size_t i = 0; i < list.count; i++)
    if (!move_number(w, to + i, list.begin + i)) return false;
  c->used += capacity;
  return cpb_walk_set(w, &c->list, target, to) && cpb_walk_set(w, &c->capacity, target, capacity);
}

/* A list has at most NUMBERS_MAX numbers, which bounds the cost of insertion however many ranges come; a number that is
 * present already is only looked up. */
static bool add_number(cpb_merge_walk *w, uint32_t target, cpb_number number) {
  sorted_numbers list = list_of(w, target);
  size_t at = search(list, number.number);
  if (at < list.count && number_at(w, list.begin + at) == number.number)
    return cpb_walk_set_last_place(w, list.begin + at, number.last);
  if (!reserve_numbers(w, target, list.count + 1)) return false;
  list = list_of(w, target);
  for (size_t i = list.count; i > at; i--)
    if (!move_number(w, list.begin + i, list.begin + i - 1)) return false;
  return cpb_walk_set_number(w, list.begin + at, number) && cpb_walk_set(w, &w->numbers.count, target, list.count + 1);
}

static bool add_numbers(cpb_merge_walk *w, uint32_t target, const cpb_number_list *list) {
  cpb_target *t = &w->tree->targets[target];
  size_t count = list_of(w, target).count;
  if (list->crowded || t->crowded || count + list->count > NUMBERS_MAX) {
    t->crowded = true;
    return true;
  }
  if (count == 0 && !reserve_numbers(w, target, list->count)) return false;
  for (size_t i = 0; i < list->count; i++)
    if (!add_number(w, target, list->items[i])) return false;
  return true;
}

static bool link_range(cpb_merge_walk *w, cpb_target *t, uint32_t range) {
  if (t->last_range == CPB_NONE) t->first_range = range;
  else if (!cpb_walk_link_range(w, t->last_range, range)) return false;
  t->last_range = range;
  return true;
}

bool cpb_walk_append_range(cpb_merge_walk *w, uint32_t target, uint32_t range) {
  w->tree->targets[target].crowded = true;
  return link_range(w, &w->tree->targets[target], range);
}

bool cpb_walk_ends_with(const cpb_merge_walk *w, uint32_t target, uint32_t number) {
  const sorted_numbers list = list_of(w, target);
  return w->tree->targets[target].crowded || list.count == 0 || number_at(w, list.begin + list.count - 1) <= number;
}

bool cpb_walk_add_range(cpb_merge_walk *w, uint32_t target, uint32_t range, const cpb_number_list *list) {
  cpb_target *t = &w->tree->targets[target];
  if (!cpb_walk_make_range(w, target)) return false;
  bool one_number = list->count == 1 && !list->crowded;
  if (t->last_range != CPB_NONE && one_number)
    return cpb_walk_insert(w, target, list->items[0].number, CPB_INSERT_RANGE, range);
  return link_range(w, t, range) && add_numbers(w, target, list);
}

/* --- Inserts -------------------------------------------------------------- */

bool cpb_walk_insert(cpb_merge_walk *w, uint32_t target, uint32_t number, cpb_insert_kind kind, uint32_t what) {
  if (!cpb_merge_tree_charge(w->tree)) return false;
  if (!CPB_RESERVE_CLOSELY(&w->allocator, &w->inserts, &w->inserts_capacity, w->num_inserts + 1)) return no_memory(w);
  cpb_target_more *more = cpb_target_make_more(w->tree, target);
  if (!more) return false;
  uint64_t looked_at = w->tree->targets[target].crowded ? 0 : list_of(w, target).count;
  if (!cpb_meter_charge(w->tree->meter, CPB_WORK_WALKED, looked_at, w->tree->position, w->error)) return false;
  uint32_t id = (uint32_t)w->num_inserts++;
  cpb_place place = place_for(w, target, number);
  w->inserts[id] =
      (cpb_insert){place.offset, place.range, number & CPB_FIELD_NUMBER_MAX, (uint32_t)kind & 3, what, CPB_NONE};
  if (more->last_insert == CPB_NONE) more->first_insert = id;
  else w->inserts[more->last_insert].next = id;
  more->last_insert = id;
  return true;
}
