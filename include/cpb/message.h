/* cpb/message.h: message types, messages as JSON, and paths to fields.
 *
 * A serialized protobuf message says the numbers of its fields, not their names
 * or types: those are in a schema. A cpb_schema is made from a serialized
 * google.protobuf.FileDescriptorSet, which
 *
 *     protoc --descriptor_set_out=SET.fds --include_imports FILE.proto
 *
 * writes; the types a TensorFlow SavedModel is made of are built in. */
#ifndef CPB_MESSAGE_H
#define CPB_MESSAGE_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Message types -------------------------------------------------------- */

typedef struct cpb_schema cpb_schema;

/* The numbers are those of FieldDescriptorProto.Type. */
typedef enum cpb_field_type {
  CPB_TYPE_DOUBLE = 1,
  CPB_TYPE_FLOAT = 2,
  CPB_TYPE_INT64 = 3,
  CPB_TYPE_UINT64 = 4,
  CPB_TYPE_INT32 = 5,
  CPB_TYPE_FIXED64 = 6,
  CPB_TYPE_FIXED32 = 7,
  CPB_TYPE_BOOL = 8,
  CPB_TYPE_STRING = 9,
  CPB_TYPE_GROUP = 10, /* any message between group tags: proto2's groups and
                          what editions call DELIMITED */
  CPB_TYPE_MESSAGE = 11,
  CPB_TYPE_BYTES = 12,
  CPB_TYPE_UINT32 = 13,
  CPB_TYPE_ENUM = 14,
  CPB_TYPE_SFIXED32 = 15,
  CPB_TYPE_SFIXED64 = 16,
  CPB_TYPE_SINT32 = 17,
  CPB_TYPE_SINT64 = 18
} cpb_field_type;

typedef struct cpb_message_type cpb_message_type;
typedef struct cpb_enum_type cpb_enum_type;

typedef struct cpb_field {
  const char *name; /* as in the .proto; an extension's full name */
  const char *json_name;
  uint32_t number;
  cpb_field_type type;
  const cpb_message_type *message;  /* of MESSAGE and GROUP, else NULL */
  const cpb_enum_type *enumeration; /* of ENUM, else NULL */
  int32_t oneof;                    /* index of the oneof it is in, or -1 */
  uint8_t repeated;                 /* these are 0 or 1 */
  uint8_t map;                      /* repeated, of a map entry type */
  uint8_t packed;                   /* written packed (readers take both forms) */
  uint8_t required;
  uint8_t presence; /* a default value that is set differs from no value */
  uint8_t extension;
  uint8_t utf8; /* a string that must be valid UTF-8 */
} cpb_field;

struct cpb_message_type {
  const char *name;        /* full, such as "tensorflow.GraphDef" */
  const cpb_field *fields; /* in the order of their numbers */
  size_t num_fields;
  uint8_t map_entry; /* key is field 1, value is field 2 */
};

typedef struct cpb_enum_value {
  const char *name;
  int32_t number;
} cpb_enum_value;

struct cpb_enum_type {
  const char *name;
  const cpb_enum_value *values; /* in the order of their numbers */
  size_t num_values;
  uint8_t closed; /* other numbers are unknown fields */
};

/* A schema from a serialized FileDescriptorSet, of which nothing is kept.
 * CPB_E_DAMAGED: it is no descriptor set, or lacks a type that it mentions;
 * CPB_E_UNSUPPORTED: an edition that is not known; CPB_E_LIMIT, CPB_E_MEMORY. */
CPB_API cpb_schema *cpb_schema_new(const cpb_allocator *allocator, const void *data, size_t size,
                                   const cpb_limits *limits, cpb_error *error);

/* The built-in schema: tensorflow.SavedModel and all that it reaches, and the
 * messages of .cpb files. */
CPB_API cpb_schema *cpb_schema_new_builtin(const cpb_allocator *allocator, cpb_error *error);

CPB_API void cpb_schema_free(cpb_schema *schema);

/* The types of a schema, valid until it is freed; NULL when there is none. A
 * full name has no dot in front. */
CPB_API const cpb_message_type *cpb_schema_find_message(const cpb_schema *schema, const char *name);
CPB_API const cpb_enum_type *cpb_schema_find_enum(const cpb_schema *schema, const char *name);

/* All of its message types, by name. */
CPB_API size_t cpb_schema_num_messages(const cpb_schema *schema);
CPB_API const cpb_message_type *cpb_schema_get_message(const cpb_schema *schema, size_t i);

/* Each is NULL when there is none. A field is found by its name or its
 * json_name. */
CPB_API const cpb_field *cpb_message_find_number(const cpb_message_type *type, uint32_t number);
CPB_API const cpb_field *cpb_message_find_name(const cpb_message_type *type, const char *name, size_t length);
CPB_API const cpb_enum_value *cpb_enum_find_number(const cpb_enum_type *type, int32_t number);

/* --- Messages as JSON ----------------------------------------------------- */

/* Writes a serialized message as JSON, by protobuf's mapping
 * (https://protobuf.dev/programming-guides/json/): 64-bit integers as strings,
 * bytes in base64, enums by name, maps as objects; fields in the order of their
 * numbers, map entries in the order of their keys. Fields that repeat are merged
 * as a parser would. Of the well-known types only wrappers (BoolValue ...) have
 * their special form; Any, Timestamp, Duration, Struct and FieldMask come as
 * the plain messages they are. */
typedef struct cpb_json cpb_json;

/* A value that a message has elsewhere (cpb/outline.h): here it is empty. In JSON
 * {"@omitted": {"offset": N, "size": N}} stands in its place: as the value of a
 * field, an element or a map's entry, and once for all the elements of a packed
 * field. Both are JSON numbers, however large. A map of which a whole entry was
 * omitted (as nested too deep) is shown as that entry. */
typedef struct cpb_omitted {
  uint64_t offset, size; /* of the value, where it is */
  size_t at;             /* where the empty value is in the message: the byte
                            after its length, which is 0 */
  uint32_t number;       /* of the field */
} cpb_omitted;

typedef struct cpb_json_options {
  size_t struct_size; /* sizeof(cpb_json_options) */
  int original_names; /* non-zero: graph_def rather than graphDef */
  int unknown_fields; /* non-zero: fields that the schema lacks in
                         "@unknown": [{"number", "wireType", "value"}] */
  int strict_utf8;    /* non-zero: fail on a string that is not UTF-8,
                         instead of writing U+FFFD for what is wrong */
  unsigned indent;    /* spaces a level; 0: all on one line */
  const cpb_limits *limits;
  const cpb_omitted *omitted; /* in the order of `at`; must outlive the cpb_json */
  size_t num_omitted;
} cpb_json_options;

/* `type` and the `size` bytes at `data` must outlive it. `options` may be NULL.
 * NULL when memory is short. */
CPB_API cpb_json *cpb_json_new(const cpb_allocator *allocator, const cpb_message_type *type, const void *data,
                               size_t size, const cpb_json_options *options);
CPB_API void cpb_json_free(cpb_json *json);

/* CPB_STEP_OUTPUT with the next bytes, which are valid until the next step;
 * CPB_STEP_DONE; CPB_STEP_ERROR. It never asks for input. */
CPB_API cpb_step cpb_json_step(cpb_json *json);
CPB_API const char *cpb_json_output(const cpb_json *json, size_t *length);
CPB_API const cpb_error *cpb_json_error(const cpb_json *json);

/* --- Paths to fields ------------------------------------------------------ */

/* A path such as
 *
 *     meta_graphs[0].graph_def.library.function[3]
 *     node[15].attr["value"].tensor
 *     2[0].1                      field numbers, where there is no schema
 *     [my.package.extension]
 *
 * is a list of tags: into a field, then perhaps to an element of a repeated
 * field or an entry of a map. */
typedef enum cpb_path_kind {
  CPB_PATH_NAME = 1, /* text: a field's name */
  CPB_PATH_NUMBER,   /* value: a field's number */
  CPB_PATH_INDEX,    /* value, negative: an integer in brackets. An element, or
                        a map key where the field is a map */
  CPB_PATH_KEY,      /* text: a string in brackets. A map key */
  CPB_PATH_BOOL      /* value: true or false in brackets. A map key */
} cpb_path_kind;

typedef struct cpb_path_tag {
  cpb_path_kind kind;
  uint64_t value; /* INDEX: the magnitude when `negative` */
  int negative;
  const char *text; /* not terminated; lies in the cpb_path */
  size_t length;
} cpb_path_tag;

typedef struct cpb_path cpb_path;

/* CPB_E_USAGE when the text is no path; the error's offset is then one in the
 * text. The empty text is the message itself: no tags. */
CPB_API cpb_path *cpb_path_parse(const cpb_allocator *allocator, const char *text, size_t length, cpb_error *error);
CPB_API void cpb_path_free(cpb_path *path);
CPB_API size_t cpb_path_num_tags(const cpb_path *path);
CPB_API const cpb_path_tag *cpb_path_get_tag(const cpb_path *path, size_t i);

/* Writes tags as text, terminated and cut to fit `size` bytes; returns the
 * length that the whole has. */
CPB_API size_t cpb_path_format(const cpb_path_tag *tags, size_t count, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
