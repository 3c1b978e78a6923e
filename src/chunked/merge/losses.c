/* A merge that does without chunks that are damaged.
 *
 * A chunk that nothing goes into is not read while the merge is planned, so that its damage matters to
 * nobody who does not read it. Of one that others go into, the plan has a range as long as the index
 * says, which cannot be read; and what goes into it is placed if that needs nothing of it:
 *  - a field of the message, and in a repeated field what comes first: of meta_graphs[0].graph_def it does
 *    not matter where it would have stood;
 *  - an element that is a chunk as a whole, after those that are known: library.function[4] is a function
 *    whatever its number;
 *  - nothing else: not what is in an element, as which elements the chunk has nobody knows, nor a part of
 *    a map's entry, which would be an entry without all else of its value.
 * Messages of which such a chunk may have fields are `hidden`: in chunks that follow, their elements have
 * no known index. They stay as they are, but for empty ones, which are left where elements became chunks.
 *
 * The walk begins anew with each chunk that is found to be damaged: so what was planned by its content is
 * forgotten, and at most CPB_LOSSES times as much is done, all of it charged to the meter. */
#include "base/status.h"
#include "chunked/merge/items.h"
#include "chunked/merge/merge_state.h"
#include "chunked/merge/numbers.h"
#include "chunked/merge/walk.h"

static bool is_lost(const cpb_walk_losses *losses, uint32_t chunk) {
  for (size_t i = 0; i < losses->count; i++) {
    if (losses->chunks[i] == chunk) return true;
  }
  return false;
}

static bool is_damage(cpb_code code) { return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED; }

/* What is not verified may seem to be anything. */
static bool may_be_damage(cpb_code code) { return is_damage(code) || code == CPB_E_UNSUPPORTED || code == CPB_E_LIMIT; }

static bool doubts(cpb_merge_walk *w) {
  if (!may_be_damage(w->error->code)) return false;
  *w->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  return true;
}

/* What is wrong with the index is said to be where that is, and stays an error. Of a chunk whose size the index does
 * not say only that is read, without verifying it. */
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

/* A holder of elements or entries is of the message that it is a field of. */
static const cpb_target *message_of(const cpb_target *targets, uint32_t id) {
  bool holder = targets[id].form == CPB_FORM_ELEMENTS || targets[id].form == CPB_FORM_ENTRIES;
  return &targets[holder ? targets[id].parent : id];
}

/* Whether the element that is a chunk can come next, although it is not known how many there are before it. Of the
 * merged message itself elements are known by their numbers, as meta graphs are. */
static bool can_follow(const cpb_merge_tree *tree, uint32_t id, uint32_t element) {
  const cpb_target *t = &tree->targets[element], *holder = &tree->targets[t->parent];
  return t->value == cpb_target_more_of(tree, holder)->count || (element == id && holder->parent != CPB_ROOT);
}

/* Whether the target, which is not there, can be created: every step on the way from `above`, which is there. */
static bool has_place(const cpb_merge_tree *tree, uint32_t id, uint32_t above) {
  const cpb_target *targets = tree->targets;
  for (uint32_t at = id; at != above; at = targets[at].parent) {
    if (targets[at].kind >= CPB_TAG_KEY_STRING) return false;
    if (targets[at].kind == CPB_TAG_INDEX && !can_follow(tree, id, at)) return false;
  }
  return true;
}

/* Whether the target is somewhere in what is hidden, and not known where. If it is known, what will be created there
 * may have other fields in the chunk that is lost, and is hidden, too. */
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

/* The chunk as it is, whatever that may be. */
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
