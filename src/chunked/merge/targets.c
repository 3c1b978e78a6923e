#include "chunked/merge/targets.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

void cpb_merge_tree_init(cpb_merge_tree *tree, const cpb_allocator *a, const cpb_metadata *metadata, cpb_meter *meter,
                         cpb_error *error) {
  memset(tree, 0, sizeof *tree);
  tree->allocator = *a;
  tree->metadata = metadata;
  tree->meter = meter;
  tree->position = CPB_NO_OFFSET;
  tree->error = error;
}

void cpb_merge_tree_free(cpb_merge_tree *tree) {
  cpb_release(&tree->allocator, tree->targets);
  cpb_release(&tree->allocator, tree->ops);
  tree->targets = NULL;
  tree->ops = NULL;
}

static bool no_memory(cpb_merge_tree *tree) {
  cpb_fail_memory(tree->error);
  return false;
}

/* --- The children of a target, in order ------------------------------------ */

/* A tag that is looked for. `text` is that of a string key. */
typedef struct {
  const cpb_merge_tree *tree;
  uint64_t value;
  cpb_span text;
  uint8_t kind;
} sought;

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_tags(const void *key, uint32_t id) {
  const sought *s = key;
  const cpb_target *t = &s->tree->targets[id];
  if (s->kind != t->kind) return s->kind < t->kind ? -1 : 1;
  if (s->kind != CPB_TAG_KEY_STRING) return compare_u64(s->value, t->value);
  size_t common = cpb_min_size(s->text.size, t->length);
  int order = common > 0 ? memcmp(s->text.data, cpb_target_key(s->tree, t).data, common) : 0;
  return order != 0 ? order : compare_u64(s->text.size, t->length);
}

static cpb_ordered in_order(const cpb_merge_tree *tree) {
  return (cpb_ordered){tree->targets ? &tree->targets->links : NULL, sizeof *tree->targets};
}

/* Chunked fields come in order, so that most are after all that their parent has, which one comparison tells. */
static bool is_after_greatest(const sought *s, uint32_t parent) {
  uint32_t greatest = s->tree->greatest;
  return s->tree->targets[greatest].parent == parent && compare_tags(s, greatest) > 0;
}

static int is_after_all(const void *key, uint32_t id) {
  (void)key;
  (void)id;
  return 1;
}

/* Links the target as a child of its parent, which has no other by that tag. */
static void link_child(cpb_merge_tree *tree, uint32_t id) {
  const cpb_target *t = &tree->targets[id];
  const sought s = {tree, t->value, cpb_target_key(tree, t), t->kind};
  uint32_t *children = &tree->targets[t->parent].children, last = *children;
  bool is_last = false;
  if (last != CPB_NONE) {
    if (tree->targets[tree->greatest].parent != t->parent) {
      while (tree->targets[last].links.right != CPB_NONE) last = tree->targets[last].links.right;
      tree->greatest = last;
    }
    is_last = is_after_greatest(&s, t->parent);
    if (is_last) tree->greatest = id;
  }
  *children = cpb_ordered_add(in_order(tree), *children, id, is_last ? is_after_all : compare_tags, &s);
}

uint32_t cpb_merge_tree_find(const cpb_merge_tree *tree, uint32_t parent, uint8_t kind, uint64_t value, cpb_span key) {
  const sought s = {tree, value, key, kind};
  if (is_after_greatest(&s, parent)) return CPB_NONE;
  return cpb_ordered_find(in_order(tree), tree->targets[parent].children, compare_tags, &s);
}

uint32_t cpb_merge_tree_element(cpb_merge_tree *tree, uint32_t holder, uint64_t index) {
  cpb_target_gap *gap = &tree->gap;
  if (gap->holder == holder && index >= gap->begin && index < gap->end) return CPB_NONE;
  const sought s = {tree, index, {NULL, 0}, CPB_TAG_INDEX};
  uint32_t id = cpb_ordered_from(in_order(tree), tree->targets[holder].children, compare_tags, &s);
  bool is_element = id != CPB_NONE && tree->targets[id].kind == CPB_TAG_INDEX;
  *gap = (cpb_target_gap){holder, index, is_element ? tree->targets[id].value : UINT64_MAX};
  return is_element && gap->end == index ? id : CPB_NONE;
}

/* --- Targets -------------------------------------------------------------- */

/* Items are numbered with 32 bits, CPB_NONE excepted: there are fewer of each kind than of all. */
bool cpb_merge_tree_charge(cpb_merge_tree *tree) {
  if (tree->meter->done[CPB_WORK_ENTRIES] >= CPB_NONE - 1) {
    cpb_fail(tree->error, CPB_E_LIMIT, tree->position, "the merge plan has more than %u items", (unsigned)CPB_NONE - 1);
    return false;
  }
  return cpb_meter_charge(tree->meter, CPB_WORK_ENTRIES, 1, tree->position, tree->error);
}

uint32_t cpb_merge_tree_add(cpb_merge_tree *tree, cpb_target target) {
  if (!cpb_merge_tree_charge(tree)) return CPB_NONE;
  void *targets = tree->targets;
  if (!cpb_reserve(&tree->allocator, &targets, &tree->targets_capacity, tree->num_targets + 1, sizeof target)) {
    return no_memory(tree), CPB_NONE;
  }
  tree->targets = targets;
  target.first_live = target.next_live = target.anchor = CPB_NONE;
  target.first_range = target.last_range = target.first_insert = target.last_insert = CPB_NONE;
  target.children = CPB_NONE;
  tree->gap.end = 0;
  uint32_t id = (uint32_t)tree->num_targets++;
  tree->targets[id] = target;
  if (id != CPB_ROOT) link_child(tree, id);
  return id;
}

/* --- Fields ---------------------------------------------------------------- */

uint32_t cpb_target_owner(const cpb_merge_tree *tree, uint32_t target) {
  const cpb_target *t = &tree->targets[target];
  return t->kind == CPB_TAG_FIELD ? t->parent : tree->targets[t->parent].parent;
}

uint32_t cpb_target_number(const cpb_merge_tree *tree, uint32_t target) {
  const cpb_target *t = &tree->targets[target];
  return (uint32_t)(t->kind == CPB_TAG_FIELD ? t->value : tree->targets[t->parent].value);
}
