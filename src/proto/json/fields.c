#include "proto/json/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "proto/schema/builder.h"

/* --- Collecting ----------------------------------------------------------- */

static cpb_wire_type wire_type_of(cpb_field_type type) {
  switch (type) {
    case CPB_TYPE_DOUBLE:
    case CPB_TYPE_FIXED64:
    case CPB_TYPE_SFIXED64: return CPB_WIRE_FIXED64;
    case CPB_TYPE_FLOAT:
    case CPB_TYPE_FIXED32:
    case CPB_TYPE_SFIXED32: return CPB_WIRE_FIXED32;
    case CPB_TYPE_STRING:
    case CPB_TYPE_BYTES:
    case CPB_TYPE_MESSAGE: return CPB_WIRE_LEN;
    case CPB_TYPE_GROUP: return CPB_WIRE_START_GROUP;
    default: return CPB_WIRE_VARINT;
  }
}

static bool is_unknown_enum(const cpb_field *field, uint64_t value) {
  return field->type == CPB_TYPE_ENUM && field->enumeration->closed &&
         cpb_enum_find_number(field->enumeration, (int32_t)value) == NULL;
}

/* The field that a parser would put the value into. */
static const cpb_field *field_for(const cpb_message_type *type, const cpb_wire_field *f) {
  const cpb_field *field = cpb_message_find_number(type, f->number);
  if (!field) return NULL;
  bool packed = f->type == CPB_WIRE_LEN && field->repeated && cpb_type_packable(field->type);
  if (packed) return field;
  return f->type == wire_type_of(field->type) && !is_unknown_enum(field, f->number_value) ? field : NULL;
}

static const cpb_omitted *find_omitted(const cpb_json_items *items, const cpb_wire_field *f) {
  size_t low = 0, high = items->num_omitted;
  if (f->type != CPB_WIRE_LEN || f->size > 0) return NULL;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (items->omitted[middle].at < f->value) low = middle + 1;
    else high = middle;
  }
  bool found = low < items->num_omitted && items->omitted[low].at == f->value;
  return found ? &items->omitted[low] : NULL;
}

static bool add_item(cpb_json_items *items, const cpb_message_type *type, const cpb_wire_field *f) {
  if (!CPB_RESERVE(&items->allocator, &items->list, &items->capacity, items->count + 1))
    return cpb_fail_memory(items->error), false;
  bool group = f->type == CPB_WIRE_START_GROUP;
  size_t begin = (size_t)(group ? f->begin : f->value), end = (size_t)(f->value + f->size);
  items->list[items->count++] = (cpb_json_item){
      .field = field_for(type, f),
      .bytes = {items->whole.data + begin, end - begin},
      .omitted = find_omitted(items, f),
      .value = f->number_value,
      .number = f->number,
      .type = f->type,
  };
  return true;
}

/* The next field at depth `base`; a group is scanned to its end. */
static bool next_field(cpb_wire_scanner *s, cpb_span *in, size_t base) {
  for (;;) {
    cpb_wire_event event = cpb_wire_next(s, in);
    if (event == CPB_WIRE_LEAVE && s->depth == base) return true;
    if (event != CPB_WIRE_FIELD) return false;
    if (s->depth > base) continue;
    if (s->field.type != CPB_WIRE_START_GROUP) return true;
    if (!cpb_wire_enter(s)) return false;
  }
}

static bool charge(const cpb_json_items *items, uint64_t walked) {
  return cpb_meter_charge(items->meter, CPB_WORK_ENTRIES, 1, CPB_NO_OFFSET, items->error) &&
         cpb_meter_charge(items->meter, CPB_WORK_WALKED, walked, CPB_NO_OFFSET, items->error);
}

bool cpb_json_collect(cpb_json_items *items, const cpb_message_type *type, const cpb_json_item *item) {
  cpb_span in = item->bytes;
  size_t begin = in.size > 0 ? (size_t)(in.data - items->whole.data) : 0, base = 0;
  cpb_wire_scanner s;
  cpb_wire_begin(&s, &items->allocator, items->meter->limits.depth, begin + in.size, items->error);
  s.pos = begin; /* so that offsets in errors count from the outermost message */
  if (item->type == CPB_WIRE_START_GROUP) {
    base = 1;
    if (cpb_wire_next(&s, &in) == CPB_WIRE_FIELD) cpb_wire_enter(&s);
  }
  while (next_field(&s, &in, base))
    if (!charge(items, cpb_wire_walked(&s)) || !add_item(items, type, &s.field)) break;
  cpb_wire_free(&s);
  return items->error->code == CPB_OK;
}

/* --- Arranging ------------------------------------------------------------ */

static int by_number(const void *a, const void *b) {
  const cpb_json_item *x = a, *y = b;
  bool x_unknown = !x->field, y_unknown = !y->field;
  if (x_unknown != y_unknown) return x_unknown - y_unknown;
  if (!x_unknown && x->number != y->number) return x->number < y->number ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static void sort(cpb_json_item *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (by_number(&list[i - 1], &list[i]) > 0) {
      qsort(list, count, sizeof *list, by_number);
      return;
    }
  }
}

size_t cpb_json_run_end(const cpb_json_items *items, size_t first, size_t end) {
  size_t i = first;
  while (i < end && items->list[i].field == items->list[first].field) i++;
  return i;
}

static cpb_json_oneof *oneof_of(cpb_json_items *items, int32_t oneof) {
  size_t count = (size_t)oneof + 1, had = items->oneofs_capacity;
  if (!CPB_RESERVE(&items->allocator, &items->oneofs, &items->oneofs_capacity, count))
    return cpb_fail_memory(items->error), NULL;
  memset(items->oneofs + had, 0, (items->oneofs_capacity - had) * sizeof *items->oneofs);
  return &items->oneofs[oneof];
}

/* From the last field on the wire to the first: marks fields that precede another member of their oneof. */
static bool mark_superseded(cpb_json_items *items, size_t first) {
  items->arranged++;
  for (size_t i = items->count; i-- > first;) {
    cpb_json_item *item = &items->list[i];
    item->superseded = false;
    if (!item->field || item->field->oneof < 0) continue;
    cpb_json_oneof *oneof = oneof_of(items, item->field->oneof);
    if (!oneof) return false;
    if (oneof->arranged != items->arranged) *oneof = (cpb_json_oneof){items->arranged, item->field, false};
    oneof->beaten = oneof->beaten || oneof->last != item->field;
    item->superseded = oneof->beaten;
  }
  return true;
}

static void drop_superseded(cpb_json_items *items, size_t first) {
  size_t kept = first;
  for (size_t i = first; i < items->count; i++)
    if (!items->list[i].superseded) items->list[kept++] = items->list[i];
  items->count = kept;
}

bool cpb_json_arrange(cpb_json_items *items, size_t first) {
  size_t count = items->count - first;
  for (size_t i = 0; i < count; i++) items->list[first + i].order = i;
  if (count <= 1) return true;
  if (!mark_superseded(items, first)) return false;
  drop_superseded(items, first);
  sort(items->list + first, items->count - first);
  return true;
}

/* --- Elements ------------------------------------------------------------- */

static bool damaged(cpb_json_items *items, cpb_span at, const char *what) {
  return CPB_FAILS(items->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s at byte %zu of the message", what,
                   (size_t)(at.data - items->whole.data));
}

static bool next_packed(cpb_json_items *items, cpb_json_elements *e, cpb_json_item *element) {
  cpb_span *in = &e->packed;
  cpb_wire_type type = wire_type_of(e->field->type);
  const uint8_t *after = in->data;
  if (type == CPB_WIRE_VARINT) {
    after = cpb_varint_read(in->data, in->data + in->size, &element->value);
    if (!after) return damaged(items, *in, "packed varint that does not end");
  } else {
    size_t size = type == CPB_WIRE_FIXED64 ? 8 : 4;
    if (in->size < size) return damaged(items, *in, "packed numbers that end within one");
    element->value = size == 8 ? cpb_load64(in->data) : cpb_load32(in->data);
    after += size;
  }
  *in = (cpb_span){after, in->size - (size_t)(after - in->data)};
  return true;
}

bool cpb_json_next_element(cpb_json_items *items, cpb_json_elements *e, cpb_json_item *element) {
  for (;;) {
    if (e->packed.size > 0) {
      if (!next_packed(items, e, element)) return false;
      if (!is_unknown_enum(e->field, element->value)) return true;
    } else {
      if (e->at == e->end) return false;
      *element = items->list[e->at++];
      bool packed = e->field && element->type == CPB_WIRE_LEN && cpb_type_packable(e->field->type);
      if (!packed || element->omitted) return true;
      e->packed = element->bytes;
      if (!cpb_meter_charge(items->meter, CPB_WORK_WALKED, e->packed.size, CPB_NO_OFFSET, items->error)) return false;
    }
  }
}

bool cpb_json_is_wrapper(const cpb_message_type *type) {
  static const char package[] = "google.protobuf.";
  static const char *const names[] = {"DoubleValue", "FloatValue", "Int64Value",  "UInt64Value", "Int32Value",
                                      "UInt32Value", "BoolValue",  "StringValue", "BytesValue"};
  if (strncmp(type->name, package, sizeof package - 1) != 0 || type->num_fields != 1) return false;
  if (type->fields[0].message || type->fields[0].repeated) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(type->name + sizeof package - 1, names[i]) == 0) return true;
  return false;
}
