#include "chunked/merge/targets.h"

#include <string.h>

#include "base/status.h"

void cpb_merge_tree_init(cpb_merge_tree *tree, const cpb_allocator *a, const cpb_metadata *metadata, uint64_t max_items,
                         cpb_error *error) {
  memset(tree, 0, sizeof *tree);
  tree->allocator = *a;
  tree->metadata = metadata;
  tree->max_items = max_items < CPB_NONE ? max_items : CPB_NONE - 1;
  tree->position = CPB_NO_OFFSET;
  tree->error = error;
}

void cpb_merge_tree_free(cpb_merge_tree *tree) {
  cpb_release(&tree->allocator, tree->targets);
  cpb_release(&tree->allocator, tree->buckets);
  cpb_release(&tree->allocator, tree->ops);
  tree->targets = NULL;
  tree->buckets = NULL;
  tree->ops = NULL;
}

static bool no_memory(cpb_merge_tree *tree) {
  cpb_fail_memory(tree->error);
  return false;
}

/* --- The hash table ------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static uint64_t hash_tag(uint32_t parent, uint8_t kind, uint64_t value, cpb_span key) {
  uint64_t h = mix(mix(parent, kind), kind == CPB_TAG_KEY_STRING ? 0 : value);
  for (size_t i = 0; i < key.size; i++) h = mix(h, key.data[i]);
  return mix(h, key.size);
}

static uint64_t hash_target(const cpb_merge_tree *tree, const cpb_target *t) {
  return hash_tag(t->parent, t->kind, t->value, cpb_target_key(tree, t));
}

static bool grow_buckets(cpb_merge_tree *tree) {
  size_t num = tree->num_buckets > 0 ? tree->num_buckets * 2 : 64;
  uint32_t *buckets = num <= SIZE_MAX / sizeof *buckets ? cpb_alloc(&tree->allocator, num * sizeof *buckets) : NULL;
  if (!buckets) return no_memory(tree);
  memset(buckets, 0xff, num * sizeof *buckets);
  for (size_t i = 1; i < tree->num_targets; i++) {
    cpb_target *t = &tree->targets[i];
    uint32_t *bucket = &buckets[hash_target(tree, t) & (num - 1)];
    t->collides = *bucket;
    *bucket = (uint32_t)i;
  }
  cpb_release(&tree->allocator, tree->buckets);
  tree->buckets = buckets;
  tree->num_buckets = num;
  return true;
}

static bool same_tag(const cpb_merge_tree *tree, const cpb_target *t, uint8_t kind, uint64_t value, cpb_span key) {
  if (t->kind != kind) return false;
  if (kind != CPB_TAG_KEY_STRING) return t->value == value;
  return t->length == key.size && (key.size == 0 || memcmp(cpb_target_key(tree, t).data, key.data, key.size) == 0);
}

uint32_t cpb_merge_tree_find(const cpb_merge_tree *tree, uint32_t parent, uint8_t kind, uint64_t value, cpb_span key) {
  if (tree->num_buckets == 0) return CPB_NONE;
  uint32_t at = tree->buckets[hash_tag(parent, kind, value, key) & (tree->num_buckets - 1)];
  for (; at != CPB_NONE; at = tree->targets[at].collides) {
    const cpb_target *t = &tree->targets[at];
    if (t->parent == parent && same_tag(tree, t, kind, value, key)) break;
  }
  return at;
}

/* --- Targets -------------------------------------------------------------- */

static bool too_many(cpb_merge_tree *tree) {
  cpb_fail(tree->error, CPB_E_LIMIT, tree->position, "the merge plan needs more than %llu items",
           (unsigned long long)tree->max_items);
  return false;
}

uint32_t cpb_merge_tree_add(cpb_merge_tree *tree, cpb_target target) {
  if (tree->num_targets >= tree->max_items) return too_many(tree), CPB_NONE;
  if (tree->num_targets >= tree->num_buckets && !grow_buckets(tree)) return CPB_NONE;
  void *targets = tree->targets;
  if (!cpb_reserve(&tree->allocator, &targets, &tree->targets_capacity, tree->num_targets + 1, sizeof target)) {
    return no_memory(tree), CPB_NONE;
  }
  tree->targets = targets;
  target.first_live = target.next_live = target.anchor = CPB_NONE;
  target.first_range = target.last_range = target.first_insert = target.last_insert = CPB_NONE;
  uint32_t *bucket = &tree->buckets[hash_target(tree, &target) & (tree->num_buckets - 1)];
  target.collides = CPB_NONE;
  if (tree->num_targets > CPB_ROOT) {
    target.collides = *bucket;
    *bucket = (uint32_t)tree->num_targets;
  }
  tree->targets[tree->num_targets] = target;
  return (uint32_t)tree->num_targets++;
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
