#include "chunked/merge/walk_state.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

static bool no_memory(cpb_merge_walk *w) { return cpb_fail_memory(w->error), false; }

static bool fail_in_chunk(cpb_merge_walk *w, cpb_code code, const char *what) {
  return CPB_FAILS(w->error, code, cpb_chunk_store_position(w->store, w->job.chunk), "chunk %u: %s",
                   (unsigned)w->job.chunk, what);
}

static cpb_target *target(cpb_merge_walk *w, uint32_t id) { return &w->tree->targets[id]; }

/* --- Frames --------------------------------------------------------------- */

static cpb_walk_frame *top(cpb_merge_walk *w) { return &w->frames[w->depth - 1]; }

static bool push(cpb_merge_walk *w, cpb_walk_frame frame) {
  size_t had = w->frames_capacity;
  if (!CPB_RESERVE(&w->allocator, &w->frames, &w->frames_capacity, w->depth + 1)) return no_memory(w);
  memset(w->frames + had, 0, (w->frames_capacity - had) * sizeof frame);
  frame.numbers = w->frames[w->depth].numbers; /* its memory is reused */
  frame.numbers.count = frame.numbers.open = 0;
  frame.numbers.crowded = false;
  w->frames[w->depth++] = frame;
  return true;
}

static bool enter(cpb_merge_walk *w, cpb_walk_frame frame) {
  if (cpb_wire_enter(&w->scanner)) return push(w, frame);
  return fail_in_chunk(w, w->scan_error.code, w->scan_error.message);
}

static bool note_number(cpb_merge_walk *w, uint32_t number, uint64_t begin) {
  cpb_walk_frame *frame = top(w);
  cpb_place place = {begin, frame->range + 1};
  return cpb_numbers_field(&w->allocator, &frame->numbers, number, place) || no_memory(w);
}

/* The innermost message has ended: its content becomes a range of its target. */
static bool leave(cpb_merge_walk *w) {
  cpb_walk_frame *frame = top(w);
  w->depth--;
  if (frame->target == CPB_NONE) return true;
  cpb_numbers_end(&frame->numbers, (cpb_place){frame->end, frame->range + 1});
  return cpb_walk_add_range(w, frame->target, frame->range, &frame->numbers);
}

/* --- Fields on the way ---------------------------------------------------- */

/* The field at the scanner, in the chunk. */
typedef struct {
  uint64_t begin, value, end;
  bool is_len;
} met_field;

static met_field met(const cpb_merge_walk *w) {
  const cpb_wire_field *f = &w->scanner.field;
  uint64_t value = w->job.begin + f->value;
  return (met_field){w->job.begin + f->begin, value, value + f->size, f->type == CPB_WIRE_LEN};
}

/* Binds the field to the target. Its content is walked if a patch goes into it, or if the target gets another range. */
static bool bind(cpb_merge_walk *w, uint32_t id, met_field f) {
  uint32_t patch = cpb_walk_new_patch(w, top(w)->range, f.begin, f.end, id);
  if (patch == CPB_NONE) return false;
  cpb_target *t = target(w, id);
  if (!t->live) t->anchor = patch;
  cpb_walk_set_live(w, id);
  if (f.value < f.end && target(w, t->parent)->hidden) t->hidden = true; /* the rest may be in it */
  if (f.value == f.end || (t->form == CPB_FORM_LEAF && t->ops == 0)) return true;
  uint32_t range = cpb_walk_new_range(w, w->job.chunk, f.value, f.end);
  return range != CPB_NONE && enter(w, (cpb_walk_frame){.target = id, .range = range, .end = f.end});
}

/* Occurrences of a message that is patched inside are joined. Occurrences of other singular fields stay unchanged: a
 * parser merges them, or takes the last. */
static bool meet_singular(cpb_merge_walk *w, uint32_t id, met_field f) {
  cpb_target *t = target(w, id);
  cpb_target_more *more = cpb_target_make_more(w->tree, id);
  if (!more) return false;
  more->count++;
  if (t->bare) return t->merged || bind(w, id, f);
  if (!f.is_len) {
    t->is_number = !more->field;
    return t->form == CPB_FORM_LEAF ||
           fail_in_chunk(w, CPB_E_DAMAGED, "a number where the field tag leads into a message");
  }
  if (t->form == CPB_FORM_MESSAGE) return bind(w, id, f);
  if (t->merged) return true;
  if (more->count == 1) return bind(w, id, f);
  t->apart = true;
  return true;
}

/* An element with unknown index. An empty one is left out, because it may mark the place of a chunk. */
static bool meet_hidden(cpb_merge_walk *w, met_field f) {
  return f.value < f.end || cpb_walk_new_patch(w, top(w)->range, f.begin, f.end, CPB_NONE) != CPB_NONE;
}

static bool meet_element(cpb_merge_walk *w, uint32_t holder, met_field f) {
  cpb_walk_set_live(w, holder);
  uint64_t index = w->tree->more[target(w, holder)->more].count++; /* it has children */
  if (target(w, target(w, holder)->parent)->hidden) return meet_hidden(w, f);
  uint32_t id = cpb_merge_tree_element(w->tree, holder, index);
  if (id == CPB_NONE) return true;
  if (f.is_len) return bind(w, id, f);
  return fail_in_chunk(w, CPB_E_UNSUPPORTED,
                       "a field tag that leads to an element of a repeated number, which is not supported");
}

static bool meet_entry(cpb_merge_walk *w, uint32_t holder, met_field f) {
  if (!f.is_len) return fail_in_chunk(w, CPB_E_DAMAGED, "a number where the field tag leads into a map entry");
  cpb_walk_set_live(w, holder);
  return enter(w, (cpb_walk_frame){.target = holder,
                                   .range = top(w)->range,
                                   .seeking_key = true,
                                   .begin = f.value,
                                   .end = f.end,
                                   .field_begin = f.begin});
}

static bool meet(cpb_merge_walk *w, uint32_t id) {
  if (w->scanner.field.type == CPB_WIRE_START_GROUP)
    return fail_in_chunk(w, CPB_E_UNSUPPORTED, "a field tag that leads into a group, which is not supported");
  met_field f = met(w);
  const cpb_target *t = target(w, id);
  if (t->shadow) return cpb_walk_new_patch(w, top(w)->range, f.begin, f.end, id) != CPB_NONE;
  if (cpb_target_appends(w->tree, t)) return true;
  switch (t->form) {
    case CPB_FORM_ELEMENTS: return meet_element(w, id, f);
    case CPB_FORM_ENTRIES: return meet_entry(w, id, f);
    default: return meet_singular(w, id, f);
  }
}

/* --- Map entries ---------------------------------------------------------- */

static bool queue(cpb_merge_walk *w, cpb_walk_job job) {
  if (!cpb_merge_tree_charge(w->tree)) return false;
  if (!CPB_RESERVE(&w->allocator, &w->later, &w->later_capacity, w->num_later + 1)) return no_memory(w);
  w->later[w->num_later++] = job;
  return true;
}

/* The entry with this key. It replaces an earlier one, as in a parser: anything merged into the earlier one is lost
 * with it, and its bytes may stay unchanged. */
static bool found_entry(cpb_merge_walk *w, uint32_t id, bool late) {
  cpb_walk_frame *frame = top(w);
  uint32_t patch = cpb_walk_new_patch(w, frame->range, frame->field_begin, frame->end, id);
  if (patch == CPB_NONE) return false;
  cpb_walk_clear(w, id);
  cpb_walk_set_live(w, id);
  target(w, id)->anchor = patch;
  frame->seeking_key = false;
  frame->target = CPB_NONE;
  if (late) return queue(w, (cpb_walk_job){frame->begin, frame->end, id, w->job.chunk});
  frame->target = id;
  frame->range = cpb_walk_new_range(w, w->job.chunk, frame->begin, frame->end);
  return frame->range != CPB_NONE && note_number(w, 1, frame->begin);
}

static bool found_key(cpb_merge_walk *w, uint8_t kind, uint64_t number, cpb_span text) {
  cpb_walk_frame *frame = top(w);
  uint32_t id = cpb_merge_tree_find(w->tree, frame->target, kind, number, text);
  if (id != CPB_NONE) return found_entry(w, id, frame->key_comes_late);
  frame->seeking_key = false;
  frame->target = CPB_NONE;
  return true;
}

/* An entry that ended without a key has its type's default. */
static bool leave_entry(cpb_merge_walk *w) {
  const cpb_span none = {NULL, 0};
  uint32_t holder = top(w)->target;
  uint32_t id = cpb_merge_tree_find(w->tree, holder, CPB_TAG_KEY_UINT64, 0, none);
  if (id == CPB_NONE) id = cpb_merge_tree_find(w->tree, holder, CPB_TAG_KEY_STRING, 0, none);
  bool left = id == CPB_NONE || found_entry(w, id, true);
  w->depth--;
  return left;
}

/* A field of an entry whose key is not yet known. */
static bool look_for_key(cpb_merge_walk *w) {
  const cpb_wire_field *f = &w->scanner.field;
  if (f->number != 1) {
    top(w)->key_comes_late = true;
    return true;
  }
  if (f->type == CPB_WIRE_VARINT) return found_key(w, CPB_TAG_KEY_UINT64, f->number_value, (cpb_span){NULL, 0});
  if (f->type == CPB_WIRE_LEN && f->size <= w->tree->max_key) {
    w->reading_key = true;
    w->key.size = 0;
    return cpb_buffer_reserve(&w->key, (size_t)f->size + 1) || no_memory(w);
  }
  top(w)->target = CPB_NONE;
  top(w)->seeking_key = false;
  return true;
}

/* Gathers the bytes of a string key. */
static cpb_have read_key(cpb_merge_walk *w) {
  const cpb_wire_field *f = &w->scanner.field;
  cpb_span in = w->in; /* its remaining bytes begin with the key */
  while (w->key.size < f->size) {
    if (in.size == 0) {
      w->in = in;
      cpb_have have = cpb_chunk_store_span(w->store, w->job.chunk, w->job.begin + f->value + w->key.size,
                                           f->size - w->key.size, &in);
      if (have != CPB_HAVE) return have;
    }
    size_t take = (size_t)cpb_min_u64(in.size, f->size - w->key.size);
    memcpy(w->key.data + w->key.size, in.data, take);
    w->key.size += take;
    in.data += take;
    in.size -= take;
  }
  w->reading_key = false;
  cpb_span key = {w->key.data, w->key.size};
  return found_key(w, CPB_TAG_KEY_STRING, 0, key) ? CPB_HAVE : CPB_FAILED;
}

/* --- Walking a job -------------------------------------------------------- */

bool cpb_walk_begin_job(cpb_merge_walk *w, cpb_walk_job job) {
  uint32_t range = cpb_walk_new_range(w, job.chunk, job.begin, job.end);
  if (range == CPB_NONE) return false;
  w->job = job;
  w->in = (cpb_span){NULL, 0};
  w->depth = 0;
  w->scanning = true;
  cpb_wire_begin(&w->scanner, &w->allocator, w->depth_limit, job.end - job.begin, &w->scan_error);
  return push(w, (cpb_walk_frame){.target = job.target, .range = range, .end = job.end});
}

static bool on_field(cpb_merge_walk *w) {
  const cpb_walk_frame *frame = top(w);
  const cpb_wire_field *f = &w->scanner.field;
  if (frame->seeking_key) return look_for_key(w);
  if (frame->target == CPB_NONE) return true;
  if (!note_number(w, f->number, w->job.begin + f->begin)) return false;
  if (target(w, frame->target)->form == CPB_FORM_LEAF) return true;
  uint32_t id = cpb_merge_tree_find(w->tree, frame->target, CPB_TAG_FIELD, f->number, (cpb_span){NULL, 0});
  return id == CPB_NONE || meet(w, id);
}

static bool end_job(cpb_merge_walk *w) {
  cpb_wire_free(&w->scanner);
  w->scanning = false;
  w->key.size = 0;
  return leave(w);
}

static cpb_have more(cpb_merge_walk *w) {
  uint64_t at = w->job.begin + w->scanner.pos;
  cpb_have have = cpb_chunk_store_span(w->store, w->job.chunk, at, w->job.end - at, &w->in);
  if (have != CPB_HAVE) return have;
  w->in.size = (size_t)cpb_min_u64(w->in.size, w->job.end - at);
  uint64_t position = cpb_chunk_store_position(w->store, w->job.chunk);
  return cpb_meter_charge(w->tree->meter, CPB_WORK_WALKED, w->in.size, position, w->error) ? CPB_HAVE : CPB_FAILED;
}

/* V8 compiles a function whose loop runs long once more, with optimization. The loop must be too long to become part of
 * cpb_merge_step(), whose compilation takes longer than the walk. */
#ifdef __wasm__
#  define IN_LOOP __attribute__((always_inline))
#  define LOOP __attribute__((noinline))
#else
#  define IN_LOOP
#  define LOOP
#endif

IN_LOOP static inline cpb_have one_event(cpb_merge_walk *w) {
  bool went = false;
  switch (cpb_wire_next(&w->scanner, &w->in)) {
    case CPB_WIRE_MORE: return more(w);
    case CPB_WIRE_FIELD: went = on_field(w); break;
    case CPB_WIRE_LEAVE: went = top(w)->seeking_key ? leave_entry(w) : leave(w); break;
    case CPB_WIRE_END: went = end_job(w); break;
    case CPB_WIRE_ERROR: fail_in_chunk(w, w->scan_error.code, w->scan_error.message); break;
  }
  return went ? CPB_HAVE : CPB_FAILED;
}

LOOP cpb_have cpb_walk_run_job(cpb_merge_walk *w) {
  cpb_have have = CPB_HAVE;
  while (w->scanning && have == CPB_HAVE) have = w->reading_key ? read_key(w) : one_event(w);
  if (have != CPB_AT_END) return have;
  fail_in_chunk(w, CPB_E_DAMAGED, "the record is shorter than its size in the index");
  return CPB_FAILED;
}
