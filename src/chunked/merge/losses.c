/* Merges without damaged chunks.
 *
 * Planning a merge reads only chunks that other chunks go into, so the damage of any other chunk matters only when it
 * is read. If others go into a damaged chunk, the plan has a range for it with the size from the index, which cannot be
 * read. The chunks that go into it are placed only if this does not depend on its content:
 *
 * - a field of the message, and the first element of a repeated field: for meta_graphs[0].graph_def the original
 *   position does not matter;
 * - an element that is a whole chunk, after the known elements: library.function[4] is a function whatever its number;
 * - nothing else. Nothing goes into an element, because the chunk's elements are unknown; nor is a part of a map's
 *   entry placed, which would become an entry without the rest of its value.
 *
 * Messages of which such a chunk may have fields are `hidden`: the indices of their elements in later chunks are
 * unknown. These elements stay unchanged, except for empty ones, which mark places where elements became chunks and are
 * left out.
 *
 * The walk restarts with each damaged chunk that it finds, and forgets everything planned from that chunk's content. So
 * it does at most CPB_LOSSES times as much work, all of it charged to the meter. */
#include "base/status.h"
#include "chunked/merge/merge_state.h"
#include "chunked/merge/walk_state.h"

static bool is_lost(const cpb_walk_losses *losses, uint32_t chunk) {
  for (size_t i = 0; i < losses->count; i++)
    if (losses->chunks[i] == chunk) return true;
  return false;
}

static bool is_damage(cpb_code code) { return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED; }

/* Unverified bytes may cause any of these errors. */
static bool may_be_damage(cpb_code code) { return is_damage(code) || code == CPB_E_UNSUPPORTED || code == CPB_E_LIMIT; }

static bool doubts(cpb_merge_walk *w) {
  if (!may_be_damage(w->error->code)) return false;
  *w->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  return true;
}

/* Adds a lost chunk. A problem in the index has the index's position, and stays an error. If the index does not give
 * the size of a chunk, only the size is read, without verification. */
static bool add(cpb_walk_losses *losses, cpb_merge_walk *w) {
  const cpb_error *error = w->error;
  if (!w->scanning && w->op >= w->tree->num_ops) return false;
  uint32_t chunk = w->scanning ? w->job.chunk : cpb_merge_tree_op(w->tree, w->op).chunk;
  bool verified = w->scanning || cpb_metadata_chunk(w->tree->metadata, chunk).size > 0;
  if (!(verified ? is_damage(error->code) : may_be_damage(error->code))) return false;
  if (error->offset == w->tree->position || losses->count == CPB_LOSSES || is_lost(losses, chunk)) return false;
  if (losses->count == 0) losses->first = *error;
  losses->chunks[losses->count++] = chunk;
  cpb_chunk_store_forget(w->store, chunk);
  return true;
}

/* The message of a holder of elements or entries is the one with their field. */
static const cpb_target *message_of(const cpb_target *targets, uint32_t id) {
  bool holder = targets[id].form == CPB_FORM_ELEMENTS || targets[id].form == CPB_FORM_ENTRIES;
  return &targets[holder ? targets[id].parent : id];
}

/* Whether the element, which is a chunk, can come next, although the number of elements before it is unknown. Elements
 * of the merged message itself, such as meta graphs, are known by their numbers. */
static bool can_follow(const cpb_merge_tree *tree, uint32_t id, uint32_t element) {
  const cpb_target *t = &tree->targets[element], *holder = &tree->targets[t->parent];
  return t->value == cpb_target_more_of(tree, holder)->count || (element == id && holder->parent != CPB_ROOT);
}

/* Whether the missing target can be created, with every step of its path from `above`, which exists. */
static bool has_place(const cpb_merge_tree *tree, uint32_t id, uint32_t above) {
  const cpb_target *targets = tree->targets;
  for (uint32_t at = id; at != above; at = targets[at].parent) {
    if (targets[at].kind >= CPB_TAG_KEY_STRING) return false;
    if (targets[at].kind == CPB_TAG_INDEX && !can_follow(tree, id, at)) return false;
  }
  return true;
}

/* Whether the target is at an unknown place in hidden messages. If its place is known, the lost chunk may have other
 * fields of it, so the target that will be created there is hidden as well. */
static bool is_hidden(cpb_merge_walk *w, uint32_t id) {
  cpb_target *targets = w->tree->targets, *t = &targets[id];
  uint32_t above = id;
  while (!targets[above].live) above = targets[above].parent;
  if (above == id || !message_of(targets, above)->hidden) return false;
  if (!has_place(w->tree, id, above)) return true;
  for (uint32_t up = id; up != above; up = targets[up].parent) targets[up].hidden = true;
  cpb_target_more *holder = &w->tree->more[targets[t->parent].more]; /* it has children */
  if (t->kind == CPB_TAG_INDEX && holder->count < t->value) holder->count = t->value;
  return false;
}

/* Puts the chunk into the message unread. */
static bool put_unread(cpb_merge_walk *w, cpb_merge_op op) {
  uint64_t size = cpb_metadata_chunk(w->tree->metadata, op.chunk).size;
  if (!cpb_walk_make_live(w, op.target)) return false;
  cpb_target *t = &w->tree->targets[op.target];
  bool appends = cpb_target_appends(w->tree, t);
  if (op.kind == CPB_OP_SET && !appends) cpb_walk_clear(w, op.target);
  t->merged = t->hidden = true;
  if (size == 0) return true;
  if (!cpb_walk_make_range(w, op.target)) return false;
  uint32_t range = cpb_walk_new_range(w, op.chunk, 0, size);
  if (range == CPB_NONE) return false;
  if (appends) {
    return cpb_walk_insert(w, cpb_target_owner(w->tree, op.target), cpb_target_number(w->tree, op.target),
                           CPB_INSERT_VALUE, range);
  }
  return cpb_walk_append_range(w, op.target, range);
}

static cpb_op_taken take(cpb_merge_walk *w, cpb_merge_op op) {
  const cpb_walk_losses *losses = w->losses;
  if (losses->count == 0) return CPB_OP_TAKEN_NOT;
  if (is_hidden(w, op.target)) return CPB_OP_TAKEN;
  if (op.kind == CPB_OP_TOUCH || !is_lost(losses, op.chunk)) return CPB_OP_TAKEN_NOT;
  if (op.kind == CPB_OP_NUMBER) return CPB_OP_TAKEN;
  return put_unread(w, op) ? CPB_OP_TAKEN : CPB_OP_TAKEN_FAILED;
}

cpb_code cpb_merge_keep_damaged(cpb_merge *m) {
  if (m->state != CPB_MERGE_BEGIN || m->losses || m->only || m->store.memory) return CPB_E_USAGE;
  m->losses = cpb_alloc_zeroed(&m->outer, sizeof *m->losses); /* part of the merge itself */
  if (!m->losses) return CPB_E_MEMORY;
  m->losses->first.offset = CPB_NO_OFFSET;
  m->losses->add = add;
  m->losses->doubts = doubts;
  m->losses->take = take;
  m->walk.losses = m->losses;
  return CPB_OK;
}

const cpb_error *cpb_merge_damage(const cpb_merge *m) {
  static const cpb_error none = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  return m->losses ? &m->losses->first : &none;
}
