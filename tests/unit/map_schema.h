/* A schema with a field of each shape: t.M, made by hand. */
#ifndef MAP_SCHEMA_H
#define MAP_SCHEMA_H

#include "split_help.h"

enum { OPTIONAL = 1, REPEATED = 3 };

static inline bytes field_of(const char *name, uint32_t number, int label, cpb_field_type type, const char *type_name) {
  bytes b = {NULL, 0};
  put_int(put_int(put_int(put_text(&b, 1, name), 3, number), 4, (uint64_t)label), 5, type);
  if (type_name != NULL) put_text(&b, 6, type_name);
  return b;
}

/* A map's entry type, and the field. */
static inline void put_map(bytes *message, const char *name, const char *entry, uint32_t number, cpb_field_type key,
                           cpb_field_type value) {
  bytes nested = {NULL, 0}, options = {NULL, 0};
  char type_name[32];
  put_text(&nested, 1, entry);
  put_message(&nested, 2, field_of("key", 1, OPTIONAL, key, NULL));
  put_message(&nested, 2, field_of("value", 2, OPTIONAL, value, value == CPB_TYPE_MESSAGE ? ".t.M" : NULL));
  put_message(&nested, 7, *put_int(&options, 7, 1));
  put_message(message, 3, nested);
  snprintf(type_name, sizeof type_name, ".t.M.%s", entry);
  put_message(message, 2, field_of(name, number, REPEATED, CPB_TYPE_MESSAGE, type_name));
}

static cpb_schema *types;

static inline int make_types(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t number;
    int label;
    cpb_field_type type;
  } fields[] = {
      {"n", 1, OPTIONAL, CPB_TYPE_INT32},      {"b", 2, OPTIONAL, CPB_TYPE_BYTES},
      {"m", 3, OPTIONAL, CPB_TYPE_MESSAGE},    {"ms", 4, REPEATED, CPB_TYPE_MESSAGE},
      {"f32", 5, REPEATED, CPB_TYPE_SFIXED32}, {"f64", 6, REPEATED, CPB_TYPE_DOUBLE},
      {"s", 7, REPEATED, CPB_TYPE_SINT64},     {"g", 8, OPTIONAL, CPB_TYPE_GROUP},
      {"gs", 9, REPEATED, CPB_TYPE_GROUP},     {"bs", 10, REPEATED, CPB_TYPE_BYTES},
  };
  bytes message = {NULL, 0}, file = {NULL, 0}, set = {NULL, 0};
  put_text(&message, 1, "M");
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    bool is_message = fields[i].type == CPB_TYPE_MESSAGE || fields[i].type == CPB_TYPE_GROUP;
    put_message(
        &message, 2,
        field_of(fields[i].name, fields[i].number, fields[i].label, fields[i].type, is_message ? ".t.M" : NULL));
  }
  put_map(&message, "by_text", "ByTextEntry", 20, CPB_TYPE_STRING, CPB_TYPE_MESSAGE);
  put_map(&message, "by_sint", "BySintEntry", 21, CPB_TYPE_SINT32, CPB_TYPE_BYTES);
  put_map(&message, "by_sfixed", "BySfixedEntry", 22, CPB_TYPE_SFIXED32, CPB_TYPE_INT32);
  put_map(&message, "by_bool", "ByBoolEntry", 23, CPB_TYPE_BOOL, CPB_TYPE_BYTES);
  put_map(&message, "by_int", "ByIntEntry", 24, CPB_TYPE_INT64, CPB_TYPE_BYTES);
  put_map(&message, "by_uint32", "ByUint32Entry", 25, CPB_TYPE_UINT32, CPB_TYPE_BYTES);
  put_map(&message, "by_int32", "ByInt32Entry", 26, CPB_TYPE_INT32, CPB_TYPE_BYTES);
  put_text(put_text(&file, 1, "t.proto"), 2, "t");
  put_message(&file, 4, message);
  put_message(&set, 1, file);
  cpb_error error;
  types = cpb_schema_new(NULL, set.data, set.size, NULL, &error);
  free(set.data);
  return types == NULL;
}

static inline int free_types(void **state) {
  (void)state;
  cpb_schema_free(types);
  return 0;
}

#endif
