/* Lookups in a single type: readers without schemas are given types as well (chunked/read/field.h). */
#include <stdbool.h>
#include <string.h>

#include "cpb/message.h"

const cpb_field *cpb_message_find_number(const cpb_message_type *type, uint32_t number) {
  /* Most types number their fields from 1 without gaps. */
  if (number - 1 < type->num_fields && type->fields[number - 1].number == number) return &type->fields[number - 1];
  size_t low = 0, high = type->num_fields;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (type->fields[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low < type->num_fields && type->fields[low].number == number ? &type->fields[low] : NULL;
}

static bool is_name(const char *candidate, const char *name, size_t length) {
  return strncmp(candidate, name, length) == 0 && candidate[length] == '\0';
}

const cpb_field *cpb_message_find_name(const cpb_message_type *type, const char *name, size_t length) {
  for (size_t i = 0; i < type->num_fields; i++)
    if (is_name(type->fields[i].name, name, length)) return &type->fields[i];
  for (size_t i = 0; i < type->num_fields; i++)
    if (is_name(type->fields[i].json_name, name, length)) return &type->fields[i];
  return NULL;
}

const cpb_enum_value *cpb_enum_find_number(const cpb_enum_type *type, int32_t number) {
  size_t low = 0, high = type->num_values;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (type->values[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low < type->num_values && type->values[low].number == number ? &type->values[low] : NULL;
}
