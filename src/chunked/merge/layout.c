#include "chunked/merge/merge_state.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/merge/walk_state.h"

/* Offsets fit in an int64_t, as protobuf's own do. */
#define SIZE_LIMIT ((uint64_t)INT64_MAX)

void cpb_merge_layout_init(cpb_merge_layout *layout, const cpb_allocator *a) {
  memset(layout, 0, sizeof *layout);
  layout->allocator = *a;
  cpb_buffer_init(&layout->literals, a);
}

void cpb_merge_layout_free(cpb_merge_layout *layout) {
  cpb_column_free(&layout->offsets, &layout->allocator);
  cpb_column_free(&layout->ats, &layout->allocator);
  cpb_column_free(&layout->chunks, &layout->allocator);
  cpb_buffer_free(&layout->literals);
}

static bool no_memory(cpb_merge_walk *w) { return cpb_fail_memory(w->error), false; }

/* --- What becomes of patches and inserts ---------------------------------- */

typedef enum { KEEP, DROP, REPLACE } patch_fate;

/* A target is written once: other occurrences of a joined message are dropped,
 * other entries of a map stay (the last one counts). */
static patch_fate fate_of(const cpb_merge_walk *w, uint32_t patch) {
  uint32_t target = cpb_walk_item(&w->patches.target, patch);
  if (target == CPB_NONE) return DROP;
  const cpb_target *t = &w->tree->targets[target];
  if (t->shadow) return patch < t->anchor ? DROP : KEEP;
  if (t->apart) return KEEP;
  if (t->anchor == patch) return REPLACE;
  return t->kind == CPB_TAG_FIELD ? DROP : KEEP;
}

static bool is_created(const cpb_target *t) { return t->anchor == CPB_NONE; }

/* The key of a created map entry. */
static uint64_t key_size(const cpb_target *t) {
  if (!is_created(t) || t->kind < CPB_TAG_KEY_STRING) return 0;
  if (t->kind == CPB_TAG_KEY_STRING) return cpb_wire_len_size(1, t->length) + t->length;
  return 1 + cpb_varint_size(t->value);
}

/* --- Sizes, from the leaves up -------------------------------------------- */

static uint64_t field_size(const cpb_merge_walk *w, uint32_t id) {
  uint64_t size = cpb_column_get(&w->sizes, id);
  if (w->tree->targets[id].bare) return size;
  return cpb_wire_len_size(cpb_target_number(w->tree, id), size) + size;
}

static bool add_size(cpb_merge_walk *w, uint64_t *sum, uint64_t size) {
  if (cpb_add_u64(*sum, size, sum) && *sum <= SIZE_LIMIT) return true;
  return CPB_FAILS(w->error, CPB_E_LIMIT, w->tree->position, "the merged message would be larger than 2^63 bytes");
}

static uint64_t range_size(const cpb_merge_walk *w, uint32_t range) { return cpb_column_get(&w->ranges.size, range); }

static bool add_range_size(cpb_merge_walk *w, uint32_t range, uint64_t *sum) {
  const cpb_patch_columns *patches = &w->patches;
  uint64_t kept = range_size(w, range);
  for (uint32_t p = cpb_walk_item(&w->ranges.first_patch, range); p != CPB_NONE; p = cpb_walk_item(&patches->next, p)) {
    patch_fate fate = fate_of(w, p);
    if (fate != KEEP) kept -= cpb_column_get(&patches->size, p);
    if (fate == REPLACE && !add_size(w, sum, field_size(w, cpb_walk_item(&patches->target, p)))) return false;
  }
  return add_size(w, sum, kept);
}

static bool add_insert_size(cpb_merge_walk *w, const cpb_insert *insert, uint64_t *sum) {
  switch (insert->kind) {
    case CPB_INSERT_RANGE: return add_range_size(w, insert->what, sum);
    case CPB_INSERT_VALUE: {
      uint64_t size = range_size(w, insert->what);
      return add_size(w, sum, size) && add_size(w, sum, cpb_wire_len_size(insert->number, size));
    }
    case CPB_INSERT_TARGET: break;
  }
  if (!is_created(&w->tree->targets[insert->what])) return true;
  return add_size(w, sum, field_size(w, insert->what));
}

static bool sum_target(cpb_merge_walk *w, const cpb_target *t, uint64_t *sum) {
  *sum = key_size(t);
  if (t->whole) return add_size(w, sum, cpb_walk_whole_size(w, t));
  for (uint32_t r = t->first_range; r != CPB_NONE; r = cpb_walk_item(&w->ranges.next, r))
    if (!add_range_size(w, r, sum)) return false;
  for (uint32_t i = cpb_target_more_of(w->tree, t)->first_insert; i != CPB_NONE; i = w->inserts[i].next)
    if (!add_insert_size(w, &w->inserts[i], sum)) return false;
  return true;
}

/* Children have higher numbers than their parents. */
static bool size_targets(cpb_merge_walk *w) {
  for (size_t i = w->tree->num_targets; i > 0; i--) {
    const cpb_target *t = &w->tree->targets[i - 1];
    uint64_t size;
    if (t->live && (!sum_target(w, t, &size) || !cpb_walk_set(w, &w->sizes, i - 1, size))) return false;
  }
  return true;
}

/* --- Inserts in order ----------------------------------------------------- */

static bool goes_before(const cpb_insert *a, const cpb_insert *b) {
  cpb_place p = cpb_insert_place(a), q = cpb_insert_place(b);
  return cpb_place_before(p, q) || (!cpb_place_before(q, p) && a->number < b->number);
}

/* Takes `count` inserts off the front of `*list` and returns them as a list. */
static uint32_t cut(cpb_insert *all, uint32_t *list, size_t count) {
  uint32_t front = *list;
  for (; count > 1 && *list != CPB_NONE; count--) *list = all[*list].next;
  if (*list == CPB_NONE) return front;
  uint32_t rest = all[*list].next;
  all[*list].next = CPB_NONE;
  *list = rest;
  return front;
}

/* Merges two sorted lists at `*tail` and returns the new tail. */
static uint32_t *merge(cpb_insert *all, uint32_t *tail, uint32_t a, uint32_t b) {
  while (a != CPB_NONE || b != CPB_NONE) {
    bool second = a == CPB_NONE || (b != CPB_NONE && goes_before(&all[b], &all[a]));
    uint32_t *from = second ? &b : &a;
    *tail = *from;
    tail = &all[*from].next;
    *from = *tail;
  }
  return tail;
}

static bool in_order(const cpb_insert *all, uint32_t list) {
  for (; list != CPB_NONE; list = all[list].next)
    if (all[list].next != CPB_NONE && goes_before(&all[all[list].next], &all[list])) return false;
  return true;
}

/* Sorts by place, then field number, then age. */
static void sort_inserts(cpb_insert *all, uint32_t *list) {
  for (size_t run = 1; !in_order(all, *list); run *= 2) {
    uint32_t rest = *list;
    uint32_t *tail = list;
    while (rest != CPB_NONE) {
      uint32_t a = cut(all, &rest, run);
      uint32_t b = cut(all, &rest, run);
      tail = merge(all, tail, a, b);
    }
    *tail = CPB_NONE;
  }
}

/* --- Pieces --------------------------------------------------------------- */

/* Where writing is in a target: in its ranges, patches and inserts. */
typedef struct {
  uint64_t offset;
  uint32_t target, range, patch, insert;
  bool only_range;
} cursor;

typedef struct {
  cpb_merge_layout *layout;
  cpb_merge_walk *walk;
  cpb_layout_segment last; /* if any */
  cursor *stack;
  size_t depth, capacity;
} writer;

static bool add_segment(cpb_merge_layout *layout, cpb_layout_segment segment) {
  const cpb_allocator *a = &layout->allocator;
  size_t i = layout->num_segments;
  if (!cpb_column_set(&layout->offsets, a, i, segment.offset) || !cpb_column_set(&layout->ats, a, i, segment.at) ||
      !cpb_column_set(&layout->chunks, a, i, (uint32_t)(segment.chunk + 1)))
    return false;
  layout->num_segments++;
  return true;
}

static bool put(writer *o, uint32_t chunk, uint64_t at, uint64_t length) {
  cpb_merge_layout *layout = o->layout;
  if (length == 0) return true;
  const cpb_layout_segment *last = &o->last;
  bool goes_on = layout->num_segments > 0 && last->chunk == chunk && last->at + (layout->size - last->offset) == at;
  if (!goes_on) {
    if (!cpb_merge_tree_charge(o->walk->tree)) return false;
    o->last = (cpb_layout_segment){layout->size, at, chunk};
    if (!add_segment(layout, o->last)) return no_memory(o->walk);
  }
  layout->size += length;
  return true;
}

static bool put_literal(writer *o, const void *data, size_t size) {
  size_t at = o->layout->literals.size;
  if (!cpb_buffer_append(&o->layout->literals, data, size)) return no_memory(o->walk);
  return put(o, CPB_LITERAL, at, size);
}

static bool put_header(writer *o, uint32_t number, uint64_t size) {
  uint8_t header[CPB_WIRE_HEADER_MAX];
  return put_literal(o, header, (size_t)(cpb_wire_put_len(header, number, size) - header));
}

static bool put_key(writer *o, const cpb_target *t) {
  if (key_size(t) == 0) return true;
  if (t->kind == CPB_TAG_KEY_STRING) {
    cpb_span key = cpb_target_key(o->walk->tree, t);
    return put_header(o, 1, key.size) && put_literal(o, key.data, key.size);
  }
  uint8_t key[CPB_WIRE_HEADER_MAX];
  uint8_t *end = cpb_varint_write(cpb_wire_put_tag(key, 1, CPB_WIRE_VARINT), t->value);
  return put_literal(o, key, (size_t)(end - key));
}

static void begin_range(const cpb_merge_walk *w, cursor *c, uint32_t range) {
  c->range = range;
  if (range == CPB_NONE) return;
  c->offset = cpb_column_get(&w->ranges.begin, range);
  c->patch = cpb_walk_item(&w->ranges.first_patch, range);
}

static bool push(writer *o, cursor c, uint32_t range) {
  if (!CPB_RESERVE(&o->layout->allocator, &o->stack, &o->capacity, o->depth + 1)) return no_memory(o->walk);
  begin_range(o->walk, &c, range);
  o->stack[o->depth++] = c;
  return true;
}

static bool write_target(writer *o, uint32_t id) {
  cpb_target *t = &o->walk->tree->targets[id];
  bool has_header = id != CPB_ROOT && !t->bare;
  if (has_header && !put_header(o, cpb_target_number(o->walk->tree, id), cpb_column_get(&o->walk->sizes, id)))
    return false;
  if (t->whole) return put_key(o, t) && put(o, t->first_range, 0, cpb_walk_whole_size(o->walk, t));
  cpb_target_more *more = &o->walk->tree->more[t->more];
  if (more->first_insert != CPB_NONE) sort_inserts(o->walk->inserts, &more->first_insert);
  return put_key(o, t) && push(o, (cursor){.target = id, .insert = more->first_insert}, t->first_range);
}

static bool write_insert(writer *o, const cpb_insert *insert) {
  switch (insert->kind) {
    case CPB_INSERT_RANGE: return push(o, (cursor){.insert = CPB_NONE, .only_range = true}, insert->what);
    case CPB_INSERT_VALUE: {
      const cpb_walk_range range = cpb_walk_get_range(o->walk, insert->what);
      uint64_t size = range.end - range.begin;
      return put_header(o, insert->number, size) && put(o, range.chunk, range.begin, size);
    }
    case CPB_INSERT_TARGET: break;
  }
  return !is_created(&o->walk->tree->targets[insert->what]) || write_target(o, insert->what);
}

/* Copies up to the next patch or insert. */
static bool write_range(writer *o, cursor *c) {
  const cpb_merge_walk *w = o->walk;
  const cpb_walk_range range = cpb_walk_get_range(w, c->range);
  uint64_t end = range.end;
  if (c->patch != CPB_NONE) end = cpb_min_u64(end, cpb_column_get(&w->patches.begin, c->patch));
  if (c->insert != CPB_NONE && w->inserts[c->insert].range == c->range + 1)
    end = cpb_min_u64(end, w->inserts[c->insert].offset);
  uint64_t begin = c->offset;
  c->offset = end;
  return put(o, range.chunk, begin, end - begin);
}

static bool write_patch(writer *o, cursor *c) {
  const cpb_patch patch = cpb_walk_get_patch(o->walk, c->patch);
  patch_fate fate = fate_of(o->walk, c->patch);
  c->patch = patch.next;
  c->offset = patch.end;
  if (fate == REPLACE) return write_target(o, patch.target);
  uint32_t chunk = cpb_walk_item(&o->walk->ranges.chunk, c->range);
  return fate == DROP || put(o, chunk, patch.begin, patch.end - patch.begin);
}

static bool insert_is_due(const cpb_merge_walk *w, const cursor *c) {
  if (c->insert == CPB_NONE) return false;
  cpb_place here = {c->offset, c->range + 1};
  return c->range == CPB_NONE || !cpb_place_before(here, cpb_insert_place(&w->inserts[c->insert]));
}

static bool write_step(writer *o) {
  cursor *c = &o->stack[o->depth - 1];
  const cpb_merge_walk *w = o->walk;
  if (insert_is_due(w, c)) {
    const cpb_insert *insert = &w->inserts[c->insert];
    c->insert = insert->next;
    return write_insert(o, insert);
  }
  if (c->range == CPB_NONE) {
    o->depth--;
    return true;
  }
  if (c->patch != CPB_NONE && c->offset == cpb_column_get(&w->patches.begin, c->patch)) return write_patch(o, c);
  if (c->offset < cpb_walk_get_range(w, c->range).end) return write_range(o, c);
  begin_range(w, c, c->only_range ? CPB_NONE : cpb_walk_item(&w->ranges.next, c->range));
  return true;
}

bool cpb_merge_layout_build(cpb_merge_layout *layout, cpb_merge_walk *walk) {
  writer o = {.layout = layout, .walk = walk};
  cpb_buffer_free(&layout->literals);
  layout->literals = walk->literals; /* which its ranges point into */
  cpb_buffer_init(&walk->literals, &walk->allocator);
  bool done = size_targets(walk) && write_target(&o, CPB_ROOT);
  while (done && o.depth > 0) done = write_step(&o);
  cpb_release(&layout->allocator, o.stack);
  return done;
}
