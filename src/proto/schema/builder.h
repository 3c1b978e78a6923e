/* A schema under construction. */
#ifndef CPB_PROTO_SCHEMA_BUILDER_H
#define CPB_PROTO_SCHEMA_BUILDER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "proto/schema/features.h"
#include "proto/schema/schema.h"

/* The properties that definitions inherit from their file or message. */
typedef struct cpb_schema_scope {
  cpb_features features;
  const char *name; /* of the package or message; "": none */
} cpb_schema_scope;

/* A field whose type is still a name. */
typedef struct cpb_unlinked_field {
  cpb_field field;
  const char *owner;     /* the message it is in */
  const char *type_name; /* NULL for a scalar */
  bool delimited;        /* if the type is a message: it is written as a group */
  size_t type_index;     /* while types_follow: number of the type */
} cpb_unlinked_field;

typedef struct cpb_unlinked_value {
  cpb_enum_value value;
  const char *owner; /* its enum */
  size_t order;
} cpb_unlinked_value;

typedef struct cpb_schema_builder {
  cpb_schema *schema;
  cpb_span bytes;
  cpb_limits limits;
  cpb_error *error;
  cpb_schema_scope *scopes; /* by depth of the scanner */
  size_t scopes_capacity;
  cpb_unlinked_field *fields;
  size_t num_fields, fields_capacity;
  cpb_unlinked_value *values;
  size_t num_values, values_capacity;
  bool types_follow; /* fields have a type_index instead of a type_name */
} cpb_schema_builder;

#endif
