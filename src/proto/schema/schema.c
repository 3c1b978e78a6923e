#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "proto/schema/builder.h"

/* --- features --------------------------------------------------------------------------------- */

/* google.protobuf.Edition and the values in google.protobuf.FeatureSet. */
enum { EDITION_PROTO2 = 998, EDITION_PROTO3 = 999, EDITION_2023 = 1000, EDITION_2024 = 1001 };
enum { ENUM_CLOSED = 2, REPEATED_PACKED = 1, UTF8_VERIFY = 2, MESSAGE_DELIMITED = 2 };

static bool is_text(cpb_span span, const char *text) {
  return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

static int32_t edition_of(const cpb_pb_FileDescriptorProto *file) {
  if (file->has_edition) return file->edition;
  if (is_text(file->syntax, "proto3")) return EDITION_PROTO3;
  return file->syntax.size == 0 || is_text(file->syntax, "proto2") ? EDITION_PROTO2 : 0;
}

bool cpb_features_of_file(const cpb_pb_FileDescriptorProto *file, cpb_features *features, cpb_error *error) {
  int32_t edition = edition_of(file);
  switch (edition) {
    case EDITION_PROTO2: *features = (cpb_features){CPB_PRESENCE_EXPLICIT, true, false, false, false}; break;
    case EDITION_PROTO3: *features = (cpb_features){CPB_PRESENCE_IMPLICIT, false, true, true, false}; break;
    case EDITION_2023:
    case EDITION_2024: *features = (cpb_features){CPB_PRESENCE_EXPLICIT, false, true, true, false}; break;
    default:
      return CPB_FAILS(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                       "descriptor set: edition %d is unknown; expected 998 (proto2) to %d (2024)", (int)edition,
                       EDITION_2024);
  }
  *features = cpb_features_merge(*features, file->has_options ? &file->options.features : NULL);
  return true;
}

cpb_features cpb_features_merge(cpb_features f, const cpb_pb_FeatureSet *set) {
  if (!set) return f;
  if (set->field_presence != 0) f.presence = (cpb_presence)set->field_presence;
  if (set->enum_type != 0) f.closed = set->enum_type == ENUM_CLOSED;
  if (set->repeated_field_encoding != 0) f.packed = set->repeated_field_encoding == REPEATED_PACKED;
  if (set->utf8_validation != 0) f.utf8 = set->utf8_validation == UTF8_VERIFY;
  if (set->message_encoding != 0) f.delimited = set->message_encoding == MESSAGE_DELIMITED;
  return f;
}

/* --- schema ----------------------------------------------------------------------------------- */

char *cpb_schema_text(cpb_schema *schema, size_t length) {
  size_t size;
  if (!cpb_add_size(length, 1, &size)) return NULL;
  char *text = (char *)cpb_texts_add(&schema->names, &schema->allocator, size);
  if (text) text[length] = '\0';
  return text;
}

void cpb_schema_free(cpb_schema *schema) {
  if (!schema) return;
  const cpb_allocator a = schema->allocator;
  cpb_texts_free(&schema->names, &a);
  cpb_release(&a, schema->messages);
  cpb_release(&a, schema->enums);
  cpb_release(&a, schema->fields);
  cpb_release(&a, schema->values);
  cpb_release(&a, schema);
}

/* --- Looking up ----------------------------------------------------------- */

/* Messages and enums begin with their name, so one search serves both. */
static const void *find_named(const void *items, size_t count, size_t element, const char *name) {
  const uint8_t *base = items;
  while (count > 0) {
    const uint8_t *middle = base + count / 2 * element;
    const char *found;
    memcpy(&found, middle, sizeof found);
    int order = strcmp(name, found);
    if (order == 0) return middle;
    if (order > 0) {
      base = middle + element;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return NULL;
}

const cpb_message_type *cpb_schema_find_message(const cpb_schema *schema, const char *name) {
  return find_named(schema->messages, schema->num_messages, sizeof *schema->messages, name);
}

const cpb_enum_type *cpb_schema_find_enum(const cpb_schema *schema, const char *name) {
  return find_named(schema->enums, schema->num_enums, sizeof *schema->enums, name);
}

size_t cpb_schema_num_messages(const cpb_schema *schema) { return schema->num_messages; }

const cpb_message_type *cpb_schema_get_message(const cpb_schema *schema, size_t i) {
  return i < schema->num_messages ? &schema->messages[i] : NULL;
}
