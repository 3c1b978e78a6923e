#include "chunked/split/plan.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

void cpb_plan_init(cpb_plan *p, cpb_meter *meter, cpb_error *error) {
  memset(p, 0, sizeof *p);
  p->allocator = cpb_meter_allocator(meter);
  p->meter = meter;
  p->error = error;
  p->max_chunks = cpb_min_u64(meter->limits.chunks, CPB_PLAN_NONE);
  cpb_buffer_init(&p->text, &p->allocator);
  cpb_buffer_init(&p->path_text, &p->allocator);
}

static void free_frames(cpb_plan *p) {
  cpb_release(&p->allocator, p->frames);
  cpb_release(&p->allocator, p->path);
  cpb_buffer_free(&p->path_text);
  p->frames = NULL;
  p->path = NULL;
  p->depth = p->frames_capacity = p->num_path = p->path_capacity = 0;
}

void cpb_plan_free(cpb_plan *p) {
  free_frames(p);
  cpb_release(&p->allocator, p->edits);
  cpb_release(&p->allocator, p->chunks);
  cpb_release(&p->allocator, p->tags);
  cpb_buffer_free(&p->text);
}

/* --- Growing arrays ------------------------------------------------------- */

/* CPB_RESERVE() with the plan's error. */
#define RESERVE(p, items, capacity, count) \
  (CPB_RESERVE(&(p)->allocator, items, capacity, count) || (cpb_fail_memory((p)->error), false))

static bool charge(cpb_plan *p, size_t entries) {
  return cpb_meter_charge(p->meter, CPB_WORK_ENTRIES, entries, CPB_NO_OFFSET, p->error);
}

static cpb_plan_edit *add_edit(cpb_plan *p) {
  if (!charge(p, 1) || !RESERVE(p, &p->edits, &p->edits_capacity, p->num_edits + 1)) return NULL;
  return &p->edits[p->num_edits++];
}

static cpb_plan_chunk *add_chunk(cpb_plan *p) {
  if (p->num_chunks >= p->max_chunks) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the split needs more chunks than the limit of %llu",
             (unsigned long long)p->max_chunks);
    return NULL;
  }
  if (!charge(p, 1) || !RESERVE(p, &p->chunks, &p->chunks_capacity, p->num_chunks + 1)) return NULL;
  cpb_plan_chunk *chunk = &p->chunks[p->num_chunks++];
  memset(chunk, 0, sizeof *chunk);
  return chunk;
}

static cpb_plan_frame *add_frame(cpb_plan *p) {
  if (!RESERVE(p, &p->frames, &p->frames_capacity, p->depth + 1)) return NULL;
  cpb_plan_frame *frame = &p->frames[p->depth++];
  memset(frame, 0, sizeof *frame);
  return frame;
}

/* --- Field tags ----------------------------------------------------------- */

static bool append_tags(cpb_plan *p, const cpb_tag *tags, size_t count, const uint8_t *keys) {
  if (!charge(p, count) || !RESERVE(p, &p->tags, &p->tags_capacity, p->num_tags + count)) return false;
  for (size_t i = 0; i < count; i++) {
    cpb_tag tag = tags[i];
    if (tag.kind == CPB_TAG_KEY_STRING) {
      size_t begin = p->text.size;
      if (!cpb_buffer_append(&p->text, keys + tag.value, tag.length)) return cpb_fail_memory(p->error), false;
      tag.value = begin;
    }
    p->tags[p->num_tags++] = tag;
  }
  return true;
}

static bool push_path(cpb_plan *p, const cpb_plan_place *place) {
  if (!RESERVE(p, &p->path, &p->path_capacity, p->num_path + place->num_tags)) return false;
  for (uint32_t i = 0; i < place->num_tags; i++) {
    cpb_tag tag = place->tags[i];
    if (tag.kind == CPB_TAG_KEY_STRING) tag.value = p->path_text.size;
    p->path[p->num_path++] = tag;
  }
  if (place->key.size > 0 && !cpb_buffer_append(&p->path_text, place->key.data, place->key.size))
    return cpb_fail_memory(p->error), false;
  return true;
}

/* --- Chunks --------------------------------------------------------------- */

/* The innermost frame at or outside `depth` that is a chunk. */
static size_t owner_of(const cpb_plan *p, size_t depth) {
  while (p->frames[depth].chunk == CPB_PLAN_NONE) depth--;
  return depth;
}

static uint32_t tags_between(const cpb_plan *p, size_t owner, size_t depth) {
  uint32_t count = 0;
  while (depth > owner) count += p->frames[depth--].num_tags;
  return count;
}

/* Appends the field tag of the frame at `depth`, relative to that of `owner`. */
static bool append_path(cpb_plan *p, size_t owner, size_t depth) {
  uint32_t count = tags_between(p, owner, depth);
  if (count == 0) return true;
  size_t begin = p->num_path - tags_between(p, owner, p->depth - 1);
  return append_tags(p, p->path + begin, count, p->path_text.data);
}

/* Moves chunks that were planned inside the frame to the frame's own chunk. */
static void adopt(cpb_plan *p, const cpb_plan_frame *f, uint32_t old_owner, uint32_t prefix) {
  for (size_t i = f->first_chunk; i < f->chunk; i++) {
    cpb_plan_chunk *chunk = &p->chunks[i];
    if (chunk->owner != old_owner || chunk->num_tags == 0) continue;
    chunk->owner = f->chunk;
    chunk->first_tag += prefix;
    chunk->num_tags -= prefix;
  }
}

/* Turns the frame at `depth` into a chunk. */
static bool promote(cpb_plan *p, size_t depth) {
  size_t owner = owner_of(p, depth);
  cpb_plan_frame *f = &p->frames[depth];
  uint32_t num_tags = tags_between(p, owner, depth);
  size_t first_tag = p->num_tags;
  if (!append_path(p, owner, depth)) return false;
  cpb_plan_chunk *chunk = add_chunk(p);
  if (!chunk) return false;
  *chunk = (cpb_plan_chunk){.begin = f->field.value,
                            .end = f->field.value + f->field.size,
                            .first_edit = f->edit + 1,
                            .first_tag = first_tag,
                            .num_tags = num_tags,
                            .owner = p->frames[owner].chunk,
                            .order = f->order};
  f->chunk = f->slice = (uint32_t)(p->num_chunks - 1);
  p->edits[f->edit].next = chunk->end;
  adopt(p, f, chunk->owner, num_tags);
  return true;
}

/* Ends the slice that the frame fills before `begin`, and begins the next one. */
static bool cut(cpb_plan *p, cpb_plan_frame *f, uint64_t begin, size_t edit) {
  cpb_plan_chunk *next = add_chunk(p);
  if (!next) return false;
  cpb_plan_chunk *full = &p->chunks[f->slice];
  *next = (cpb_plan_chunk){.begin = begin, .end = full->end, .first_edit = edit, .owner = f->chunk, .order = f->order};
  full->end = begin;
  full->size = f->kept;
  f->slice = (uint32_t)(p->num_chunks - 1);
  f->kept = 0;
  return true;
}

static uint64_t header_size(const cpb_wire_field *field) { return field->value - field->begin; }

/* The innermost frame that would be too large with `size` more bytes, or p->depth if all have room. */
static size_t overflowing(const cpb_plan *p, uint64_t size) {
  uint64_t held = size;
  for (size_t depth = p->depth; depth-- > 0;) {
    const cpb_plan_frame *f = &p->frames[depth];
    bool in_place = f->chunk == CPB_PLAN_NONE;
    held += f->kept;
    if (in_place && held > f->keep_max) return depth;
    /* There must be something to cut off. */
    if (!in_place) return held > f->slice_max && f->kept > 0 ? depth : p->depth;
    held += header_size(&f->field);
  }
  return p->depth;
}

/* Makes room for `size` bytes from `begin` on, which will be added to the innermost frame. */
static bool make_room(cpb_plan *p, uint64_t begin, uint64_t size) {
  for (;;) {
    size_t depth = overflowing(p, size);
    if (depth == p->depth) return true;
    cpb_plan_frame *f = &p->frames[depth];
    bool innermost = depth + 1 == p->depth;
    bool done = f->chunk == CPB_PLAN_NONE ? promote(p, depth)
                : innermost               ? cut(p, f, begin, p->num_edits)
                                          : cut(p, f, f[1].field.begin, f[1].edit);
    if (!done) return false;
  }
}

/* --- What the walk says --------------------------------------------------- */

bool cpb_plan_begin(cpb_plan *p, uint64_t size, uint64_t slice_max) {
  p->num_edits = p->num_chunks = p->num_tags = p->depth = p->num_path = 0;
  p->text.size = p->path_text.size = 0;
  cpb_plan_frame *root = add_frame(p);
  if (!root) return false;
  cpb_plan_chunk *chunk = add_chunk(p);
  if (!chunk) return false;
  root->field.size = chunk->end = size;
  root->slice_max = slice_max;
  return true;
}

bool cpb_plan_enter(cpb_plan *p, const cpb_plan_place *place, uint64_t keep_max, uint64_t slice_max, int32_t order) {
  const cpb_wire_field *field = &place->field;
  if (!make_room(p, field->begin, header_size(field))) return false;
  size_t text_begin = p->path_text.size;
  if (!push_path(p, place)) return false;
  cpb_plan_edit *edit = add_edit(p);
  if (!edit) return false;
  *edit = (cpb_plan_edit){field->begin, field->value, 0, p->num_edits, field->number};
  cpb_plan_frame *frame = add_frame(p);
  if (!frame) return false;
  *frame = (cpb_plan_frame){.field = *field,
                            .edit = p->num_edits - 1,
                            .chunk = CPB_PLAN_NONE,
                            .slice = CPB_PLAN_NONE,
                            .first_chunk = (uint32_t)p->num_chunks,
                            .num_tags = place->num_tags,
                            .keep_max = keep_max,
                            .slice_max = slice_max,
                            .text_begin = text_begin,
                            .order = order};
  return true;
}

bool cpb_plan_move(cpb_plan *p) { return p->frames[p->depth - 1].chunk != CPB_PLAN_NONE || promote(p, p->depth - 1); }

/* An entered message with parent `parent` ends: returns the size that remains in the parent. */
static uint64_t settle(cpb_plan *p, const cpb_plan_frame *f) {
  cpb_plan_edit *edit = &p->edits[f->edit];
  if (f->chunk != CPB_PLAN_NONE) {
    p->chunks[f->slice].size = f->kept;
    edit->after = p->num_edits;
    return cpb_wire_len_size(edit->number, 0);
  }
  if (p->num_edits == f->edit + 1) { /* nothing was moved out of the message */
    p->num_edits--;
    return header_size(&f->field) + f->field.size;
  }
  edit->size = f->kept;
  return cpb_wire_len_size(edit->number, f->kept) + f->kept;
}

bool cpb_plan_leave(cpb_plan *p) {
  const cpb_plan_frame *f = &p->frames[--p->depth];
  if (p->depth == 0) {
    p->chunks[f->slice].size = f->kept;
    return true;
  }
  p->frames[p->depth - 1].kept += settle(p, f);
  p->num_path -= f->num_tags;
  p->path_text.size = f->text_begin;
  return true;
}

bool cpb_plan_keep(cpb_plan *p, uint64_t begin, uint64_t size) {
  if (!make_room(p, begin, size)) return false;
  p->frames[p->depth - 1].kept += size;
  return true;
}

bool cpb_plan_move_bytes(cpb_plan *p, const cpb_plan_place *place, int32_t order) {
  const cpb_wire_field *field = &place->field;
  uint64_t left = cpb_wire_len_size(field->number, 0);
  if (!cpb_plan_keep(p, field->begin, left)) return false;
  size_t owner = owner_of(p, p->depth - 1);
  size_t first_tag = p->num_tags;
  if (!append_path(p, owner, p->depth - 1) || !append_tags(p, place->tags, place->num_tags, place->key.data))
    return false;
  cpb_plan_edit *edit = add_edit(p);
  cpb_plan_chunk *chunk = edit ? add_chunk(p) : NULL;
  if (!chunk) return false;
  uint64_t end = field->value + field->size;
  *edit = (cpb_plan_edit){field->begin, end, 0, p->num_edits, field->number};
  *chunk = (cpb_plan_chunk){.begin = field->value,
                            .end = end,
                            .size = field->size,
                            .first_edit = p->num_edits,
                            .first_tag = first_tag,
                            .num_tags = (uint32_t)(p->num_tags - first_tag),
                            .owner = p->frames[owner].chunk,
                            .order = order,
                            .is_bytes = true};
  return true;
}

/* --- The result ----------------------------------------------------------- */

static bool is_ordered(const cpb_plan *p) {
  for (size_t i = 1; i < p->num_chunks; i++)
    if (p->chunks[i].order != 0) return true;
  return false;
}

/* The lowest order above `last` among the chunks after the root's first; false after the last. */
static bool next_order(const cpb_plan *p, int64_t last, int64_t *order) {
  bool found = false;
  for (size_t i = 1; i < p->num_chunks; i++) {
    int64_t o = p->chunks[i].order;
    if (o > last && (!found || o < *order)) *order = o, found = true;
  }
  return found;
}

/* rank[i] is the place of chunk i in the file. There are only a few different orders. */
static void rank_chunks(const cpb_plan *p, uint32_t *rank) {
  uint32_t next = 0;
  rank[0] = next++;
  for (int64_t order = INT64_MIN; next_order(p, order, &order);) {
    for (size_t i = 1; i < p->num_chunks; i++)
      if (p->chunks[i].order == order) rank[i] = next++;
  }
}

static bool put_in_order(cpb_plan *p) {
  uint32_t *rank = cpb_alloc(&p->allocator, p->num_chunks * sizeof *rank);
  cpb_plan_chunk *chunks = cpb_alloc(&p->allocator, p->num_chunks * sizeof *chunks);
  bool done = rank && chunks;
  if (done) {
    rank_chunks(p, rank);
    for (size_t i = 0; i < p->num_chunks; i++) {
      chunks[rank[i]] = p->chunks[i];
      chunks[rank[i]].owner = rank[p->chunks[i].owner];
    }
    memcpy(p->chunks, chunks, p->num_chunks * sizeof *chunks);
  } else {
    cpb_fail_memory(p->error);
  }
  cpb_release(&p->allocator, rank);
  cpb_release(&p->allocator, chunks);
  return done;
}

bool cpb_plan_finish(cpb_plan *p) {
  free_frames(p);
  return !is_ordered(p) || put_in_order(p);
}
