/* The walk: finds the contents of the merged message, from the operations of the tree (targets.h).
 *
 * Operations are carried out in sequence. A chunk is read only if another one goes into it, or to find its place among
 * other ranges of a message; otherwise its size is enough. One scan of a chunk, a job, finds the places of all targets
 * in it.
 *
 * Invariants. Between calls, that is after CPB_WAIT, all operations before w->op are done, and none after it has begun.
 * For operation w->op, either a job is being scanned (with those in w->later to follow before the next operation), or
 * only its target was created, which is harmless to repeat. The parent of a live target is live. The layout follows no
 * list with cleared items. The walk owns ranges, patches and inserts; the bytes that it scans belong to the store, and
 * are valid until the next call of the store.
 *
 * It terminates: each operation begins at most one job, a job's scanner only moves forward, and a job in w->later is a
 * map entry within the job that queued it.
 *
 * Memory: ranges and patches, each charged to the meter as an entry; an insert for an operation, a created target or a
 * range; frames up to the depth limit, each with at most NUMBERS_MAX field numbers. The only contents of chunks that it
 * keeps are map keys while they are read, and numbers, which are written again. */
#include "chunked/merge/walk_state.h"

#include <string.h>

#include "base/status.h"
#include "chunked/merge/number_text.h"
#include "chunked/merge/targets.h"

void cpb_merge_walk_init(cpb_merge_walk *w, const cpb_allocator *a, cpb_merge_tree *tree, cpb_chunk_store *store,
                         uint32_t depth_limit, cpb_error *error) {
  memset(w, 0, sizeof *w);
  w->allocator = *a;
  w->tree = tree;
  w->store = store;
  w->depth_limit = depth_limit;
  w->error = error;
  cpb_buffer_init(&w->key, a);
  cpb_buffer_init(&w->literals, a);
}

void cpb_merge_walk_finish(cpb_merge_walk *w) {
  const cpb_allocator *a = &w->allocator;
  if (w->scanning) cpb_wire_free(&w->scanner);
  w->scanning = false;
  for (size_t i = 0; i < w->frames_capacity; i++) cpb_release(a, w->frames[i].numbers.items);
  cpb_release(a, w->frames);
  cpb_release(a, w->later);
  cpb_release(a, w->path);
  cpb_buffer_free(&w->key);
  w->frames = NULL;
  w->later = NULL;
  w->path = NULL;
  w->frames_capacity = w->later_capacity = w->path_capacity = 0;
  cpb_walk_free_numbers(w);
}

void cpb_merge_walk_free(cpb_merge_walk *w) {
  cpb_merge_walk_finish(w);
  cpb_buffer_free(&w->literals);
  cpb_walk_free_items(w);
  cpb_column_free(&w->sizes, &w->allocator);
}

/* --- Making a target be there --------------------------------------------- */

/* Fails because of the index, in the field tag of the operation. */
static bool fail_at_index(cpb_merge_walk *w, cpb_code code, const char *what) {
  cpb_merge_op op = cpb_merge_tree_op(w->tree, w->op);
  return CPB_FAILS(w->error, code, w->tree->position, "field tag of chunk %u: field %u %s", (unsigned)op.chunk,
                   (unsigned)cpb_target_number(w->tree, op.target), what);
}

static bool insert_target(cpb_merge_walk *w, uint32_t id) {
  cpb_walk_set_live(w, id);
  return cpb_walk_insert(w, cpb_target_owner(w->tree, id), cpb_target_number(w->tree, id), CPB_INSERT_TARGET, id);
}

/* Appends a missing element if it is the next one. */
static bool append_element(cpb_merge_walk *w, uint32_t id) {
  const cpb_target *t = &w->tree->targets[id];
  cpb_target_more *holder = &w->tree->more[w->tree->targets[t->parent].more]; /* it has children */
  if (t->value > holder->count)
    return CPB_FAILS(w->error, CPB_E_DAMAGED, w->tree->position,
                     "field tag of chunk %u: element %llu of field %u, which has only %llu",
                     (unsigned)cpb_merge_tree_op(w->tree, w->op).chunk, (unsigned long long)t->value,
                     (unsigned)w->tree->targets[t->parent].value, (unsigned long long)holder->count);
  holder->count++;
  return insert_target(w, id);
}

/* Its parent is live. */
static bool make_one_live(cpb_merge_walk *w, uint32_t id) {
  const cpb_target *t = &w->tree->targets[id];
  if (t->kind == CPB_TAG_INDEX) return append_element(w, id);
  bool holder = t->form == CPB_FORM_ELEMENTS || t->form == CPB_FORM_ENTRIES || cpb_target_appends(w->tree, t);
  if (!holder) return insert_target(w, id);
  cpb_walk_set_live(w, id);
  return true;
}

bool cpb_walk_make_live(cpb_merge_walk *w, uint32_t id) {
  size_t depth = 0;
  for (; !w->tree->targets[id].live; id = w->tree->targets[id].parent) {
    if (!CPB_RESERVE(&w->allocator, &w->path, &w->path_capacity, depth + 1)) return cpb_fail_memory(w->error), false;
    w->path[depth++] = id;
  }
  while (depth > 0)
    if (!make_one_live(w, w->path[--depth])) return false;
  return true;
}

/* --- Operations ----------------------------------------------------------- */

/* Appends an occurrence to a field that has several. */
static bool append_value(cpb_merge_walk *w, uint32_t id, cpb_insert_kind kind, uint32_t range) {
  return cpb_walk_insert(w, cpb_target_owner(w->tree, id), cpb_target_number(w->tree, id), kind, range);
}

/* Whether the chunk has to be walked: something in it will be patched, or it is
 * not the target's only range. */
static bool needs_walk(const cpb_target *t) {
  return t->form == CPB_FORM_MESSAGE || t->ops > 1 || t->last_range != CPB_NONE;
}

/* Whether the chunk may be appended unchanged to the entire target: nothing in it is patched, and its first fields
 * belong at the end. Most slices do, and need not be read twice. */
static cpb_have belongs_last(cpb_merge_walk *w, cpb_merge_op op, uint64_t size, bool *last) {
  const cpb_target *t = &w->tree->targets[op.target];
  *last = false;
  if (op.kind != CPB_OP_MERGE || size == 0 || t->form != CPB_FORM_LEAF || t->last_range == CPB_NONE) return CPB_HAVE;
  cpb_span span;
  uint64_t tag;
  cpb_have have = cpb_chunk_store_peek(w->store, op.chunk, &span);
  if (have == CPB_FAILED && w->losses && w->losses->doubts(w)) return CPB_HAVE;
  if (have != CPB_HAVE || cpb_varint_read(span.data, span.data + span.size, &tag) == NULL) return have;
  *last = tag >> 3 <= CPB_FIELD_NUMBER_MAX && cpb_walk_ends_with(w, op.target, (uint32_t)(tag >> 3));
  return CPB_HAVE;
}

static bool carry_out(cpb_merge_walk *w, cpb_merge_op op, uint64_t size, bool last) {
  cpb_target *t = &w->tree->targets[op.target];
  bool appends = cpb_target_appends(w->tree, t);
  if (op.kind == CPB_OP_SET && !appends) cpb_walk_clear(w, op.target);
  t->merged = true;
  if (size == 0 && !appends) return true;
  if (!cpb_walk_make_range(w, op.target)) return false;
  if (op.kind == CPB_OP_MERGE && !appends && !last && needs_walk(t))
    return cpb_walk_begin_job(w, (cpb_walk_job){0, size, op.target, op.chunk});
  if (!appends && t->last_range == CPB_NONE) {
    t->whole = t->crowded = true;
    t->first_range = t->last_range = op.chunk;
    return true;
  }
  uint32_t range = cpb_walk_new_range(w, op.chunk, 0, size);
  if (range == CPB_NONE) return false;
  if (appends) return append_value(w, op.target, CPB_INSERT_VALUE, range);
  return cpb_walk_append_range(w, op.target, range);
}

/* Reads the entire chunk, which is a number as text. */
static cpb_have read_text(cpb_merge_walk *w, uint32_t chunk, uint64_t size) {
  while (w->key.size < size) {
    cpb_span span;
    cpb_have have = cpb_chunk_store_span(w->store, chunk, w->key.size, size - w->key.size, &span);
    if (have != CPB_HAVE) return have;
    if (cpb_buffer_append(&w->key, span.data, span.size)) continue;
    return cpb_fail_memory(w->error), CPB_FAILED;
  }
  return CPB_HAVE;
}

static bool set_number(cpb_merge_walk *w, uint32_t id) {
  uint8_t field[CPB_NUMBER_MAX];
  cpb_target *t = &w->tree->targets[id];
  size_t size =
      cpb_number_text_field(cpb_target_more_of(w->tree, t)->field, (cpb_span){w->key.data, w->key.size}, field);
  uint64_t begin = w->literals.size;
  if (size == 0) return fail_at_index(w, CPB_E_DAMAGED, "is a number; expected its decimal text in the chunk");
  if (!cpb_buffer_append(&w->literals, field, size)) return cpb_fail_memory(w->error) == CPB_OK;
  uint32_t range = cpb_walk_new_range(w, CPB_LITERAL, begin, begin + size);
  if (range == CPB_NONE) return false;
  if (cpb_target_appends(w->tree, t)) return append_value(w, id, CPB_INSERT_RANGE, range);
  cpb_walk_clear(w, id);
  t->merged = true;
  return cpb_walk_append_range(w, id, range);
}

static cpb_have number_op(cpb_merge_walk *w, cpb_merge_op op, uint64_t size) {
  if (size > CPB_NUMBER_TEXT_MAX) {
    fail_at_index(w, CPB_E_DAMAGED, "is a number, but the chunk is too long to be its text");
    return CPB_FAILED;
  }
  cpb_have have = read_text(w, op.chunk, size);
  if (have != CPB_HAVE) return have;
  bool done = set_number(w, op.target);
  w->key.size = 0;
  return done ? CPB_HAVE : CPB_FAILED;
}

/* Finds out which parts of the chunk are needed, and creates the target. After CPB_WAIT it is called again, which does
 * not repeat completed work. */
static cpb_have prepare(cpb_merge_walk *w, cpb_merge_op op, uint64_t *size, bool *last) {
  cpb_have have = CPB_HAVE;
  *size = 0;
  if (op.kind != CPB_OP_TOUCH) have = cpb_chunk_store_size(w->store, op.chunk, size);
  if (have != CPB_HAVE) return have;
  if (w->tree->targets[op.target].is_number) {
    fail_at_index(w, CPB_E_UNSUPPORTED, "is a number; setting it needs the schema of the message");
    return CPB_FAILED;
  }
  if (!cpb_walk_make_live(w, op.target)) return CPB_FAILED;
  cpb_types_clear_oneof(w->tree, op.target, (uint32_t)w->num_patches);
  return belongs_last(w, op, *size, last);
}

/* Handles an operation that was left out of the plan (plan_for.c). */
static bool pass_beside(cpb_merge_walk *w, cpb_merge_op op) {
  if (!cpb_walk_make_live(w, op.target)) return false;
  cpb_types_clear_oneof(w->tree, op.target, (uint32_t)w->num_patches);
  if (cpb_target_more_of(w->tree, &w->tree->targets[op.target])->count >= op.chunk) return true;
  return CPB_FAILS(w->error, CPB_E_DAMAGED, w->tree->position,
                   "elements of field %u are only in chunks of their own, which are not planned",
                   (unsigned)w->tree->targets[op.target].value);
}

static cpb_have read_op(cpb_merge_walk *w, cpb_merge_op op) {
  uint64_t size;
  bool last;
  if (op.kind == CPB_OP_BESIDE) return pass_beside(w, op) ? CPB_HAVE : CPB_FAILED;
  cpb_have have = prepare(w, op, &size, &last);
  if (have != CPB_HAVE) return have;
  if (op.kind == CPB_OP_NUMBER) have = number_op(w, op, size);
  else if (op.kind != CPB_OP_TOUCH && !carry_out(w, op, size, last)) have = CPB_FAILED;
  return have;
}

static cpb_have next_op(cpb_merge_walk *w) {
  cpb_merge_op op = cpb_merge_tree_op(w->tree, w->op);
  cpb_op_taken taken = w->losses ? w->losses->take(w, op) : CPB_OP_TAKEN_NOT;
  if (taken == CPB_OP_TAKEN_FAILED) return CPB_FAILED;
  cpb_have have = taken == CPB_OP_TAKEN ? CPB_HAVE : read_op(w, op);
  if (have == CPB_HAVE) w->op++;
  return have;
}

cpb_have cpb_merge_walk_run(cpb_merge_walk *w) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE) {
    if (w->scanning) {
      have = cpb_walk_run_job(w);
    } else if (w->num_later > 0) {
      if (!cpb_walk_begin_job(w, w->later[--w->num_later])) have = CPB_FAILED;
    } else if (w->op == w->tree->num_ops) {
      return CPB_HAVE;
    } else {
      have = next_op(w);
    }
  }
  return have;
}
