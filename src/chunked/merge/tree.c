#include "chunked/merge/tree.h"

#include <string.h>

#include "base/status.h"
#include "chunked/merge/types.h"
#include "proto/wire.h"

static bool no_memory(cpb_merge_tree *tree) {
  cpb_fail_memory(tree->error);
  return false;
}

static bool damaged_tag(cpb_merge_tree *tree, uint32_t node, const char *what) {
  cpb_fail(tree->error, CPB_E_DAMAGED, tree->position, "field tag of chunked field %u: %s", (unsigned)node, what);
  return false;
}

static cpb_target_form form_for(uint8_t kind) {
  switch (kind) {
    case CPB_TAG_FIELD: return CPB_FORM_MESSAGE;
    case CPB_TAG_INDEX: return CPB_FORM_ELEMENTS;
    default: return CPB_FORM_ENTRIES;
  }
}

/* The child of `parent` by `tag`, made if it is not there. */
static uint32_t child(cpb_merge_tree *tree, uint32_t node, uint32_t parent, cpb_tag tag) {
  cpb_target target = {.value = tag.value, .parent = parent, .kind = (uint8_t)tag.kind};
  if (tag.kind == CPB_TAG_KEY_STRING) {
    target.length = tag.length;
    if (tag.length > tree->max_key) tree->max_key = tag.length;
  } else if (tag.kind > CPB_TAG_KEY_STRING) {
    target.kind = CPB_TAG_KEY_UINT64;
  }
  uint32_t found = cpb_merge_tree_find(tree, parent, target.kind, target.value, cpb_target_key(tree, &target));
  if (found != CPB_NONE) return found;
  cpb_target *above = &tree->targets[parent];
  cpb_target_form form = form_for(target.kind);
  if (above->form != CPB_FORM_LEAF && above->form != form) {
    return damaged_tag(tree, node, "another tag names the same field differently (by index, by key, or by neither)"),
           CPB_NONE;
  }
  above->form = (uint8_t)form;
  if (target.kind == CPB_TAG_FIELD) target.field = cpb_types_field(tree, parent, target.value);
  return cpb_merge_tree_add(tree, target);
}

/* What may follow what in a field tag: a field number first; an index or a key
 * only right after one. */
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

/* The target of a node whose parent's is `base`. */
static uint32_t target_of(cpb_merge_tree *tree, uint32_t id, uint32_t base) {
  const cpb_tag map_value = {.value = 2, .kind = CPB_TAG_FIELD};
  const cpb_chunked_node *node = &tree->metadata->nodes[id];
  uint8_t previous = 0;
  for (uint32_t i = 0; i < node->num_tags && base != CPB_NONE; i++) {
    const cpb_tag named = tree->metadata->tags[node->first_tag + i];
    cpb_tag tag = named; /* adapted to the field's type */
    const char *wrong = wrong_tag(previous, tag);
    if (!wrong) wrong = cpb_types_adapt(tree, base, &tag);
    if (wrong) return damaged_tag(tree, id, wrong), CPB_NONE;
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
  void *ops = tree->ops;
  if (!cpb_merge_tree_charge(tree)) return false;
  if (!cpb_reserve(&tree->allocator, &ops, &tree->ops_capacity, tree->num_ops + 1, sizeof op)) {
    return no_memory(tree);
  }
  tree->ops = ops;
  tree->ops[tree->num_ops++] = op;
  return true;
}

/* A field without a chunk index is, as TensorFlow has it, chunk 0; but a message
 * is only made sure to be there. */
static bool op_without_chunk(builder *b, uint32_t id, uint32_t target) {
  const cpb_chunked_node *node = &b->tree->metadata->nodes[id];
  if (node->num_tags == 0) return true;
  cpb_op_kind kind = CPB_OP_MERGE;
  if (b->num_chunks > 0 && node->first_child == CPB_NO_NODE) {
    kind = cpb_types_op(b->tree, target, b->type_of(b->user, 0));
  }
  return add_op(b, (cpb_merge_op){target, 0, kind == CPB_OP_MERGE ? CPB_OP_TOUCH : kind});
}

static bool op_of_node(builder *b, uint32_t id, uint32_t target) {
  const cpb_chunked_node *node = &b->tree->metadata->nodes[id];
  const char *wrong = node->num_tags > 0 ? cpb_types_refuse(b->tree, target) : NULL;
  if (wrong) return damaged_tag(b->tree, id, wrong);
  if (node->chunk == CPB_NO_CHUNK) return op_without_chunk(b, id, target);
  if (node->chunk >= b->num_chunks) {
    cpb_fail(b->tree->error, CPB_E_DAMAGED, b->tree->position,
             "chunk_index of chunked field %u is %llu; expected less than %llu, the number of chunks", (unsigned)id,
             (unsigned long long)node->chunk, (unsigned long long)b->num_chunks);
    return false;
  }
  cpb_op_kind kind = CPB_OP_MERGE;
  if (node->num_tags > 0) kind = cpb_types_op(b->tree, target, b->type_of(b->user, node->chunk));
  return add_op(b, (cpb_merge_op){target, (uint32_t)node->chunk, kind});
}

/* Only a message has fields, so what has them is merged, whatever the type of
 * the chunk; and a holder of elements or entries is nothing in itself. */
static bool finish_ops(cpb_merge_tree *tree) {
  for (size_t i = 0; i < tree->num_ops; i++) {
    cpb_merge_op *op = &tree->ops[i];
    cpb_target *t = &tree->targets[op->target];
    if (t->form == CPB_FORM_ELEMENTS || t->form == CPB_FORM_ENTRIES) {
      cpb_fail(tree->error, CPB_E_DAMAGED, tree->position,
               "chunk %u has a field tag for field %llu without index or key, other chunks have one with",
               (unsigned)op->chunk, (unsigned long long)t->value);
      return false;
    }
    if (op->kind == CPB_OP_SET && t->form == CPB_FORM_MESSAGE) op->kind = CPB_OP_MERGE;
    if (op->kind == CPB_OP_NUMBER) t->bare = true;
    if (op->kind == CPB_OP_MERGE || op->kind == CPB_OP_TOUCH) t->ops++;
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
  const cpb_chunked_node *a = &m->nodes[x], *b = &m->nodes[y];
  for (uint32_t i = 0; i < a->num_tags && i < b->num_tags; i++) {
    int order = compare_tags(m, m->tags[a->first_tag + i], m->tags[b->first_tag + i]);
    if (order != 0) return order;
  }
  if (a->num_tags != b->num_tags) return a->num_tags < b->num_tags ? -1 : 1;
  return compare_u64(a->chunk == CPB_NO_CHUNK ? 0 : a->chunk, b->chunk == CPB_NO_CHUNK ? 0 : b->chunk);
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
  for (size_t i = 1; i < count; i++) {
    if (compare_nodes(m, items[i - 1], items[i]) > 0) return false;
  }
  return true;
}

/* --- Building ------------------------------------------------------------- */

typedef struct {
  uint32_t node, base; /* the node, and the target of its parent */
} pending;

typedef struct {
  uint32_t *nodes; /* children of one node, then room to sort them */
  pending *stack;  /* the next one last */
  size_t depth;
} build_room;

/* The children of a node in the order they are to be merged, pushed so that the
 * first one is taken first. */
static void push_children(const cpb_metadata *m, build_room *room, uint32_t parent, uint32_t target) {
  size_t count = 0;
  for (uint32_t n = m->nodes[parent].first_child; n != CPB_NO_NODE; n = m->nodes[n].next) {
    room->nodes[count++] = n;
  }
  if (!sorted(m, room->nodes, count)) sort_nodes(m, room->nodes, room->nodes + m->num_nodes, count);
  while (count > 0) room->stack[room->depth++] = (pending){room->nodes[--count], target};
}

static bool build_ops(builder *b, build_room *room) {
  const cpb_metadata *m = b->tree->metadata;
  room->stack[room->depth++] = (pending){0, CPB_ROOT};
  while (room->depth > 0) {
    pending at = room->stack[--room->depth];
    uint32_t target = target_of(b->tree, at.node, at.base);
    if (target == CPB_NONE || !op_of_node(b, at.node, target)) return false;
    push_children(m, room, at.node, target);
  }
  return finish_ops(b->tree) && cpb_types_add_shadows(b->tree);
}

bool cpb_merge_tree_build(cpb_merge_tree *tree, uint64_t num_chunks, cpb_chunk_type_of *type_of, const void *user) {
  builder b = {tree, num_chunks, type_of, user};
  size_t n = tree->metadata->num_nodes;
  if (cpb_merge_tree_add(tree, (cpb_target){.parent = CPB_NONE, .live = true}) == CPB_NONE) return false;
  if (n == 0) return true;
  build_room room = {0};
  if (n <= SIZE_MAX / (2 * sizeof *room.nodes) && n <= SIZE_MAX / sizeof *room.stack) {
    room.nodes = cpb_alloc(&tree->allocator, 2 * n * sizeof *room.nodes);
    room.stack = cpb_alloc(&tree->allocator, n * sizeof *room.stack);
  }
  bool built = room.nodes && room.stack ? build_ops(&b, &room) : no_memory(tree);
  tree->greatest = CPB_ROOT; /* what is looked for from now on is there, or comes in no order */
  cpb_release(&tree->allocator, room.nodes);
  cpb_release(&tree->allocator, room.stack);
  return built;
}
