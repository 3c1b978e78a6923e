#include "chunked/merge/targets.h"

#include <string.h>

#include "base/status.h"

/* --- Fields --------------------------------------------------------------- */

static const cpb_message_type *message_of(const cpb_merge_tree *tree, uint32_t target) {
  if (target == CPB_ROOT) return tree->type;
  const cpb_field *field = cpb_target_field(tree, target);
  return field ? field->message : NULL;
}

const cpb_field *cpb_types_field(const cpb_merge_tree *tree, uint32_t parent, uint64_t number) {
  const cpb_message_type *type = message_of(tree, parent);
  return type ? cpb_message_find_number(type, (uint32_t)number) : NULL;
}

static const char *check_field(const cpb_merge_tree *tree, uint32_t base, uint64_t number) {
  const cpb_target *t = &tree->targets[base];
  const cpb_field *field = cpb_target_field(tree, base);
  if (field && !field->message) return "a field inside of one that is not a message";
  if (field && field->repeated && t->kind == CPB_TAG_FIELD) return "a repeated field without an index or key";
  if (message_of(tree, base) == NULL) return NULL;
  return cpb_types_field(tree, base, number) != NULL ? NULL : "a field number that the message type does not have";
}

/* --- Map keys ------------------------------------------------------------- */

static bool is_text(const cpb_merge_tree *tree, const cpb_tag *tag, const char *text) {
  size_t length = strlen(text);
  return tag->length == length && memcmp(tree->metadata->text.data + tag->value, text, length) == 0;
}

/* A string that is a decimal integer, as the number. */
static bool read_integer(const cpb_merge_tree *tree, const cpb_tag *tag, uint64_t *value) {
  if (tag->length == 0 || tag->length > 20) return false;
  const uint8_t *p = tree->metadata->text.data + tag->value, *end = p + tag->length;
  bool negative = tag->length > 1 && *p == '-';
  uint64_t v = 0;
  for (p += negative; p < end; p++) {
    unsigned digit = *p - (unsigned)'0';
    if (digit > 9 || v > (UINT64_MAX - digit) / 10) return false;
    v = 10 * v + digit;
  }
  *value = negative ? 0 - v : v;
  return true;
}

static const char *bool_key(const cpb_merge_tree *tree, cpb_tag *tag) {
  if (tag->kind != CPB_TAG_KEY_STRING) tag->value = tag->value != 0;
  else if (is_text(tree, tag, "true") || is_text(tree, tag, "false")) tag->value = tag->length == 4;
  else return "the map has bool keys, and the key is neither true nor false";
  tag->kind = CPB_TAG_KEY_BOOL;
  return NULL;
}

/* The varint that represents the key on the wire. */
static const char *integer_key(const cpb_merge_tree *tree, const cpb_field *key, cpb_tag *tag) {
  if (tag->kind == CPB_TAG_KEY_STRING && !read_integer(tree, tag, &tag->value))
    return "the map has integer keys, and the key is not an integer";
  tag->kind = CPB_TAG_KEY_UINT64;
  switch (key->type) {
    case CPB_TYPE_INT32: tag->value = (uint64_t)(int64_t)(int32_t)(uint32_t)tag->value; return NULL;
    case CPB_TYPE_UINT32: tag->value = (uint32_t)tag->value; return NULL;
    case CPB_TYPE_SINT32:
    case CPB_TYPE_SINT64: tag->value = tag->value << 1 ^ (0 - (tag->value >> 63)); return NULL;
    case CPB_TYPE_INT64:
    case CPB_TYPE_UINT64: return NULL;
    default: return "a map key of a fixed-size type, which is not supported";
  }
}

static const char *adapt_key(const cpb_merge_tree *tree, const cpb_field *map, cpb_tag *tag) {
  const cpb_field *key = cpb_message_find_number(map->message, 1);
  if (!key) return "a map without a key";
  if (key->type == CPB_TYPE_BOOL) return bool_key(tree, tag);
  if (key->type != CPB_TYPE_STRING) return integer_key(tree, key, tag);
  return tag->kind == CPB_TAG_KEY_STRING ? NULL : "the map has string keys, and the key is a number";
}

const char *cpb_types_adapt(cpb_merge_tree *tree, uint32_t base, cpb_tag *tag) {
  if (tag->kind == CPB_TAG_FIELD) return check_field(tree, base, tag->value);
  const cpb_field *field = cpb_target_field(tree, base);
  if (!field) return NULL;
  if (!field->repeated) return "an index or key of a field that is not repeated";
  if (field->map) return adapt_key(tree, field, tag);
  if (tag->kind == CPB_TAG_KEY_STRING) return "a map key of a field that is not a map";
  tag->kind = CPB_TAG_INDEX;
  return NULL;
}

/* --- Operations ----------------------------------------------------------- */

static bool is_number(const cpb_field *field) {
  return !field->message && field->type != CPB_TYPE_STRING && field->type != CPB_TYPE_BYTES;
}

const char *cpb_types_refuse(const cpb_merge_tree *tree, uint32_t target) {
  const cpb_field *field = cpb_target_field(tree, target);
  if (!field) return NULL;
  if (field->type == CPB_TYPE_GROUP) return "a group, which is not supported";
  if (tree->targets[target].kind != CPB_TAG_FIELD)
    return is_number(field) ? "an element of a repeated number, which is not supported" : NULL;
  return field->map ? "a map without a key" : NULL;
}

cpb_op_kind cpb_types_op(const cpb_merge_tree *tree, uint32_t target, uint32_t chunk_type) {
  const cpb_field *field = cpb_target_field(tree, target);
  if (!field) return chunk_type == CPB_CHUNK_BYTES ? CPB_OP_SET : CPB_OP_MERGE;
  if (field->message) return CPB_OP_MERGE;
  return is_number(field) ? CPB_OP_NUMBER : CPB_OP_SET;
}

/* --- Oneofs --------------------------------------------------------------- */

static bool is_other_member(const cpb_field *field, const cpb_field *other) {
  return other->oneof == field->oneof && other->number != field->number;
}

static uint32_t member(const cpb_merge_tree *tree, uint32_t owner, uint32_t number) {
  return cpb_merge_tree_find(tree, owner, CPB_TAG_FIELD, number, (cpb_span){NULL, 0});
}

static bool add_shadows_of(cpb_merge_tree *tree, uint32_t id) {
  const cpb_field *field = cpb_target_field(tree, id);
  uint32_t owner = tree->targets[id].parent;
  const cpb_message_type *type = message_of(tree, owner);
  for (size_t i = 0; i < type->num_fields; i++) {
    const cpb_field *other = &type->fields[i];
    if (!is_other_member(field, other)) continue;
    uint32_t shadow = member(tree, owner, other->number);
    if (shadow != CPB_NONE) continue;
    shadow = cpb_merge_tree_add(
        tree, (cpb_target){.value = other->number, .parent = owner, .kind = CPB_TAG_FIELD, .shadow = true}, other);
    if (shadow == CPB_NONE) return false;
    tree->targets[shadow].anchor = 0;
    tree->has_oneofs = true;
  }
  return true;
}

static bool in_oneof(const cpb_merge_tree *tree, uint32_t id) {
  const cpb_target *t = &tree->targets[id];
  const cpb_field *field = cpb_target_more_of(tree, t)->field;
  return field && field->oneof >= 0 && t->kind == CPB_TAG_FIELD && !t->shadow;
}

bool cpb_types_add_shadows(cpb_merge_tree *tree) {
  size_t count = tree->num_targets;
  for (size_t i = 1; i < count; i++)
    if (in_oneof(tree, (uint32_t)i) && !add_shadows_of(tree, (uint32_t)i)) return false;
  return true;
}

static void clear_others(cpb_merge_tree *tree, uint32_t id, uint32_t num_patches) {
  const cpb_field *field = cpb_target_field(tree, id);
  uint32_t owner = tree->targets[id].parent;
  const cpb_message_type *type = message_of(tree, owner);
  for (size_t i = 0; i < type->num_fields; i++) {
    if (!is_other_member(field, &type->fields[i])) continue;
    uint32_t other = member(tree, owner, type->fields[i].number);
    if (other != CPB_NONE && tree->targets[other].shadow) tree->targets[other].anchor = num_patches;
  }
}

void cpb_types_clear_oneof(cpb_merge_tree *tree, uint32_t target, uint32_t num_patches) {
  if (!tree->has_oneofs) return;
  for (uint32_t id = target; id != CPB_ROOT; id = tree->targets[id].parent)
    if (in_oneof(tree, id)) clear_others(tree, id, num_patches);
}
