#include "proto/schema/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

typedef cpb_schema_builder builder;
typedef cpb_unlinked_field unlinked;

static bool no_memory(builder *b) { return cpb_fail_memory(b->error), false; }

bool cpb_schema_damaged(cpb_schema_builder *b, const char *what, const char *name) {
  char quoted[160];
  return CPB_FAILS(b->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "descriptor set: %s %s", what,
                   cpb_quote(quoted, sizeof quoted, name, strlen(name)));
}

/* --- Linking -------------------------------------------------------------- */

static int by_message_name(const void *a, const void *b) {
  return strcmp(((const cpb_message_type *)a)->name, ((const cpb_message_type *)b)->name);
}

static int by_enum_name(const void *a, const void *b) {
  return strcmp(((const cpb_enum_type *)a)->name, ((const cpb_enum_type *)b)->name);
}

static int by_owner_and_number(const void *a, const void *b) {
  const unlinked *x = a, *y = b;
  int order = strcmp(x->owner, y->owner);
  return order != 0 ? order : (x->field.number > y->field.number) - (x->field.number < y->field.number);
}

/* If a number has several names, the first counts. */
static int by_enum_number_and_order(const void *a, const void *b) {
  const cpb_unlinked_value *x = a, *y = b;
  int order = strcmp(x->owner, y->owner);
  if (order == 0) order = (x->value.number > y->value.number) - (x->value.number < y->value.number);
  return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/* The built-in schema is sorted already (tools/builtin_schema.py). Sorting it took longer than reading it. */
static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  const char *item = items;
  for (size_t i = 1; i < count; i++, item += size) {
    if (compare(item, item + size) <= 0) continue;
    qsort(items, count, size, compare);
    return;
  }
}

static bool sort_types(builder *b) {
  cpb_schema *s = b->schema;
  sort(s->messages, s->num_messages, sizeof *s->messages, by_message_name);
  sort(s->enums, s->num_enums, sizeof *s->enums, by_enum_name);
  for (size_t i = 1; i < s->num_messages; i++)
    if (by_message_name(&s->messages[i - 1], &s->messages[i]) == 0)
      return cpb_schema_damaged(b, "two definitions of", s->messages[i].name);
  for (size_t i = 1; i < s->num_enums; i++)
    if (by_enum_name(&s->enums[i - 1], &s->enums[i]) == 0)
      return cpb_schema_damaged(b, "two definitions of", s->enums[i].name);
  return true;
}

static bool link_type(builder *b, unlinked *u, const cpb_message_type *owner) {
  cpb_field *f = &u->field;
  if (!u->type_name) return true;
  f->message = f->type == CPB_TYPE_ENUM ? NULL : cpb_schema_find_message(b->schema, u->type_name);
  f->enumeration = f->message ? NULL : cpb_schema_find_enum(b->schema, u->type_name);
  bool message = f->message != NULL, wants_message = f->type == CPB_TYPE_MESSAGE || f->type == CPB_TYPE_GROUP;
  if ((!message && !f->enumeration) || (wants_message && !message))
    return cpb_schema_damaged(b, "no definition (was protoc called without --include_imports?) of", u->type_name);
  if (f->type == 0) f->type = message ? CPB_TYPE_MESSAGE : CPB_TYPE_ENUM;
  f->map = message && f->repeated && f->message->map_entry;
  if (message) {
    f->presence = !f->repeated;
    if (u->delimited && !f->map && !owner->map_entry) f->type = CPB_TYPE_GROUP;
  }
  return true;
}

static bool link_fields(builder *b) {
  cpb_schema *s = b->schema;
  if (b->num_fields == 0) return true;
  sort(b->fields, b->num_fields, sizeof *b->fields, by_owner_and_number);
  s->fields = cpb_alloc(&s->allocator, b->num_fields * sizeof *s->fields);
  if (!s->fields) return no_memory(b);
  for (size_t i = 0; i < b->num_fields; i++) {
    unlinked *u = &b->fields[i];
    cpb_message_type *owner = (cpb_message_type *)cpb_schema_find_message(s, u->owner);
    if (!owner) return cpb_schema_damaged(b, "no definition of the extended type", u->owner);
    if (i > 0 && by_owner_and_number(u - 1, u) == 0)
      return cpb_schema_damaged(b, "two fields with the number of", u->field.name);
    if (!link_type(b, u, owner)) return false;
    u->field.packed = u->field.packed && cpb_type_packable(u->field.type);
    s->fields[i] = u->field;
    if (owner->num_fields++ == 0) owner->fields = &s->fields[i];
  }
  return true;
}

static bool link_values(builder *b) {
  cpb_schema *s = b->schema;
  if (b->num_values == 0) return true;
  sort(b->values, b->num_values, sizeof *b->values, by_enum_number_and_order);
  s->values = cpb_alloc(&s->allocator, b->num_values * sizeof *s->values);
  if (!s->values) return no_memory(b);
  for (size_t i = 0; i < b->num_values; i++) {
    cpb_enum_type *owner = (cpb_enum_type *)cpb_schema_find_enum(s, b->values[i].owner);
    s->values[i] = b->values[i].value;
    if (owner->num_values++ == 0) owner->values = &s->values[i];
  }
  return true;
}

static bool check_map_entries(builder *b) {
  const cpb_schema *s = b->schema;
  for (size_t i = 0; i < s->num_messages; i++) {
    const cpb_message_type *type = &s->messages[i];
    if (!type->map_entry) continue;
    const cpb_field *key = cpb_message_find_number(type, 1), *value = cpb_message_find_number(type, 2);
    bool whole = key && value && !key->message && !key->repeated && !value->repeated;
    if (!whole) return cpb_schema_damaged(b, "no key and value in the map entry", type->name);
  }
  return true;
}

bool cpb_schema_link(cpb_schema_builder *b) {
  return sort_types(b) && link_values(b) && link_fields(b) && check_map_entries(b);
}
