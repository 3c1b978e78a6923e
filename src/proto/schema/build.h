/* Making a schema in two steps: schema_build.c collects what the descriptors
 * define, or schema_builtin.c what the built-in ones did; schema_link.c sorts it
 * and puts pointers in place of names. */
#ifndef CPB_PROTO_SCHEMA_BUILD_H
#define CPB_PROTO_SCHEMA_BUILD_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/descriptor.pb.h"
#include "proto/schema/features.h"
#include "proto/schema/schema.h"

/* What a file or message passes on to what is in it. */
typedef struct cpb_schema_scope {
  cpb_features features;
  const char *name; /* the package's or message's, "" for none */
} cpb_schema_scope;

/* A field before the types it names are known. */
typedef struct cpb_unlinked_field {
  cpb_field field;
  const char *owner;     /* the message it is in */
  const char *type_name; /* NULL for a scalar */
  bool delimited;        /* if it turns out to be a message */
  size_t type_index;     /* while types_follow: that type's */
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
  cpb_schema_scope *scopes; /* by the depth of the scanner */
  size_t scopes_capacity;
  cpb_unlinked_field *fields;
  size_t num_fields, fields_capacity;
  cpb_unlinked_value *values;
  size_t num_values, values_capacity;
  bool types_follow; /* fields have no type_name yet */
} cpb_schema_builder;

/* What `collect` adds to the builder, linked; NULL and an error if it fails. */
cpb_schema *cpb_schema_build(const cpb_allocator *allocator, cpb_error *error, bool (*collect)(cpb_schema_builder *),
                             cpb_span bytes, const cpb_limits *limits);

/* Each adds one thing in scope b->scopes[depth], or `outer`; a file and a message
 * set the scope for what is in them, a value belongs to the last enum. */
bool cpb_schema_add_file(cpb_schema_builder *b, const cpb_pb_FileDescriptorProto *d);
bool cpb_schema_add_message(cpb_schema_builder *b, const cpb_pb_DescriptorProto *d, size_t depth);
bool cpb_schema_add_enum(cpb_schema_builder *b, const cpb_pb_EnumDescriptorProto *d, const cpb_schema_scope *outer);
bool cpb_schema_add_value(cpb_schema_builder *b, cpb_span name, int32_t number);
bool cpb_schema_add_field(cpb_schema_builder *b, const cpb_pb_FieldDescriptorProto *d, const cpb_schema_scope *outer,
                          bool extension);

/* False, with DAMAGED: `what` and the name. */
bool cpb_schema_damaged(cpb_schema_builder *b, const char *what, const char *name);

bool cpb_schema_link(cpb_schema_builder *b);

#endif
