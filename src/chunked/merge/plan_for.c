/* A plan for one field. A message may have a million chunked fields, of which the caller wants one. The plan leaves out
 * the others, with everything chunked in them. The wanted field does not depend on them:
 *
 * - Slices, and chunks of messages along the path, are all planned.
 * - Fields with another number, and entries with another key, do not affect the field, except in oneofs: a chunk in a
 *   member of a oneof is planned.
 * - An element before the wanted one counts. If it is in a chunk already, it exists even without its own content. If
 *   not, its own chunk would have created it: then this plan fails, and the entire message must be planned.
 * - Merging a field off the path creates the messages around it, which are on the path.
 *
 * CPB_OP_BESIDE does the last two, once for all chunked fields of a parent that leave the path at one tag. This is
 * correct because no operation between these adds elements where they are counted. */
#include "chunked/merge/targets.h"

#include "base/checked.h"
#include "chunked/merge/merge_state.h"

/* --- Following ------------------------------------------------------------- */

static bool is_same(const cpb_merge_tree *tree, const cpb_only_tag *wanted, cpb_tag tag) {
  if (tag.kind != CPB_TAG_KEY_STRING) return tag.value == wanted->value;
  const uint8_t *key = tree->metadata->text.data + tag.value;
  return tag.length == wanted->text.size && (tag.length == 0 || memcmp(key, wanted->text.data, tag.length) == 0);
}

static bool in_oneof(const cpb_merge_tree *tree, uint32_t base, cpb_tag tag) {
  const cpb_field *field = tag.kind == CPB_TAG_FIELD ? cpb_types_field(tree, base, tag.value) : NULL;
  return field && field->oneof >= 0;
}

static void follow(cpb_merge_only *only, const cpb_merge_tree *tree, uint32_t base, cpb_tag tag, uint32_t *on,
                   uint64_t *before) {
  if (*on >= only->count) return;
  const cpb_only_tag *wanted = &only->tags[*on];
  bool comparable = tag.kind == wanted->kind;
  if (comparable && is_same(tree, wanted, tag)) {
    ++*on;
  } else if (!comparable || in_oneof(tree, base, tag) || tag.value >= CPB_NONE) {
    *on = CPB_ON_ALL;
  } else {
    only->left_at = *on;
    *before = tag.kind == CPB_TAG_INDEX && tag.value < wanted->value ? tag.value + 1 : 0;
    *on = CPB_ON_BESIDE;
  }
}

static bool choose(cpb_merge_tree *tree, uint32_t node, uint32_t base, uint32_t on, bool *wanted) {
  uint64_t before = 0;
  if (on >= tree->only->count) return true;
  if (cpb_merge_tree_target(tree, node, base, &on, &before) == CPB_NONE) return false;
  *wanted = on != CPB_ON_BESIDE;
  if (*wanted) return true;
  cpb_only_beside *beside = &tree->only->beside[tree->only->left_at];
  if (beside->node == CPB_NO_NODE || before > beside->before) *beside = (cpb_only_beside){node, before};
  return true;
}

/* --- The way ----------------------------------------------------------------- */

/* Leaves out a tag without a known meaning, and all tags after it: everything below is then planned. */
static bool add_tag(cpb_merge_only *only, const cpb_path_tag *tag, const cpb_message_type **type,
                    const cpb_field **field) {
  cpb_only_tag *out = &only->tags[only->count];
  bool is_name = tag->kind == CPB_PATH_NAME, is_map = *field && (*field)->map;
  switch (tag->kind) {
    case CPB_PATH_NAME:
    case CPB_PATH_NUMBER:
      *field = !*type    ? NULL
               : is_name ? cpb_message_find_name(*type, tag->text, tag->length)
                         : cpb_message_find_number(*type, (uint32_t)tag->value);
      if (is_name && !*field) return false;
      *out = (cpb_only_tag){.kind = CPB_TAG_FIELD, .value = is_name ? (*field)->number : tag->value};
      *type = *field ? (*field)->message : NULL;
      break;
    case CPB_PATH_INDEX:
      if (tag->negative || is_map) return false;
      *out = (cpb_only_tag){.kind = CPB_TAG_INDEX, .value = tag->value};
      break;
    case CPB_PATH_KEY:
      *out = (cpb_only_tag){.kind = CPB_TAG_KEY_STRING, .text = {(const uint8_t *)tag->text, tag->length}};
      if (is_map) *field = cpb_message_find_number((*field)->message, 2);
      *type = is_map && *field ? (*field)->message : NULL;
      break;
    default: return false;
  }
  only->count++;
  return true;
}

cpb_code cpb_merge_plan_for(cpb_merge *m, const cpb_message_type *type, const cpb_path *path) {
  size_t count = cpb_path_num_tags(path);
  if (m->state != CPB_MERGE_BEGIN || m->losses || m->only || count >= CPB_ON_BESIDE) return CPB_E_USAGE;
  if (count == 0) return CPB_OK;
  cpb_merge_only *only = cpb_alloc_zeroed(&m->outer, sizeof *only);
  if (!only) return CPB_E_MEMORY;
  m->only = m->tree.only = only;
  *only = (cpb_merge_only){.follow = follow, .choose = choose};
  only->tags = cpb_alloc(&m->outer, count * sizeof *only->tags);
  only->beside = cpb_alloc(&m->outer, count * sizeof *only->beside);
  if (!only->tags || !only->beside) return CPB_E_MEMORY;
  for (size_t i = 0; i < count; i++) only->beside[i] = (cpb_only_beside){CPB_NO_NODE, 0};
  const cpb_field *field = NULL;
  for (size_t i = 0; i < count && add_tag(only, cpb_path_get_tag(path, i), &type, &field); i++) {}
  return CPB_OK;
}
