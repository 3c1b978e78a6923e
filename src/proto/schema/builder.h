/* A schema under construction. */
#ifndef CPB_PROTO_SCHEMA_BUILDER_H
#define CPB_PROTO_SCHEMA_BUILDER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/texts.h"
#include "cpb/base.h"
#include "cpb/descriptor.pb.h"
#include "cpb/message.h"

/* --- features --------------------------------------------------------------------------------- */

/* The effect of editions and their features on the wire format. A feature is set for a file, a message or a field, and
 * inherited by its contents. (https://protobuf.dev/editions/features/) */

typedef enum { CPB_PRESENCE_EXPLICIT = 1, CPB_PRESENCE_IMPLICIT = 2, CPB_PRESENCE_REQUIRED = 3 } cpb_presence;

typedef struct cpb_features {
  cpb_presence presence;
  bool closed;    /* enums */
  bool packed;    /* repeated numbers */
  bool utf8;      /* strings are validated */
  bool delimited; /* messages are written as groups */
} cpb_features;

/* False with CPB_E_UNSUPPORTED for an unknown edition or syntax. */
bool cpb_features_of_file(const cpb_pb_FileDescriptorProto *file, cpb_features *features, cpb_error *error);

/* The features in `set`, if that is not NULL; all others are inherited. */
cpb_features cpb_features_merge(cpb_features inherited, const cpb_pb_FeatureSet *set);

/* --- schema ----------------------------------------------------------------------------------- */

/* The internals of a schema: sorted arrays, and names. */

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

/* --- builder ---------------------------------------------------------------------------------- */

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

/* --- build ------------------------------------------------------------------------------------ */

/* The first step of making a schema: types, fields and values are collected, from descriptors (build.c)
 * or from the built-in schema (builtin.c). */

/* Makes a linked schema from the definitions that `collect` adds to the builder. */
cpb_schema *cpb_schema_build(const cpb_allocator *allocator, cpb_error *error, bool (*collect)(cpb_schema_builder *),
                             cpb_span bytes, const cpb_limits *limits);

/* Each adds one definition, in the scope b->scopes[depth] or `outer`. A file and a message make the next scope, for
 * their contents; a value belongs to the last enum. */
bool cpb_schema_add_file(cpb_schema_builder *b, const cpb_pb_FileDescriptorProto *d);
bool cpb_schema_add_message(cpb_schema_builder *b, const cpb_pb_DescriptorProto *d, size_t depth);
bool cpb_schema_add_enum(cpb_schema_builder *b, const cpb_pb_EnumDescriptorProto *d, const cpb_schema_scope *outer);
bool cpb_schema_add_value(cpb_schema_builder *b, cpb_span name, int32_t number);
bool cpb_schema_add_field(cpb_schema_builder *b, const cpb_pb_FieldDescriptorProto *d, const cpb_schema_scope *outer,
                          bool extension);

/* --- link ------------------------------------------------------------------------------------- */

/* The second step of making a schema: sorts the collected definitions, and turns names of types into pointers. */

bool cpb_schema_link(cpb_schema_builder *b);

/* Fails with CPB_E_DAMAGED: `what` and the name. Returns false. */
bool cpb_schema_damaged(cpb_schema_builder *b, const char *what, const char *name);

#endif
