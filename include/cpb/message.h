/* cpb/message.h: message types, messages as JSON, and paths to fields.
 *
 * A serialized protobuf message has the numbers of its fields, but not their names
 * and types, which are in a schema. A cpb_schema is made from a serialized
 * google.protobuf.FileDescriptorSet, as written by
 *
 *     protoc --descriptor_set_out=SET.fds --include_imports FILE.proto
 *
 * The types that a TensorFlow SavedModel is made of are built in:
 *
 *     cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
 *     const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.NodeDef");
 *     cpb_json *json = cpb_json_new(NULL, type, data, size, NULL);
 *     while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
 *       text = cpb_json_output(json, &length);
 *       fwrite(text, 1, length, stdout);
 *     } */
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
  CPB_TYPE_GROUP = 10, /* any message between group tags: proto2's groups, and
                          editions' DELIMITED */
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
  const char *name;      /* as in the .proto; for an extension its full name */
  const char *json_name; /* as in JSON, mostly lowerCamelCase */
  uint32_t number;
  cpb_field_type type;
  const cpb_message_type *message;  /* of MESSAGE and GROUP, else NULL */
  const cpb_enum_type *enumeration; /* of ENUM, else NULL */
  int32_t oneof;                    /* number of the oneof it is in, from 0; or -1 */

  /* Each is 0 or 1. */
  uint8_t repeated;
  uint8_t map;       /* a map: repeated, and `message` is a map entry */
  uint8_t packed;    /* is written packed (readers take both forms) */
  uint8_t required;  /* as in proto2 */
  uint8_t presence;  /* a value that equals the default differs from an absent one */
  uint8_t extension; /* of the message, not one of its own fields */
  uint8_t utf8;      /* a string that must be valid UTF-8 */
} cpb_field;

struct cpb_message_type {
  const char *name;        /* full, such as "tensorflow.GraphDef" */
  const cpb_field *fields; /* in the order of their numbers */
  size_t num_fields;
  uint8_t map_entry; /* 1: an entry of a map; field 1 is the key, 2 the value */

  /* The fields that an outline (cpb_outline_keep_lost) keeps from such a message if parts of it are
   * lost: a cpb_divisible. In a schema it is 0. */
  uint8_t divisible;
};

typedef enum cpb_divisible {
  CPB_DIVISIBLE_NOT = 0,       /* none: without all of its fields the message means something else */
  CPB_DIVISIBLE_ANYWHERE = 1,  /* the other fields: each has a meaning of its own */
  CPB_DIVISIBLE_BEGINNING = 2, /* the fields before the loss: it has a list whose elements are numbered */
} cpb_divisible;

typedef struct cpb_enum_value {
  const char *name;
  int32_t number;
} cpb_enum_value;

struct cpb_enum_type {
  const char *name;             /* full */
  const cpb_enum_value *values; /* in the order of their numbers */
  size_t num_values;
  uint8_t closed; /* 1: a field with another number is an unknown field */
};

/* A schema from a serialized FileDescriptorSet, which is not kept. CPB_E_DAMAGED:
 * the data is not a descriptor set, or lacks a type that it refers to;
 * CPB_E_UNSUPPORTED: an unknown edition; CPB_E_LIMIT; CPB_E_MEMORY. */
CPB_API cpb_schema *cpb_schema_new(const cpb_allocator *allocator, const void *data, size_t size,
                                   const cpb_limits *limits, cpb_error *error);

/* The built-in schema: tensorflow.SavedModel and all types that it refers to, and
 * the messages of .cpb files. CPB_E_MEMORY. */
CPB_API cpb_schema *cpb_schema_new_builtin(const cpb_allocator *allocator, cpb_error *error);

CPB_API void cpb_schema_free(cpb_schema *schema);

/* The type with this full name (without a leading dot), or NULL. It is part of the
 * schema. */
CPB_API const cpb_message_type *cpb_schema_find_message(const cpb_schema *schema, const char *name);
CPB_API const cpb_enum_type *cpb_schema_find_enum(const cpb_schema *schema, const char *name);

/* All message types, in the order of their names. NULL if `i` is not less than
 * their number. */
CPB_API size_t cpb_schema_num_messages(const cpb_schema *schema);
CPB_API const cpb_message_type *cpb_schema_get_message(const cpb_schema *schema, size_t i);

/* A field by its number, or by its name or json_name; a value by its number. NULL
 * if it does not exist. */
CPB_API const cpb_field *cpb_message_find_number(const cpb_message_type *type, uint32_t number);
CPB_API const cpb_field *cpb_message_find_name(const cpb_message_type *type, const char *name, size_t length);
CPB_API const cpb_enum_value *cpb_enum_find_number(const cpb_enum_type *type, int32_t number);

/* --- Messages as JSON ----------------------------------------------------- */

/* Writes a serialized message as JSON, by protobuf's mapping
 * (https://protobuf.dev/programming-guides/json/): 64-bit integers as strings,
 * bytes in base64, enums by name, maps as objects. Fields come in the order of
 * their numbers, map entries in the order of their keys; occurrences of a field
 * are merged as a parser does. Among the well-known types, only the wrappers
 * (BoolValue and so on) have their special form: Any, Timestamp, Duration, Struct
 * and FieldMask are written as plain messages. */
typedef struct cpb_json cpb_json;

/* A value that was left out of the message (cpb/outline.h), which has an empty
 * value in its place. JSON has {"@omitted": {"offset": N, "size": N}} instead: as
 * the value of a field, of an element or of a map's entry, and once for all
 * elements of a packed field. Both are JSON numbers of any size. If a whole entry
 * of a map was left out because it is nested too deep, the map is shown as one
 * such object. */
typedef struct cpb_omitted {
  /* The range of the value in the input that the outline was made from. */
  uint64_t offset, size;

  /* The place of the empty value in the message: the byte after its length, which
   * is 0. */
  size_t at;

  /* The number of its field. */
  uint32_t number;
} cpb_omitted;

typedef struct cpb_json_options {
  /* sizeof(cpb_json_options) */
  size_t struct_size;

  /* Non-zero: names as in the .proto, graph_def rather than graphDef. */
  int original_names;

  /* Non-zero: fields that the schema lacks are members of
   * "@unknown": [{"number", "wireType", "value"}]. Zero: they are left out. */
  int unknown_fields;

  /* Non-zero: a string that is not UTF-8 is CPB_E_DAMAGED. Zero: its invalid bytes
   * become U+FFFD. */
  int strict_utf8;

  /* Spaces for each level of nesting. 0: all on one line. */
  unsigned indent;

  const cpb_limits *limits;

  /* In the order of `at`; must outlive the cpb_json. */
  const cpb_omitted *omitted;
  size_t num_omitted;
} cpb_json_options;

/* `type` and the bytes at `data` must outlive it. Returns NULL when memory is
 * short. */
CPB_API cpb_json *cpb_json_new(const cpb_allocator *allocator, const cpb_message_type *type, const void *data,
                               size_t size, const cpb_json_options *options);
CPB_API void cpb_json_free(cpb_json *json);

/* CPB_STEP_OUTPUT; CPB_STEP_DONE after the last byte; CPB_STEP_ERROR. This engine
 * has no input. */
CPB_API cpb_step cpb_json_step(cpb_json *json);

/* After CPB_STEP_OUTPUT: the next bytes, valid until the next step. */
CPB_API const char *cpb_json_output(const cpb_json *json, size_t *length);
CPB_API const cpb_error *cpb_json_error(const cpb_json *json);

/* --- Messages from text --------------------------------------------------- */

typedef struct cpb_text_options {
  /* sizeof(cpb_text_options) */
  size_t struct_size;

  /* Of the message. NULL: malloc. */
  const cpb_allocator *allocator;

  /* Has the types of expanded Any messages. NULL: these are CPB_E_UNSUPPORTED. */
  const cpb_schema *schema;

  /* `depth`, `walked` and `held` count: the message takes at most `held`. */
  const cpb_limits *limits;

  /* Non-zero: the message of a damaged text has the fields before the damage. `error` has the place
   * and the reason. */
  int keep_damaged;
} cpb_text_options;

/* Serializes a text in protobuf's text format
 * (https://protobuf.dev/reference/protobuf/textformat-spec/), and returns the message in one block
 * of the allocator: `*message_size` bytes. Consecutive elements of a packed field are written packed.
 * As on the wire, a field that is not repeated may occur more than once. `options` may be NULL.
 *
 * Returns NULL on failure, with the offset in the text: CPB_E_DAMAGED: wrong syntax, or a value
 * that its field cannot have; CPB_E_UNSUPPORTED: a field, a value of an enum or a type that the
 * schema does not have; CPB_E_LIMIT; CPB_E_MEMORY. */
CPB_API uint8_t *cpb_message_from_text(const cpb_message_type *type, const char *text, size_t size,
                                       const cpb_text_options *options, size_t *message_size, cpb_error *error);

/* --- Paths to fields ------------------------------------------------------ */

/* A path leads from a message to a field in it:
 *
 *     meta_graphs[0].graph_def.library.function[3]
 *     node[15].attr["value"].tensor      or ['value']
 *     2[0].1                      field numbers, without a schema
 *     [my.package.extension]
 *
 * It is a list of tags, like the field tags of an index (cpb/chunked.h): into a
 * field, then perhaps to an element of a repeated field or an entry of a map. */
typedef enum cpb_path_kind {
  CPB_PATH_NAME = 1, /* text: a field's name */
  CPB_PATH_NUMBER,   /* value: a field's number */
  CPB_PATH_INDEX,    /* value, negative: an integer in brackets. An element, or
                        a key where the field is a map */
  CPB_PATH_KEY,      /* text: a quoted string in brackets. A map key */
  CPB_PATH_BOOL      /* value: true or false in brackets. A map key */
} cpb_path_kind;

typedef struct cpb_path_tag {
  cpb_path_kind kind;
  uint64_t value; /* of CPB_PATH_INDEX the magnitude, if `negative` is not 0 */
  int negative;
  const char *text; /* part of the cpb_path; without NUL */
  size_t length;
} cpb_path_tag;

typedef struct cpb_path cpb_path;

/* The empty text is the path to the message itself, without tags. CPB_E_USAGE: the
 * text is not a path, with the error's offset in the text; CPB_E_MEMORY. */
CPB_API cpb_path *cpb_path_parse(const cpb_allocator *allocator, const char *text, size_t length, cpb_error *error);
CPB_API void cpb_path_free(cpb_path *path);

/* The tags, in order. NULL if `i` is not less than their number. */
CPB_API size_t cpb_path_num_tags(const cpb_path *path);
CPB_API const cpb_path_tag *cpb_path_get_tag(const cpb_path *path, size_t i);

/* Writes tags as text into `out`, as much as fits into `size` bytes with its
 * terminating NUL. Returns the length of the whole text, as snprintf does. */
CPB_API size_t cpb_path_format(const cpb_path_tag *tags, size_t count, char *out, size_t size);

/* Converts names of fields to numbers, as cpb_record_reader_options.fields takes them:
 * "id,meta.name" for example to "1,4.2". `names` are paths without elements, separated by commas.
 * Numbers may replace names, and must if the type is unknown (`type` may be NULL). Writes the
 * result to `out`, with its terminating NUL: 10 bytes for each of the names and one more always
 * suffice. CPB_E_USAGE: an unknown field, or not a path, with the error's offset in the text;
 * CPB_E_LIMIT: more than `size` bytes; CPB_E_MEMORY. */
CPB_API cpb_code cpb_message_field_numbers(const cpb_allocator *allocator, const cpb_message_type *type,
                                           const char *names, char *out, size_t size, cpb_error *error);

#ifdef __cplusplus
}
#endif
#endif
