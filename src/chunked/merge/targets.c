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

void cpb_merge_tree_finish(cpb_merge_tree *tree) {
  cpb_release(&tree->allocator, tree->links);
  tree->links = NULL;
  cpb_column_free(&tree->ops.target, &tree->allocator);
  cpb_column_free(&tree->ops.chunk, &tree->allocator);
  cpb_column_free(&tree->ops.kind, &tree->allocator);
}

void cpb_merge_tree_free(cpb_merge_tree *tree) {
  cpb_merge_tree_finish(tree);
  cpb_release(&tree->allocator, tree->targets);
  cpb_release(&tree->allocator, tree->more);
  tree->targets = NULL;
  tree->more = NULL;
}

static bool no_memory(cpb_merge_tree *tree) { return cpb_fail_memory(tree->error), false; }

/* --- The children of a target, in order ------------------------------------ */

/* A tag to search for. `text` is the text of a string key. */
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

static const cpb_target_more *more_of(const cpb_merge_tree *tree, uint32_t id) {
  return cpb_target_more_of(tree, &tree->targets[id]);
}

/* The first child in a row whose tag is not before the given one, or the end of the row. */
static uint32_t row_from(const cpb_target_more *parent, const sought *s) {
  uint32_t low = parent->children, high = low + parent->row;
  if (parent->row > 0 && compare_tags(s, high - 1) > 0) return high; /* most chunked fields come in order */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_tags(s, middle) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

static cpb_ordered in_order(const cpb_merge_tree *tree) { return (cpb_ordered){tree->links, sizeof *tree->links}; }

/* The same for children in a tree, with one comparison. */
static bool is_after_greatest(const sought *s, uint32_t parent) {
  uint32_t greatest = s->tree->greatest;
  return s->tree->targets[greatest].parent == parent && compare_tags(s, greatest) > 0;
}

static int is_after_all(const void *key, uint32_t id) {
  (void)key;
  (void)id;
  return 1;
}

static bool reserve_links(cpb_merge_tree *tree, size_t count) {
  if (!CPB_RESERVE(&tree->allocator, &tree->links, &tree->links_capacity, count)) return no_memory(tree);
  return true;
}

/* Turns the children in a row into a tree. */
static void plant_row(cpb_merge_tree *tree, cpb_target_more *parent) {
  uint32_t first = parent->children, end = first + parent->row;
  parent->children = CPB_NONE;
  parent->row = 0;
  for (uint32_t id = first; id < end; id++)
    parent->children = cpb_ordered_add(in_order(tree), parent->children, id, is_after_all, NULL);
}

static void link_in_tree(cpb_merge_tree *tree, cpb_target_more *parent, uint32_t id, const sought *s) {
  uint32_t above = tree->targets[id].parent, last = parent->children;
  if (tree->targets[tree->greatest].parent != above) {
    while (tree->links[last].right != CPB_NONE) last = tree->links[last].right;
    tree->greatest = last;
  }
  bool is_last = is_after_greatest(s, above);
  if (is_last) tree->greatest = id;
  parent->children = cpb_ordered_add(in_order(tree), parent->children, id, is_last ? is_after_all : compare_tags, s);
}

/* Links the target as a child of its parent, which has no other child with this tag. */
static bool link_child(cpb_merge_tree *tree, uint32_t id) {
  const cpb_target *t = &tree->targets[id];
  const sought s = {tree, t->value, cpb_target_key(tree, t), t->kind};
  cpb_target_more *parent = cpb_target_make_more(tree, t->parent);
  if (!parent) return false;
  if (parent->children == CPB_NONE) parent->children = id;
  uint32_t end = parent->children + parent->row;
  bool goes_on = id == end && (parent->row == 0 || compare_tags(&s, id - 1) > 0);
  if (goes_on) {
    parent->row++;
    return true;
  }
  if (!reserve_links(tree, (size_t)id + 1)) return false;
  if (parent->row > 0) plant_row(tree, parent);
  link_in_tree(tree, parent, id, &s);
  return true;
}

uint32_t cpb_merge_tree_find(const cpb_merge_tree *tree, uint32_t parent, uint8_t kind, uint64_t value, cpb_span key) {
  const sought s = {tree, value, key, kind};
  const cpb_target_more *above = more_of(tree, parent);
  if (above->row > 0) {
    uint32_t id = row_from(above, &s);
    return id < above->children + above->row && compare_tags(&s, id) == 0 ? id : CPB_NONE;
  }
  if (above->children == CPB_NONE || is_after_greatest(&s, parent)) return CPB_NONE;
  return cpb_ordered_find(in_order(tree), above->children, compare_tags, &s);
}

/* The first child whose tag is not before the given one, or CPB_NONE. */
static uint32_t child_from(const cpb_merge_tree *tree, uint32_t parent, const sought *s) {
  const cpb_target_more *above = more_of(tree, parent);
  if (above->row == 0) return cpb_ordered_from(in_order(tree), above->children, compare_tags, s);
  uint32_t id = row_from(above, s);
  return id < above->children + above->row ? id : CPB_NONE;
}

uint32_t cpb_merge_tree_element(cpb_merge_tree *tree, uint32_t holder, uint64_t index) {
  cpb_target_gap *gap = &tree->gap;
  if (gap->holder == holder && index >= gap->begin && index < gap->end) return CPB_NONE;
  const sought s = {tree, index, {NULL, 0}, CPB_TAG_INDEX};
  uint32_t id = child_from(tree, holder, &s);
  bool is_element = id != CPB_NONE && tree->targets[id].kind == CPB_TAG_INDEX;
  *gap = (cpb_target_gap){holder, index, is_element ? tree->targets[id].value : UINT64_MAX};
  return is_element && gap->end == index ? id : CPB_NONE;
}

/* --- Targets -------------------------------------------------------------- */

/* Items have 32-bit numbers, except for CPB_NONE: there are fewer of each kind than in total. */
bool cpb_merge_tree_charge(cpb_merge_tree *tree) {
  if (tree->meter->done[CPB_WORK_ENTRIES] >= CPB_NONE - 1)
    return CPB_FAILS(tree->error, CPB_E_LIMIT, tree->position, "the merge plan has more than %u items",
                     (unsigned)CPB_NONE - 1);
  return cpb_meter_charge(tree->meter, CPB_WORK_ENTRIES, 1, tree->position, tree->error);
}

static bool reserve_more(cpb_merge_tree *tree) {
  if (!CPB_RESERVE_CLOSELY(&tree->allocator, &tree->more, &tree->more_capacity, tree->num_more + 1))
    return no_memory(tree);
  tree->more[tree->num_more++] = (cpb_target_more){
      .children = CPB_NONE, .first_live = CPB_NONE, .first_insert = CPB_NONE, .last_insert = CPB_NONE};
  return true;
}

cpb_target_more *cpb_target_make_more(cpb_merge_tree *tree, uint32_t target) {
  cpb_target *t = &tree->targets[target];
  if (t->more == 0) {
    if (!reserve_more(tree)) return NULL;
    t->more = (uint32_t)tree->num_more - 1;
  }
  return &tree->more[t->more];
}

static bool set_field(cpb_merge_tree *tree, uint32_t id, const cpb_field *field) {
  if (!field) return true;
  cpb_target_more *more = cpb_target_make_more(tree, id);
  if (more) more->field = field;
  return more != NULL;
}

uint32_t cpb_merge_tree_add(cpb_merge_tree *tree, cpb_target target, const cpb_field *field) {
  if (!cpb_merge_tree_charge(tree)) return CPB_NONE;
  if (tree->num_more == 0 && !reserve_more(tree)) return CPB_NONE;
  if (!CPB_RESERVE_CLOSELY(&tree->allocator, &tree->targets, &tree->targets_capacity, tree->num_targets + 1))
    return no_memory(tree), CPB_NONE;
  target.next_live = target.anchor = target.first_range = target.last_range = CPB_NONE;
  tree->gap.end = 0;
  uint32_t id = (uint32_t)tree->num_targets++;
  tree->targets[id] = target;
  bool added = (id == CPB_ROOT || link_child(tree, id)) && set_field(tree, id, field);
  return added ? id : CPB_NONE;
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
