#include "proto/schema/builder.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "proto/nanopb.h"
#include "proto/wire.h"

/* A full name repeats the names of all messages that it is in. Without a bound, names could take the
 * square of the size of a descriptor set. */
#define NAME_MAX_LENGTH 1024

/* Field numbers in descriptor.proto. */
enum {
  SET_FILE = 1,
  FILE_MESSAGE = 4,
  FILE_ENUM = 5,
  FILE_EXTENSION = 7,
  MESSAGE_FIELD = 2,
  MESSAGE_NESTED = 3,
  MESSAGE_ENUM = 4,
  MESSAGE_EXTENSION = 6,
  ENUM_VALUE = 2
};

enum { LABEL_REQUIRED = 2, LABEL_REPEATED = 3 };

typedef cpb_schema_builder builder;
typedef cpb_schema_scope scope;

static bool no_memory(builder *b) { return cpb_fail_memory(b->error), false; }

static bool decode(builder *b, cpb_span in, const pb_msgdesc_t *type, void *message) {
  const char *wrong = cpb_nanopb_decode(in, type, message);
  if (!wrong) return true;
  return CPB_FAILS(b->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "descriptor set: %s in the descriptor at byte %zu", wrong,
                   (size_t)(in.data - b->bytes.data));
}

static bool scanned(builder *b, cpb_wire_scanner *s) {
  const cpb_error *error = s->error;
  if (error->code != CPB_OK) cpb_fail(b->error, error->code, CPB_NO_OFFSET, "descriptor set: %s", error->message);
  cpb_wire_free(s);
  return b->error->code == CPB_OK;
}

/* --- Names ---------------------------------------------------------------- */

static const char *copy_name(builder *b, const char *prefix, cpb_span name) {
  size_t front = strlen(prefix), dot = front > 0;
  if (name.size > NAME_MAX_LENGTH || front + dot + name.size > NAME_MAX_LENGTH) {
    cpb_fail(b->error, CPB_E_LIMIT, CPB_NO_OFFSET, "descriptor set: a name of more than %d characters: it has %zu",
             NAME_MAX_LENGTH, front + dot + name.size);
    return NULL;
  }
  if (name.size > 0 && memchr(name.data, 0, name.size) != NULL) {
    cpb_schema_damaged(b, "a name with a NUL in it, in", prefix);
    return NULL;
  }
  char *text = cpb_schema_text(b->schema, front + dot + name.size);
  if (!text) {
    no_memory(b);
    return NULL;
  }
  memcpy(text, prefix, front);
  if (dot) text[front] = '.';
  if (name.size > 0) memcpy(text + front + dot, name.data, name.size);
  return text;
}

/* protoc writes full type names with a dot in front. */
static const char *copy_type_name(builder *b, cpb_span name) {
  if (name.size > 0 && name.data[0] == '.') name = (cpb_span){name.data + 1, name.size - 1};
  return copy_name(b, "", name);
}

/* The json_name where protoc did not write it: in lowerCamelCase. */
static const char *make_json_name(builder *b, const char *name) {
  char *text = cpb_schema_text(b->schema, strlen(name));
  if (!text) {
    no_memory(b);
    return NULL;
  }
  char *at = text;
  for (bool upper = false; *name != '\0'; name++) {
    if (*name == '_') {
      upper = true;
      continue;
    }
    *at++ = upper && *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
    upper = false;
  }
  *at = '\0';
  return text;
}

/* --- Fields --------------------------------------------------------------- */

static bool check_field(builder *b, const cpb_pb_FieldDescriptorProto *d, const char *name) {
  if (d->number < 1 || d->number >= 1 << 29)
    return cpb_schema_damaged(b, "a number out of range (1 to 536870911) for field", name);
  if (d->type < 0 || d->type > CPB_TYPE_SINT64) return cpb_schema_damaged(b, "an unknown type for field", name);
  bool named = d->type == 0 || d->type == CPB_TYPE_GROUP || d->type == CPB_TYPE_MESSAGE || d->type == CPB_TYPE_ENUM;
  if (named && d->type_name.size == 0 && !b->types_follow) return cpb_schema_damaged(b, "no type for field", name);
  return true;
}

static void set_features(cpb_unlinked_field *u, const cpb_pb_FieldDescriptorProto *d, const cpb_features *inherited) {
  cpb_field *f = &u->field;
  cpb_features features = cpb_features_merge(*inherited, d->has_options ? &d->options.features : NULL);
  f->repeated = d->label == LABEL_REPEATED;
  f->required = d->label == LABEL_REQUIRED || features.presence == CPB_PRESENCE_REQUIRED;
  f->packed = f->repeated && (d->has_options && d->options.has_packed ? d->options.packed : features.packed);
  f->utf8 = features.utf8;
  f->presence = !f->repeated && (features.presence != CPB_PRESENCE_IMPLICIT || f->extension || f->oneof >= 0);
  u->delimited = features.delimited;
}

static bool append_field(builder *b, const cpb_unlinked_field *u) {
  if (!CPB_RESERVE(&b->schema->allocator, &b->fields, &b->fields_capacity, b->num_fields + 1)) return no_memory(b);
  b->fields[b->num_fields++] = *u;
  return true;
}

bool cpb_schema_add_field(builder *b, const cpb_pb_FieldDescriptorProto *d, const scope *s, bool extension) {
  cpb_unlinked_field u = {0};
  cpb_field *f = &u.field;
  f->name = copy_name(b, extension ? s->name : "", d->name);
  if (!f->name || !check_field(b, d, f->name)) return false;
  f->json_name = extension               ? f->name
                 : d->json_name.size > 0 ? copy_name(b, "", d->json_name)
                                         : make_json_name(b, f->name);
  u.owner = extension ? copy_type_name(b, d->extendee) : s->name;
  if (d->type_name.size > 0) u.type_name = copy_type_name(b, d->type_name);
  if (!f->json_name || !u.owner || (d->type_name.size > 0 && !u.type_name)) return false;
  f->number = (uint32_t)d->number;
  f->type = (cpb_field_type)d->type;
  f->extension = extension;
  f->oneof = d->has_oneof_index ? d->oneof_index : -1;
  set_features(&u, d, &s->features);
  return append_field(b, &u);
}

static bool take_field(builder *b, cpb_span in, const scope *s, bool extension) {
  cpb_pb_FieldDescriptorProto d = {0};
  return decode(b, in, cpb_pb_FieldDescriptorProto_fields, &d) && cpb_schema_add_field(b, &d, s, extension);
}

/* --- Enums ---------------------------------------------------------------- */

bool cpb_schema_add_value(builder *b, cpb_span text, int32_t number) {
  const char *name = copy_name(b, "", text);
  if (!name) return false;
  if (!CPB_RESERVE(&b->schema->allocator, &b->values, &b->values_capacity, b->num_values + 1)) return no_memory(b);
  const char *owner = b->schema->enums[b->schema->num_enums - 1].name;
  b->values[b->num_values] = (cpb_unlinked_value){{name, number}, owner, b->num_values};
  b->num_values++;
  return true;
}

static bool take_value(builder *b, cpb_span in) {
  cpb_pb_EnumValueDescriptorProto d = {0};
  return decode(b, in, cpb_pb_EnumValueDescriptorProto_fields, &d) && cpb_schema_add_value(b, d.name, d.number);
}

bool cpb_schema_add_enum(builder *b, const cpb_pb_EnumDescriptorProto *d, const scope *outer) {
  cpb_schema *s = b->schema;
  const char *name = copy_name(b, outer->name, d->name);
  if (!name) return false;
  if (!CPB_RESERVE(&s->allocator, &s->enums, &s->enums_capacity, s->num_enums + 1)) return no_memory(b);
  bool closed = cpb_features_merge(outer->features, d->has_options ? &d->options.features : NULL).closed;
  s->enums[s->num_enums++] = (cpb_enum_type){.name = name, .closed = closed};
  return true;
}

static bool take_enum(builder *b, cpb_span in, const scope *s) {
  cpb_pb_EnumDescriptorProto d = {0};
  if (!decode(b, in, cpb_pb_EnumDescriptorProto_fields, &d)) return false;
  if (!cpb_schema_add_enum(b, &d, s)) return false;
  cpb_wire_scanner scan;
  cpb_error error = {0};
  cpb_wire_begin(&scan, &b->schema->allocator, b->limits.depth, in.size, &error);
  const uint8_t *begin = in.data;
  bool taken = true;
  while (taken && cpb_wire_next(&scan, &in) == CPB_WIRE_FIELD) {
    const cpb_wire_field *f = &scan.field;
    if (f->number != ENUM_VALUE || f->type != CPB_WIRE_LEN) continue;
    taken = take_value(b, (cpb_span){begin + f->value, (size_t)f->size});
  }
  return scanned(b, &scan);
}

/* --- Messages and files --------------------------------------------------- */

static bool push_scope(builder *b, size_t depth, const cpb_features *features, const char *name) {
  if (!CPB_RESERVE(&b->schema->allocator, &b->scopes, &b->scopes_capacity, depth + 1)) return no_memory(b);
  b->scopes[depth] = (scope){*features, name};
  return true;
}

bool cpb_schema_add_file(builder *b, const cpb_pb_FileDescriptorProto *d) {
  const char *package = copy_name(b, "", d->package);
  cpb_features features;
  if (!package || !cpb_features_of_file(d, &features, b->error)) return false;
  return push_scope(b, 1, &features, package);
}

static bool enter_file(builder *b, cpb_wire_scanner *s, cpb_span in) {
  cpb_pb_FileDescriptorProto d = {0};
  return decode(b, in, cpb_pb_FileDescriptorProto_fields, &d) && cpb_schema_add_file(b, &d) && cpb_wire_enter(s);
}

bool cpb_schema_add_message(builder *b, const cpb_pb_DescriptorProto *d, size_t depth) {
  cpb_schema *schema = b->schema;
  const scope *outer = &b->scopes[depth];
  const char *name = copy_name(b, outer->name, d->name);
  if (!name) return false;
  if (!CPB_RESERVE(&schema->allocator, &schema->messages, &schema->messages_capacity, schema->num_messages + 1))
    return no_memory(b);
  schema->messages[schema->num_messages++] =
      (cpb_message_type){.name = name, .map_entry = d->has_options && d->options.map_entry};
  cpb_features features = cpb_features_merge(outer->features, d->has_options ? &d->options.features : NULL);
  return push_scope(b, depth + 1, &features, name);
}

static bool enter_message(builder *b, cpb_wire_scanner *s, cpb_span in) {
  cpb_pb_DescriptorProto d = {0};
  return decode(b, in, cpb_pb_DescriptorProto_fields, &d) && cpb_schema_add_message(b, &d, s->depth) &&
         cpb_wire_enter(s);
}

static bool take_part(builder *b, cpb_wire_scanner *s) {
  const cpb_wire_field *f = &s->field;
  if (f->type != CPB_WIRE_LEN) return true;
  cpb_span in = {b->bytes.data + f->value, (size_t)f->size};
  if (s->depth == 0) return f->number != SET_FILE || enter_file(b, s, in);
  const scope *here = &b->scopes[s->depth];
  if (s->depth == 1) {
    switch (f->number) {
      case FILE_MESSAGE: return enter_message(b, s, in);
      case FILE_ENUM: return take_enum(b, in, here);
      case FILE_EXTENSION: return take_field(b, in, here, true);
      default: return true;
    }
  }
  switch (f->number) {
    case MESSAGE_FIELD: return take_field(b, in, here, false);
    case MESSAGE_NESTED: return enter_message(b, s, in);
    case MESSAGE_ENUM: return take_enum(b, in, here);
    case MESSAGE_EXTENSION: return take_field(b, in, here, true);
    default: return true;
  }
}

static bool walk(builder *b) {
  cpb_wire_scanner s;
  cpb_error error = {0};
  cpb_wire_begin(&s, &b->schema->allocator, b->limits.depth, b->bytes.size, &error);
  cpb_span in = b->bytes;
  cpb_wire_event event;
  do {
    event = cpb_wire_next(&s, &in);
    if (event == CPB_WIRE_FIELD && !take_part(b, &s)) break;
  } while (event == CPB_WIRE_FIELD || event == CPB_WIRE_LEAVE);
  return scanned(b, &s);
}

cpb_schema *cpb_schema_build(const cpb_allocator *allocator, cpb_error *given_error, bool (*collect)(builder *),
                             cpb_span bytes, const cpb_limits *limits) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_schema *schema = cpb_alloc_zeroed(&a, sizeof *schema);
  if (!schema) return cpb_fail_memory(error), NULL;
  schema->allocator = a;
  builder b = {.schema = schema, .bytes = bytes, .limits = cpb_limits_or_default(limits), .error = error};
  bool built = collect(&b) && cpb_schema_link(&b);
  cpb_release(&a, b.scopes);
  cpb_release(&a, b.fields);
  cpb_release(&a, b.values);
  if (built) return schema;
  cpb_schema_free(schema);
  return NULL;
}

cpb_schema *cpb_schema_new(const cpb_allocator *allocator, const void *data, size_t size, const cpb_limits *limits,
                           cpb_error *error) {
  return cpb_schema_build(allocator, error, walk, (cpb_span){data, size}, limits);
}
