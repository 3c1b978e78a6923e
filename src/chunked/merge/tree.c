#include "chunked/merge/targets.h"

#include <string.h>

#include "base/status.h"
#include "proto/wire.h"

static bool no_memory(cpb_merge_tree *tree) { return cpb_fail_memory(tree->error), false; }

static bool damaged_tag(cpb_merge_tree *tree, uint32_t node, const char *what) {
  return CPB_FAILS(tree->error, CPB_E_DAMAGED, tree->position, "field tag of chunked field %u: %s", (unsigned)node,
                   what);
}

static cpb_target_form form_for(uint8_t kind) {
  switch (kind) {
    case CPB_TAG_FIELD: return CPB_FORM_MESSAGE;
    case CPB_TAG_INDEX: return CPB_FORM_ELEMENTS;
    default: return CPB_FORM_ENTRIES;
  }
}

static bool set_form(cpb_merge_tree *tree, uint32_t node, uint32_t target, cpb_target_form form) {
  cpb_target *t = &tree->targets[target];
  if (t->form != CPB_FORM_LEAF && t->form != form)
    return damaged_tag(tree, node, "another tag names the same field differently (by index, by key, or by neither)");
  t->form = (unsigned)form & 3u;
  return true;
}

/* The child of `parent` with tag `tag`, created if it does not exist. */
static uint32_t child(cpb_merge_tree *tree, uint32_t node, uint32_t parent, cpb_tag tag) {
  cpb_target target = {.value = tag.value, .parent = parent, .kind = (unsigned)tag.kind & 15u};
  if (tag.kind == CPB_TAG_KEY_STRING) {
    target.length = tag.length;
    if (tag.length > tree->max_key) tree->max_key = tag.length;
  } else if (tag.kind > CPB_TAG_KEY_STRING) {
    target.kind = CPB_TAG_KEY_UINT64;
  }
  uint32_t found = cpb_merge_tree_find(tree, parent, target.kind, target.value, cpb_target_key(tree, &target));
  if (found != CPB_NONE) return found;
  if (!set_form(tree, node, parent, form_for(target.kind))) return CPB_NONE;
  const cpb_field *field = target.kind == CPB_TAG_FIELD ? cpb_types_field(tree, parent, target.value) : NULL;
  return cpb_merge_tree_add(tree, target, field);
}

/* The problem of a tag after the previous one, or NULL: a field number comes first; an index or a key may only follow a
 * field number. */
static const char *wrong_tag(uint8_t previous, cpb_tag tag) {
  switch (tag.kind) {
    case CPB_TAG_FIELD:
      return tag.value >= 1 && tag.value <= CPB_FIELD_NUMBER_MAX ? NULL
                                                                 : "field number out of range; expected 1 to 536870911";
    case CPB_TAG_INDEX: return previous == CPB_TAG_FIELD ? NULL : "an index that does not follow a field number";
    case CPB_TAG_KEY_STRING:
    case CPB_TAG_KEY_BOOL:
    case CPB_TAG_KEY_UINT32:
    case CPB_TAG_KEY_UINT64:
    case CPB_TAG_KEY_INT32:
    case CPB_TAG_KEY_INT64: return previous == CPB_TAG_FIELD ? NULL : "a map key that does not follow a field number";
  }
  return "a tag that is neither a field number, an index nor a map key";
}

/* Messages along the path have fields, elements or entries, even if none of these is planned. */
static uint32_t beside(cpb_merge_tree *tree, uint32_t node, uint32_t base, cpb_target_form form) {
  return set_form(tree, node, base, form) && cpb_target_make_more(tree, base) ? base : CPB_NONE;
}

uint32_t cpb_merge_tree_target(cpb_merge_tree *tree, uint32_t id, uint32_t base, uint32_t *on, uint64_t *before) {
  const cpb_tag map_value = {.value = 2, .kind = CPB_TAG_FIELD};
  const cpb_node_columns *nodes = &tree->metadata->nodes;
  size_t first = (size_t)cpb_column_get(&nodes->first_tag, id),
         end = first + (size_t)cpb_column_get(&nodes->num_tags, id);
  uint8_t previous = 0;
  for (size_t i = first; i < end && base != CPB_NONE; i++) {
    const cpb_tag named = cpb_metadata_tag(tree->metadata, i);
    cpb_tag tag = named; /* adapted to the field's type */
    const char *wrong = wrong_tag(previous, tag);
    if (!wrong) wrong = cpb_types_adapt(tree, base, &tag);
    if (wrong) return damaged_tag(tree, id, wrong), CPB_NONE;
    if (tree->only) tree->only->follow(tree->only, tree, base, tag, on, before);
    if (*on == CPB_ON_BESIDE) return beside(tree, id, base, form_for((uint8_t)tag.kind));
    base = child(tree, id, base, tag);
    if (tag.kind >= CPB_TAG_KEY_STRING && base != CPB_NONE) base = child(tree, id, base, map_value);
    previous = (uint8_t)named.kind;
  }
  return base;
}

/* --- Operations ----------------------------------------------------------- */

typedef struct {
  cpb_merge_tree *tree;
  uint64_t num_chunks;
  cpb_chunk_type_of *type_of;
  const void *user;
} builder;

static bool add_op(builder *b, cpb_merge_op op) {
  cpb_merge_tree *tree = b->tree;
  const cpb_allocator *a = &tree->allocator;
  size_t i = tree->num_ops;
  if (!cpb_merge_tree_charge(tree)) return false;
  if (!cpb_column_set(&tree->ops.target, a, i, op.target) || !cpb_column_set(&tree->ops.chunk, a, i, op.chunk) ||
      !cpb_column_set(&tree->ops.kind, a, i, op.kind))
    return no_memory(tree);
  tree->num_ops++;
  return true;
}

/* As in TensorFlow, a field without a chunk index is chunk 0; but a message is only created. */
static bool op_without_chunk(builder *b, uint32_t id, uint32_t target) {
  const cpb_chunked_node node = cpb_metadata_node(b->tree->metadata, id);
  if (node.num_tags == 0) return true;
  cpb_op_kind kind = CPB_OP_MERGE;
  if (b->num_chunks > 0 && node.first_child == CPB_NO_NODE)
    kind = cpb_types_op(b->tree, target, b->type_of(b->user, 0));
  return add_op(b, (cpb_merge_op){target, 0, kind == CPB_OP_MERGE ? CPB_OP_TOUCH : kind});
}

static bool op_of_node(builder *b, uint32_t id, uint32_t target) {
  const cpb_chunked_node node = cpb_metadata_node(b->tree->metadata, id);
  const char *wrong = node.num_tags > 0 ? cpb_types_refuse(b->tree, target) : NULL;
  if (wrong) return damaged_tag(b->tree, id, wrong);
  if (node.chunk == CPB_NO_CHUNK) return op_without_chunk(b, id, target);
  if (node.chunk >= b->num_chunks)
    return CPB_FAILS(b->tree->error, CPB_E_DAMAGED, b->tree->position,
                     "chunk_index of chunked field %u is %llu; expected less than %llu, the number of chunks",
                     (unsigned)id, (unsigned long long)node.chunk, (unsigned long long)b->num_chunks);
  cpb_op_kind kind = CPB_OP_MERGE;
  if (node.num_tags > 0) kind = cpb_types_op(b->tree, target, b->type_of(b->user, node.chunk));
  return add_op(b, (cpb_merge_op){target, (uint32_t)node.chunk, kind});
}

/* Only messages have fields, so a target with fields is merged, whatever the type of its chunk; a holder of elements or
 * entries has no content of its own. */
static bool finish_ops(cpb_merge_tree *tree) {
  for (size_t i = 0; i < tree->num_ops; i++) {
    cpb_merge_op op = cpb_merge_tree_op(tree, i);
    cpb_target *t = &tree->targets[op.target];
    if (op.kind == CPB_OP_BESIDE) continue;
    if (t->form == CPB_FORM_ELEMENTS || t->form == CPB_FORM_ENTRIES)
      return CPB_FAILS(tree->error, CPB_E_DAMAGED, tree->position,
                       "chunk %u has a field tag for field %llu without index or key, other chunks have one with",
                       (unsigned)op.chunk, (unsigned long long)t->value);
    if (op.kind == CPB_OP_SET && t->form == CPB_FORM_MESSAGE) op.kind = CPB_OP_MERGE;
    if (!cpb_column_set(&tree->ops.kind, &tree->allocator, i, op.kind)) return no_memory(tree);
    if (op.kind == CPB_OP_NUMBER) t->bare = true;
    if ((op.kind == CPB_OP_MERGE || op.kind == CPB_OP_TOUCH) && t->ops < 2) t->ops++;
  }
  return true;
}

/* --- The order of chunked fields ------------------------------------------ */

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_tags(const cpb_metadata *m, cpb_tag a, cpb_tag b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind != CPB_TAG_KEY_STRING) return compare_u64(a.value, b.value);
  uint32_t length = a.length < b.length ? a.length : b.length;
  int order = length > 0 ? memcmp(m->text.data + a.value, m->text.data + b.value, length) : 0;
  return order != 0 ? order : compare_u64(a.length, b.length);
}

static int compare_nodes(const cpb_metadata *m, uint32_t x, uint32_t y) {
  const cpb_node_columns *n = &m->nodes;
  size_t a = (size_t)cpb_column_get(&n->first_tag, x), b = (size_t)cpb_column_get(&n->first_tag, y);
  uint64_t a_tags = cpb_column_get(&n->num_tags, x), b_tags = cpb_column_get(&n->num_tags, y);
  for (uint32_t i = 0; i < a_tags && i < b_tags; i++) {
    int order = compare_tags(m, cpb_metadata_tag(m, a + i), cpb_metadata_tag(m, b + i));
    if (order != 0) return order;
  }
  if (a_tags != b_tags) return a_tags < b_tags ? -1 : 1;
  uint64_t a_chunk = cpb_column_get(&n->chunk, x), b_chunk = cpb_column_get(&n->chunk, y); /* plus 1; 0: as chunk 0 */
  return compare_u64(a_chunk > 0 ? a_chunk : 1, b_chunk > 0 ? b_chunk : 1);
}

/* Merges the sorted runs [begin, middle) and [middle, end) of `in` into `out`. */
static void merge_runs(const cpb_metadata *m, const uint32_t *in, uint32_t *out, size_t begin, size_t middle,
                       size_t end) {
  size_t a = begin, b = middle;
  for (size_t i = begin; i < end; i++) {
    bool left = a < middle && (b == end || compare_nodes(m, in[a], in[b]) <= 0);
    out[i] = in[left ? a++ : b++];
  }
}

/* Sorts items[0, count), stably; `other` is room for as many. */
static void sort_nodes(const cpb_metadata *m, uint32_t *items, uint32_t *other, size_t count) {
  uint32_t *in = items, *out = other;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      size_t middle = begin + run < count ? begin + run : count;
      size_t end = middle + run < count ? middle + run : count;
      merge_runs(m, in, out, begin, middle, end);
    }
    uint32_t *swap = in;
    in = out;
    out = swap;
  }
  if (in != items) memcpy(items, in, count * sizeof *items);
}

static bool sorted(const cpb_metadata *m, const uint32_t *items, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (compare_nodes(m, items[i - 1], items[i]) > 0) return false;
  return true;
}

/* --- Building ------------------------------------------------------------- */

/* A node whose children are being added: those in `waiting` from `begin` on, the next one last. */
typedef struct {
  uint32_t target;
  uint32_t on; /* how far its path agrees with that of the wanted field (plan_for.c) */
  size_t begin;
} family;

typedef struct {
  uint32_t *waiting;
  size_t count, capacity;
  uint32_t *other; /* room for sorting */
  size_t other_capacity;
  family *families;
  size_t depth, families_capacity;
} build_room;

static bool reserve_nodes(cpb_merge_tree *tree, uint32_t **nodes, size_t *capacity, size_t count) {
  if (!CPB_RESERVE(&tree->allocator, nodes, capacity, count)) return no_memory(tree);
  return true;
}

static bool wait_for(cpb_merge_tree *tree, build_room *room, uint32_t node) {
  if (!reserve_nodes(tree, &room->waiting, &room->capacity, room->count + 1)) return false;
  room->waiting[room->count++] = node;
  return true;
}

/* Adds the children that are merged into the node's message itself, or else the others: in most files each of the two
 * kinds is ordered. */
static bool add_children(builder *b, build_room *room, uint32_t parent, bool slices) {
  const cpb_metadata *m = b->tree->metadata;
  const family *f = &room->families[room->depth - 1];
  for (uint32_t n = cpb_metadata_first_child(m, parent); n != CPB_NO_NODE; n = cpb_metadata_next(m, n)) {
    if ((cpb_column_get(&m->nodes.num_tags, n) == 0) != slices) continue;
    bool wanted = true;
    if (!slices && b->tree->only && !b->tree->only->choose(b->tree, n, f->target, f->on, &wanted)) return false;
    if (wanted && !wait_for(b->tree, room, n)) return false;
  }
  return true;
}

/* Adds the ones that represent unwanted fields. */
static bool add_beside(builder *b, build_room *room) {
  const cpb_merge_only *only = b->tree->only;
  for (uint32_t i = 0; only && i < only->count; i++) {
    cpb_only_beside *beside = &only->beside[i];
    if (beside->node != CPB_NO_NODE && !wait_for(b->tree, room, beside->node)) return false;
    *beside = (cpb_only_beside){CPB_NO_NODE, 0};
  }
  return true;
}

static bool sort_children(builder *b, build_room *room, size_t begin) {
  const cpb_metadata *m = b->tree->metadata;
  size_t count = room->count - begin;
  uint32_t *children = room->waiting + begin;
  if (!sorted(m, children, count)) {
    if (!reserve_nodes(b->tree, &room->other, &room->other_capacity, count)) return false;
    sort_nodes(m, children, room->other, count);
  }
  for (size_t i = 0; i < count / 2; i++) {
    uint32_t last = children[count - 1 - i];
    children[count - 1 - i] = children[i];
    children[i] = last;
  }
  return true;
}

/* Pushes the children of a node in the order of merging, so that the first one is taken first. */
static bool push_children(builder *b, build_room *room, uint32_t parent, uint32_t target, uint32_t on) {
  if (cpb_metadata_first_child(b->tree->metadata, parent) == CPB_NO_NODE) return true;
  if (!CPB_RESERVE(&b->tree->allocator, &room->families, &room->families_capacity, room->depth + 1))
    return no_memory(b->tree);
  room->families[room->depth++] = (family){target, on, room->count};
  size_t begin = room->count;
  if (!add_children(b, room, parent, true) || !add_children(b, room, parent, false)) return false;
  return add_beside(b, room) && sort_children(b, room, begin);
}

static bool build_node(builder *b, build_room *room, uint32_t node, uint32_t base, uint32_t on) {
  uint64_t before = 0;
  uint32_t target = cpb_merge_tree_target(b->tree, node, base, &on, &before);
  if (target == CPB_NONE) return false;
  if (on == CPB_ON_BESIDE) return add_op(b, (cpb_merge_op){target, (uint32_t)before, CPB_OP_BESIDE});
  return op_of_node(b, node, target) && push_children(b, room, node, target, on);
}

static bool build_ops(builder *b, build_room *room) {
  if (!build_node(b, room, 0, CPB_ROOT, 0)) return false;
  while (room->depth > 0) {
    const family f = room->families[room->depth - 1];
    if (room->count == f.begin) room->depth--;
    else if (!build_node(b, room, room->waiting[--room->count], f.target, f.on)) return false;
  }
  return finish_ops(b->tree) && cpb_types_add_shadows(b->tree);
}

bool cpb_merge_tree_build(cpb_merge_tree *tree, uint64_t num_chunks, cpb_chunk_type_of *type_of, const void *user) {
  builder b = {tree, num_chunks, type_of, user};
  if (cpb_merge_tree_add(tree, (cpb_target){.parent = CPB_NONE, .live = true}, NULL) == CPB_NONE) return false;
  if (tree->metadata->num_nodes == 0) return true;
  build_room room = {0};
  bool built = build_ops(&b, &room);
  tree->greatest = CPB_ROOT; /* later searches find an existing child, or come in no order */
  cpb_release(&tree->allocator, room.waiting);
  cpb_release(&tree->allocator, room.other);
  cpb_release(&tree->allocator, room.families);
  return built;
}
