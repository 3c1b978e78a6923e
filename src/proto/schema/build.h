/* The first step of making a schema: types, fields and values are collected, from descriptors (build.c)
 * or from the built-in schema (builtin.c). */
#ifndef CPB_PROTO_SCHEMA_BUILD_H
#define CPB_PROTO_SCHEMA_BUILD_H

#include "cpb/descriptor.pb.h"
#include "proto/schema/builder.h"

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

#endif
