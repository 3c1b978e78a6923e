/* The built-in schema, from the form that tools/builtin_schema.py gives it: a list of names, and a code for
 * each of them and for each end of a message. It takes a fraction of a descriptor set's room. */
#include "proto/schema/builtin.h"

#include <string.h>

#include "proto/schema/builder.h"

/* A code: one of these, or the type of a field with flags. */
enum { END = 0, MESSAGE = 19, ENUM = 20, FILE_BEGIN = 21, VALUE = 22, END_ENTRY = 23 };
enum { TYPE = 31, REPEATED = 32, PACKED = 64, IN_ONEOF = 128 };
enum { LABEL_REPEATED = 3 };

typedef struct {
  const char *name;
  const uint8_t *code;
  int32_t next; /* the number that the next field or value has, if no other is given */
  size_t depth; /* of scopes */
} reader;

static cpb_span next_name(reader *r) {
  cpb_span name = {(const uint8_t *)r->name, strlen(r->name)};
  r->name += name.size + 1;
  return name;
}

/* The code is our own, so its end need not be checked. */
static int32_t next_number(reader *r) {
  uint64_t number = 0;
  r->code = cpb_varint_read(r->code, r->code + CPB_VARINT_MAX, &number);
  return (int32_t)number;
}

static int32_t next_distance(reader *r) {
  int32_t above = next_number(r), number = r->next + (above % 2 == 0 ? above / 2 : -(above + 1) / 2);
  r->next = number + 1;
  return number;
}

static bool has_type_name(int32_t type) { return type == CPB_TYPE_MESSAGE || type == CPB_TYPE_ENUM; }

static bool take_field(cpb_schema_builder *b, reader *r, unsigned code) {
  cpb_pb_FieldDescriptorProto d = {
      .name = next_name(r),
      .number = next_distance(r),
      .label = code & REPEATED ? LABEL_REPEATED : 0,
      .type = (int32_t)(code & TYPE),
      .has_options = code & PACKED,
      .options = {.has_packed = true, .packed = true},
      .has_oneof_index = code & IN_ONEOF,
  };
  size_t type = has_type_name(d.type) ? (size_t)next_number(r) : 0;
  if (code & IN_ONEOF) d.oneof_index = next_number(r);
  if (!cpb_schema_add_field(b, &d, &b->scopes[r->depth], false)) return false;
  b->fields[b->num_fields - 1].type_index = type;
  return true;
}

static bool begin_file(cpb_schema_builder *b, reader *r) {
  cpb_pb_FileDescriptorProto d = {.package = next_name(r)};
  d.syntax = next_name(r);
  r->depth = 1;
  return cpb_schema_add_file(b, &d);
}

static bool begin_message(cpb_schema_builder *b, reader *r) {
  cpb_pb_DescriptorProto d = {.name = next_name(r)};
  r->next = 1;
  return cpb_schema_add_message(b, &d, r->depth++);
}

static bool begin_enum(cpb_schema_builder *b, reader *r) {
  cpb_pb_EnumDescriptorProto d = {.name = next_name(r)};
  r->next = 0;
  return cpb_schema_add_enum(b, &d, &b->scopes[r->depth]);
}

static bool take_code(cpb_schema_builder *b, reader *r, unsigned code) {
  switch (code) {
    case FILE_BEGIN: return begin_file(b, r);
    case MESSAGE: return begin_message(b, r);
    case ENUM: return begin_enum(b, r);
    case END_ENTRY: b->schema->messages[b->schema->num_messages - 1].map_entry = true; /* fall through */
    case END: r->depth--; return true;
    case VALUE: break;
    default: return take_field(b, r, code);
  }
  cpb_span name = next_name(r);
  return cpb_schema_add_value(b, name, next_distance(r));
}

static bool collect(cpb_schema_builder *b) {
  reader r = {.name = cpb_builtin_schema_names, .code = cpb_builtin_schema_code};
  b->types_follow = true;
  while (r.code < cpb_builtin_schema_code + cpb_builtin_schema_code_size) {
    unsigned code = *r.code++;
    if (!take_code(b, &r, code)) return false;
  }
  for (size_t i = 0; i < b->num_fields; i++) {
    cpb_unlinked_field *u = &b->fields[i];
    if (u->field.type == CPB_TYPE_MESSAGE) u->type_name = b->schema->messages[u->type_index].name;
    if (u->field.type == CPB_TYPE_ENUM) u->type_name = b->schema->enums[u->type_index].name;
  }
  return true;
}

cpb_schema *cpb_schema_new_builtin(const cpb_allocator *allocator, cpb_error *error) {
  return cpb_schema_build(allocator, error, collect, (cpb_span){NULL, 0}, NULL);
}
