#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define SCHEMA_FILE_MAX ((uint64_t)256 << 20)
#define TAGS_MAX 256

/* --- Loading ---------------------------------------------------------------- */

bool cli_load_schema(cli *c, cpb_schema **schema, int *status) {
  const char *path = c->settings.schema;
  *schema = NULL;
  if (!path) return true;
  cpb_file *file = cli_open_input(c, path, status);
  if (!file) return false;
  cpb_error error;
  size_t size;
  uint8_t *set = cpb_file_read_all(file, SCHEMA_FILE_MAX, &size, &error);
  if (set) *schema = cpb_schema_new(&c->allocator, set, size, &c->settings.limits, &error);
  if (!*schema) *status = cli_fail(c, cli_input_name(path), &error);
  cpb_release(&c->allocator, set);
  cpb_file_close(file);
  return *schema != NULL;
}

bool cli_load_any_schema(cli *c, cpb_schema **schema, int *status) {
  if (!cli_load_schema(c, schema, status) || *schema) return *schema != NULL;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  *schema = cpb_schema_new_builtin(&c->allocator, &error);
  if (!*schema) *status = cli_fail(c, "built-in types", &error);
  return *schema != NULL;
}

/* --- Paths in the index -------------------------------------------------------- */

static cpb_path_tag number_tag(uint64_t value, bool is_signed) {
  bool negative = is_signed && (int64_t)value < 0;
  return (cpb_path_tag){.kind = CPB_PATH_INDEX, .value = negative ? 0 - value : value, .negative = negative};
}

/* The tag as a path, in a message of this type. */
static cpb_path_tag path_tag_of(const cpb_field_tag *tag, const cpb_field *field) {
  switch (tag->kind) {
    case CPB_TAG_FIELD:
      if (!field) return (cpb_path_tag){.kind = CPB_PATH_NUMBER, .value = tag->value};
      return (cpb_path_tag){.kind = CPB_PATH_NAME, .text = field->name, .length = strlen(field->name)};
    case CPB_TAG_KEY_STRING: return (cpb_path_tag){.kind = CPB_PATH_KEY, .text = tag->text, .length = tag->length};
    case CPB_TAG_KEY_BOOL: return (cpb_path_tag){.kind = CPB_PATH_BOOL, .value = tag->value};
    case CPB_TAG_KEY_INT32:
    case CPB_TAG_KEY_INT64: return number_tag(tag->value, true);
    case CPB_TAG_INDEX:
    case CPB_TAG_KEY_UINT32:
    case CPB_TAG_KEY_UINT64: break;
  }
  return number_tag(tag->value, false);
}

const cpb_message_type *cli_node_path(const cpb_index *index, uint32_t node, const cpb_message_type *type, char *out,
                                      size_t size) {
  cpb_path_tag tags[TAGS_MAX];
  cpb_index_node n;
  cpb_index_get_node(index, node, &n);
  uint32_t count = 0;
  for (; count < n.num_tags && count < TAGS_MAX; count++) {
    cpb_field_tag tag;
    const cpb_field *field = NULL;
    cpb_index_get_tag(index, node, count, &tag);
    if (tag.kind == CPB_TAG_FIELD) {
      field = type && tag.value <= UINT32_MAX ? cpb_message_find_number(type, (uint32_t)tag.value) : NULL;
      type = field ? field->message : NULL;
    } else if (type && type->map_entry && tag.kind != CPB_TAG_INDEX) {
      field = cpb_message_find_number(type, 2);
      type = field ? field->message : NULL;
    }
    tags[count] = path_tag_of(&tag, field);
  }
  cpb_path_format(tags, count, out, size);
  return type;
}

/* --- Types --------------------------------------------------------------------- */

/* A chunk that is a message belongs in a message field; one that does not look like a message, in a string or bytes. */
static bool fits_chunk(const cpb_index *index, uint64_t chunk, const cpb_field *field) {
  cpb_chunk_info info;
  if (!field || cpb_index_get_chunk(index, chunk, &info) != CPB_OK) return true;
  if (info.type != CPB_CHUNK_BYTES) return field->message != NULL;
  return field->type == CPB_TYPE_STRING || field->type == CPB_TYPE_BYTES;
}

/* Whether every field in a node's tags exists and fits the chunk. */
static bool has_fields(const cpb_index *index, uint32_t node, const cpb_message_type *type) {
  const cpb_field *field = NULL;
  cpb_index_node n;
  cpb_index_get_node(index, node, &n);
  for (uint32_t i = 0; i < n.num_tags; i++) {
    cpb_field_tag tag;
    cpb_index_get_tag(index, node, i, &tag);
    bool is_key = tag.kind != CPB_TAG_FIELD && tag.kind != CPB_TAG_INDEX;
    if (tag.kind == CPB_TAG_INDEX) continue;
    if (!type || is_key != type->map_entry || tag.value > UINT32_MAX) return false;
    field = cpb_message_find_number(type, is_key ? 2 : (uint32_t)tag.value);
    if (!field) return false;
    type = field->message;
  }
  return fits_chunk(index, n.chunk, field);
}

static bool fits_children(const cpb_index *index, const cpb_message_type *type) {
  cpb_index_node root;
  if (cpb_index_get_node(index, 0, &root) != CPB_OK) return true;
  for (uint32_t child = root.first_child; child != CPB_NO_NODE;) {
    cpb_index_node n;
    if (!has_fields(index, child, type)) return false;
    cpb_index_get_node(index, child, &n);
    child = n.next;
  }
  return true;
}

static bool unknown_type(cli *c, int *status) {
  char problem[256];
  snprintf(problem, sizeof problem, "there is no message type %.150s%s", c->settings.type,
           c->settings.schema ? " in the schema" : "; name a --schema that has it");
  *status = cli_usage(c->command, problem);
  return false;
}

/* The type of a kind of models, and after the last kind another type; NULL if the schema lacks it. False at the end. */
static bool root_at(const cpb_schema *schema, cpb_model_kind kind, const cpb_message_type **type) {
  const bool is_kind = cpb_model_kind_name(kind) != NULL;
  const char *name = is_kind ? cpb_model_message_type(kind) : "tensorflow.FunctionDef";
  *type = name ? cpb_schema_find_message(schema, name) : NULL;
  return is_kind || cpb_model_kind_name(kind - 1);
}

bool cli_find_type(cli *c, const cpb_schema *schema, const cpb_index *index, const cpb_message_type **type,
                   int *status) {
  if (c->settings.type) {
    *type = cpb_schema_find_message(schema, c->settings.type);
    return *type || unknown_type(c, status);
  }
  for (cpb_model_kind kind = 1; root_at(schema, kind, type); kind++)
    if (*type && (!index || fits_children(index, *type))) return true;
  *type = NULL;
  return true;
}

bool cli_load_type(cli *c, cpb_schema **schema, const cpb_message_type **type, int *status) {
  *schema = NULL;
  *type = NULL;
  if (!c->settings.type) return true;
  return cli_load_any_schema(c, schema, status) && cli_find_type(c, *schema, NULL, type, status);
}
