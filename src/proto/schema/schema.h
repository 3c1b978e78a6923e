/* The internals of a schema: sorted arrays, and names. */
#ifndef CPB_PROTO_SCHEMA_SCHEMA_H
#define CPB_PROTO_SCHEMA_SCHEMA_H

#include <stdbool.h>

#include "base/texts.h"
#include "cpb/message.h"

struct cpb_schema {
  cpb_allocator allocator;
  cpb_message_type *messages; /* by name, as are the enums */
  size_t num_messages, messages_capacity;
  cpb_enum_type *enums;
  size_t num_enums, enums_capacity;
  cpb_field *fields;      /* by message, then number */
  cpb_enum_value *values; /* by enum, then number */
  cpb_texts names;
};

/* Room for `length` characters and a NUL, which is set; part of the schema. NULL if memory is short. */
char *cpb_schema_text(cpb_schema *schema, size_t length);

/* Whether values of this type can be packed: many in one LEN field. */
static inline bool cpb_type_packable(cpb_field_type type) {
  return type != CPB_TYPE_STRING && type != CPB_TYPE_BYTES && type != CPB_TYPE_MESSAGE && type != CPB_TYPE_GROUP;
}

#endif
