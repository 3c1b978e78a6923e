/* The first pass over the input: finds the fields that may be cut.
 *
 * Invariants. Between calls, that is after CPB_STEP_NEED, the plan knows every field before the current one and nothing
 * of the current one. While `pending`, the current field has been scanned, and the bytes for the decision are being
 * gathered in `peek` or `key_bytes`; once `looked_up`, it has been counted in `seen`, and is not counted again. The
 * frames are the messages, map entries and groups that the scanner is in; the plan has the same ones, except for
 * groups. `in` belongs to the host, and is empty after CPB_STEP_NEED.
 *
 * A cut can turn out wrong later (plan.h says how). The walk then starts over, at byte 0 and with an empty plan, and
 * does not cut that field again.
 *
 * It terminates: the scanner only moves forward, and each restart adds to `avoid`. When `avoid` is full, the walk no
 * longer enters or cuts anything, so nothing can turn out wrong: it reads the input at most CPB_SPLIT_WALK_AVOID_MAX +
 * 1 times.
 *
 * Memory: frames up to the depth limits; in `seen` one item for each field number of the open messages and one for each
 * map entry that was cut; the plan; and one key and one peek of the input's bytes. The meter bounds all of it. */
#include "chunked/split/walk.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

#define READ_SURE 16384 /* the walk certainly uses this much of each requested range */

typedef enum { GO_ON, WAIT, RESTART, FAIL } outcome;

void cpb_split_walk_init(cpb_split_walk *w, cpb_plan *plan, const cpb_split_rules *rules, cpb_error *error) {
  memset(w, 0, sizeof *w);
  w->allocator = plan->allocator;
  w->meter = plan->meter;
  w->error = error;
  w->plan = plan;
  w->rules = rules;
  w->size = CPB_NO_OFFSET;
  w->scanner.allocator = &w->allocator;
  cpb_seen_init(&w->seen, &w->allocator);
}

void cpb_split_walk_free(cpb_split_walk *w) {
  cpb_wire_free(&w->scanner);
  cpb_seen_free(&w->seen);
  cpb_release(&w->allocator, w->frames);
  w->frames = NULL;
}

static outcome out_of_memory(cpb_split_walk *w) { return cpb_fail_memory(w->error), FAIL; }

static outcome planned(bool done) { return done ? GO_ON : FAIL; }

static uint64_t field_end(const cpb_wire_field *f) { return f->value + f->size; }

/* Charges for `size` bytes of the current field. */
static outcome charge(cpb_split_walk *w, uint64_t size) {
  return planned(cpb_meter_charge(w->meter, CPB_WORK_WALKED, size, w->scanner.field.begin, w->error));
}

/* --- Frames --------------------------------------------------------------- */

static cpb_split_walk_frame *top(cpb_split_walk *w) { return &w->frames[w->depth - 1]; }

static cpb_split_walk_frame *push(cpb_split_walk *w, cpb_split_walk_kind kind) {
  if (!CPB_RESERVE(&w->allocator, &w->frames, &w->frames_capacity, w->depth + 1))
    return cpb_fail_memory(w->error), NULL;
  cpb_split_walk_frame *frame = &w->frames[w->depth++];
  memset(frame, 0, sizeof *frame);
  frame->kind = kind;
  frame->field = w->scanner.field;
  frame->edits = w->plan->num_edits;
  frame->seen = w->seen.num_fields;
  return frame;
}

static uint64_t slice_max(const cpb_message_type *type, uint64_t wanted) {
  return cpb_split_requires(type) ? UINT64_MAX : wanted;
}

static outcome begin(cpb_split_walk *w) {
  cpb_wire_free(&w->scanner);
  cpb_wire_begin(&w->scanner, &w->allocator, w->meter->limits.depth, w->size, w->error);
  cpb_seen_clear(&w->seen);
  w->in = (cpb_span){NULL, 0};
  w->depth = 0;
  w->pending = false;
  cpb_split_walk_frame *root = push(w, CPB_SPLIT_WALK_MESSAGE);
  if (!root) return FAIL;
  root->type = w->type;
  return planned(cpb_plan_begin(w->plan, w->size, slice_max(w->type, w->rules->max_chunk_size)));
}

/* Starts over, because the field that begins at `cut` should not have been cut. */
static outcome start_anew(cpb_split_walk *w, uint64_t cut) {
  if (w->num_avoid < CPB_SPLIT_WALK_AVOID_MAX) w->avoid[w->num_avoid++] = cut;
  return RESTART;
}

static bool may_cut(const cpb_split_walk *w, const cpb_wire_field *f) {
  if (w->depth >= CPB_SPLIT_WALK_DEPTH_MAX || w->depth >= w->meter->limits.depth) return false;
  if (w->num_avoid == CPB_SPLIT_WALK_AVOID_MAX) return false;
  for (size_t i = 0; i < w->num_avoid; i++)
    if (w->avoid[i] == f->begin) return false;
  return true;
}

/* --- Bytes that it takes to decide ----------------------------------------- */

static outcome gather(cpb_split_walk *w, cpb_input *input, size_t length, uint8_t *out) {
  switch (cpb_input_gather(input, w->scanner.field.value, length, out, &w->have)) {
    case CPB_HAVE: return charge(w, length);
    case CPB_WAIT: w->in = (cpb_span){NULL, 0}; return WAIT;
    case CPB_AT_END:
      cpb_fail(w->error, CPB_E_TRUNCATED, w->scanner.field.value + w->have,
               "the input ends inside a field; expected %llu bytes, the size that was given",
               (unsigned long long)w->size);
      return FAIL;
    case CPB_FAILED: break;
  }
  *w->error = input->failure;
  return FAIL;
}

/* --- Deciding ------------------------------------------------------------- */

/* The type of the message with the current field, or with the map whose value has it. */
static const cpb_message_type *parent_type(const cpb_split_walk *w) {
  size_t entry = w->frames[w->depth - 1].kind == CPB_SPLIT_WALK_ENTRY;
  return w->frames[w->depth - 1 - entry].type;
}

static uint32_t field_number(const cpb_split_walk *w) {
  const cpb_split_walk_frame *frame = &w->frames[w->depth - 1];
  return frame->kind == CPB_SPLIT_WALK_ENTRY ? frame->field.number : w->scanner.field.number;
}

static cpb_split_field describe(const cpb_split_walk *w) {
  const cpb_wire_field *f = &w->scanner.field;
  bool is_bytes = w->facts.kind == CPB_FACT_BYTES;
  return (cpb_split_field){.message_type = parent_type(w)->name,
                           .name = w->facts.name,
                           .type = is_bytes ? NULL : w->facts.type->name,
                           .key = w->facts.kind == CPB_FACT_MAP ? (const char *)w->key_bytes : NULL,
                           .index = w->index,
                           .size = f->size,
                           .offset = f->value,
                           .number = field_number(w),
                           .kind = is_bytes ? CPB_SPLIT_BYTES : CPB_SPLIT_MESSAGE,
                           .max_chunk_size = w->rules->max_chunk_size,
                           .inline_max = w->rules->inline_max,
                           .data = w->peek,
                           .data_size = w->have};
}

static outcome decide(cpb_split_walk *w, cpb_input *input) {
  do {
    if (w->decision.peek > w->have) {
      outcome o = gather(w, input, w->decision.peek, w->peek);
      if (o != GO_ON) return o;
    }
    cpb_split_field field = describe(w);
    cpb_split_decide(w->rules, &field, &w->decision);
  } while (w->decision.peek > w->have);
  return GO_ON;
}

static cpb_plan_place place_of(const cpb_split_walk *w) {
  cpb_plan_place place = {.field = w->scanner.field, .num_tags = 1};
  place.tags[0] = (cpb_tag){.kind = CPB_TAG_FIELD, .value = field_number(w)};
  if (w->facts.kind == CPB_FACT_MAP) {
    place.num_tags = 2;
    place.tags[1] = w->key_tag;
    if (w->key_tag.kind == CPB_TAG_KEY_STRING) place.key = (cpb_span){w->key_bytes, w->key_tag.length};
  } else if (w->facts.repeated) {
    place.num_tags = 2;
    place.tags[1] = (cpb_tag){.kind = CPB_TAG_INDEX, .value = w->index};
  }
  return place;
}

/* --- Acting --------------------------------------------------------------- */

static outcome keep(cpb_split_walk *w) {
  const cpb_wire_field *f = &w->scanner.field;
  if (f->type != CPB_WIRE_START_GROUP) return planned(cpb_plan_keep(w->plan, f->begin, field_end(f) - f->begin));
  return planned(push(w, CPB_SPLIT_WALK_GROUP) != NULL && cpb_wire_enter(&w->scanner));
}

static outcome enter(cpb_split_walk *w) {
  cpb_plan_place place = place_of(w);
  cpb_split_walk_frame *frame = push(w, CPB_SPLIT_WALK_MESSAGE);
  if (!frame) return FAIL;
  frame->type = w->facts.type;
  const cpb_split_decision *d = &w->decision;
  bool fixed = cpb_split_requires(frame->type);
  bool done = cpb_plan_enter(w->plan, &place, fixed ? UINT64_MAX : d->keep, slice_max(frame->type, d->slice), d->order);
  if (done && d->action == CPB_SPLIT_MOVE && !fixed) done = cpb_plan_move(w->plan);
  return planned(done && cpb_wire_enter(&w->scanner));
}

static outcome move_bytes(cpb_split_walk *w) {
  cpb_plan_place place = place_of(w);
  if (!cpb_plan_move_bytes(w->plan, &place, w->decision.order)) return FAIL;
  cpb_seen_field *seen = cpb_seen_get(&w->seen, top(w)->seen, place.field.number, w->facts.oneof);
  if (!seen) return out_of_memory(w);
  seen->cut = place.field.begin;
  return GO_ON;
}

static outcome decide_and_act(cpb_split_walk *w, cpb_input *input) {
  outcome o = decide(w, input);
  if (o != GO_ON) return o;
  bool is_bytes = w->facts.kind == CPB_FACT_BYTES;
  switch (w->decision.action) {
    case CPB_SPLIT_DEFAULT:
    case CPB_SPLIT_KEEP: break;
    case CPB_SPLIT_ENTER: return is_bytes ? keep(w) : enter(w);
    case CPB_SPLIT_MOVE: return is_bytes ? move_bytes(w) : enter(w);
  }
  return keep(w);
}

/* --- Fields of a message -------------------------------------------------- */

/* A field whose wire type differs from its declaration. A parser treats it as unknown, but a merger without the schema
 * counts it among the others, so indices would be off by one. Therefore nothing is cut from its message. */
static outcome on_stray(cpb_split_walk *w) {
  if (w->depth > 1) return start_anew(w, top(w)->field.begin);
  if (w->num_avoid == CPB_SPLIT_WALK_AVOID_MAX) return GO_ON;
  w->num_avoid = CPB_SPLIT_WALK_AVOID_MAX;
  return RESTART;
}

static outcome look_up(cpb_split_walk *w) {
  const cpb_wire_field *f = &w->scanner.field;
  cpb_split_walk_frame *frame = top(w);
  cpb_split_facts *facts = &w->facts;
  *facts = cpb_split_facts_of(frame->type, f->number);
  if (f->type != CPB_WIRE_LEN && facts->kind != CPB_FACT_OTHER) {
    outcome o = on_stray(w);
    if (o != GO_ON) return o;
  }
  if (f->type != CPB_WIRE_LEN) facts->kind = CPB_FACT_OTHER;
  bool singular = facts->kind != CPB_FACT_OTHER && !facts->repeated;
  if (singular || facts->oneof >= 0) {
    uint64_t cut = cpb_seen_conflict(&w->seen, frame->seen, f->number, facts->oneof);
    if (cut != CPB_NO_OFFSET) return start_anew(w, cut);
  }
  /* The last member of a oneof counts, and slices do not keep the order of different members. */
  if (facts->oneof >= 0 && w->depth > 1 && cpb_seen_rival(&w->seen, frame->seen, f->number, facts->oneof))
    return start_anew(w, frame->field.begin);
  if (facts->kind == CPB_FACT_OTHER && facts->oneof < 0) return GO_ON;
  cpb_seen_field *seen = cpb_seen_get(&w->seen, frame->seen, f->number, facts->oneof);
  if (!seen) return out_of_memory(w);
  w->index = facts->repeated ? seen->count : 0;
  bool again = singular && seen->count > 0;
  seen->count++;
  if (again || !may_cut(w, f)) facts->kind = CPB_FACT_OTHER;
  return GO_ON;
}

static uint64_t map_hash(const cpb_split_walk *w, const cpb_split_walk_frame *entry, const void *key, size_t size) {
  const cpb_split_walk_frame *parent = &w->frames[w->depth - 2];
  uint64_t map[2] = {parent->field.begin, entry->field.number};
  return cpb_seen_hash(cpb_seen_hash(0, map, sizeof map), key, size);
}

static uint64_t number_hash(const cpb_split_walk *w, const cpb_split_walk_frame *entry, uint64_t key) {
  return map_hash(w, entry, &key, sizeof key);
}

static outcome enter_entry(cpb_split_walk *w) {
  cpb_plan_place place = {.field = w->scanner.field};
  cpb_split_walk_frame *entry = push(w, CPB_SPLIT_WALK_ENTRY);
  if (!entry) return FAIL;
  entry->facts = w->facts;
  bool text = w->facts.key == CPB_TAG_KEY_STRING; /* a missing key is "" or 0 */
  entry->key = text ? map_hash(w, entry, NULL, 0) : number_hash(w, entry, 0);
  return planned(cpb_plan_enter(w->plan, &place, UINT64_MAX, UINT64_MAX, 0) && cpb_wire_enter(&w->scanner));
}

static outcome on_message_field(cpb_split_walk *w, cpb_input *input) {
  if (!w->looked_up) {
    outcome o = look_up(w);
    if (o != GO_ON) return o;
    w->looked_up = true;
  }
  if (w->facts.kind == CPB_FACT_OTHER) return keep(w);
  if (w->facts.kind == CPB_FACT_MAP) return enter_entry(w);
  return decide_and_act(w, input);
}

/* --- Fields of a map entry ------------------------------------------------ */

/* TensorFlow's merger stores keys as int, so it would not find larger ones. */
static bool number_key(cpb_split_walk *w, cpb_tag_kind kind, uint64_t raw) {
  int64_t value = (int64_t)raw;
  char *text = (char *)w->key_bytes;
  bool is_signed = kind == CPB_TAG_KEY_INT32 || kind == CPB_TAG_KEY_INT64;
  w->key_tag = (cpb_tag){.kind = kind, .value = raw};
  if (kind == CPB_TAG_KEY_BOOL) cpb_format(text, sizeof w->key_bytes, "%s", raw != 0 ? "true" : "false");
  else if (is_signed) cpb_format(text, sizeof w->key_bytes, "%d", (int)value);
  else cpb_format(text, sizeof w->key_bytes, "%u", (unsigned)raw);
  return is_signed ? value >= INT32_MIN && value <= INT32_MAX : raw <= INT32_MAX;
}

static uint64_t normal_key(cpb_tag_kind kind, uint64_t raw) {
  if (kind == CPB_TAG_KEY_BOOL) return raw != 0;
  if (kind == CPB_TAG_KEY_INT32) return (uint64_t)(int64_t)(int32_t)(uint32_t)raw;
  if (kind == CPB_TAG_KEY_UINT32) return (uint32_t)raw;
  return raw;
}

static outcome string_key(cpb_split_walk *w, cpb_input *input, bool *usable) {
  const cpb_wire_field *f = &w->scanner.field;
  cpb_split_walk_frame *entry = top(w);
  *usable = f->size <= CPB_SPLIT_WALK_KEY_MAX;
  entry->key = 0; /* the key of an uncut entry is not needed */
  if (!*usable) return GO_ON;
  size_t size = (size_t)f->size;
  outcome o = size > 0 ? gather(w, input, size, w->key_bytes) : GO_ON;
  if (o != GO_ON) return o;
  w->key_bytes[size] = 0;
  w->key_tag = (cpb_tag){.kind = CPB_TAG_KEY_STRING, .length = (uint32_t)size};
  entry->key = map_hash(w, entry, w->key_bytes, size);
  return GO_ON;
}

static outcome on_key(cpb_split_walk *w, cpb_input *input) {
  const cpb_wire_field *f = &w->scanner.field;
  cpb_split_walk_frame *entry = top(w);
  cpb_tag_kind kind = entry->facts.key;
  bool usable = false;
  if (kind == CPB_TAG_KEY_STRING && f->type == CPB_WIRE_LEN) {
    outcome o = string_key(w, input, &usable);
    if (o != GO_ON) return o;
  } else if (kind != 0 && f->type == CPB_WIRE_VARINT) {
    uint64_t key = normal_key(kind, f->number_value);
    usable = number_key(w, kind, key);
    entry->key = number_hash(w, entry, key);
  }
  entry->has_key = usable && entry->num_fields == 0;
  entry->num_fields++;
  return keep(w);
}

static outcome on_entry_field(cpb_split_walk *w, cpb_input *input) {
  const cpb_wire_field *f = &w->scanner.field;
  cpb_split_walk_frame *entry = top(w);
  if (f->number == 1) return on_key(w, input);
  bool is_value = f->number == 2 && f->type == CPB_WIRE_LEN;
  bool is_last = field_end(f) == field_end(&entry->field);
  if (is_value && is_last && entry->has_key && entry->num_fields == 1 && may_cut(w, f)) {
    w->facts = entry->facts;
    return decide_and_act(w, input);
  }
  entry->num_fields++;
  return keep(w);
}

/* --- Leaving -------------------------------------------------------------- */

static outcome leave_entry(cpb_split_walk *w, const cpb_split_walk_frame *entry, bool cut) {
  uint64_t earlier = entry->key != 0 ? cpb_seen_key_find(&w->seen, entry->key) : CPB_NO_OFFSET;
  if (earlier != CPB_NO_OFFSET) return start_anew(w, earlier);
  if (cut && !cpb_seen_key_add(&w->seen, entry->key, entry->field.begin)) return out_of_memory(w);
  return GO_ON;
}

static outcome leave_message(cpb_split_walk *w, const cpb_split_walk_frame *frame, bool cut) {
  w->seen.num_fields = frame->seen;
  const cpb_split_walk_frame *parent = top(w);
  if (!cut || parent->kind != CPB_SPLIT_WALK_MESSAGE) return GO_ON;
  cpb_seen_field *seen = cpb_seen_get(&w->seen, parent->seen, frame->field.number, -1);
  if (!seen) return out_of_memory(w);
  seen->cut = frame->field.begin;
  return GO_ON;
}

static outcome on_leave(cpb_split_walk *w) {
  cpb_split_walk_frame frame = w->frames[--w->depth];
  if (frame.kind == CPB_SPLIT_WALK_GROUP)
    return planned(cpb_plan_keep(w->plan, frame.field.begin, w->scanner.pos - frame.field.begin));
  cpb_plan_leave(w->plan);
  bool cut = w->plan->num_edits > frame.edits;
  return frame.kind == CPB_SPLIT_WALK_ENTRY ? leave_entry(w, &frame, cut) : leave_message(w, &frame, cut);
}

/* --- Walking -------------------------------------------------------------- */

static outcome on_field(cpb_split_walk *w, cpb_input *input) {
  switch (top(w)->kind) {
    case CPB_SPLIT_WALK_MESSAGE: return on_message_field(w, input);
    case CPB_SPLIT_WALK_ENTRY: return on_entry_field(w, input);
    case CPB_SPLIT_WALK_GROUP: break;
  }
  return GO_ON;
}

static outcome feed(cpb_split_walk *w, cpb_input *input) {
  uint64_t pos = w->scanner.pos, left = w->size - pos;
  size_t sure = (size_t)cpb_min_u64(left, READ_SURE);
  switch (cpb_input_span(input, pos, sure, cpb_min_u64(left, w->read_size), &w->in)) {
    case CPB_HAVE:
      if (pos == 0) w->records = cpb_begins_with_records(w->in);
      return GO_ON;
    case CPB_WAIT: return WAIT;
    case CPB_AT_END:
      cpb_fail(w->error, CPB_E_TRUNCATED, pos, "the input ends early; expected %llu bytes, the size that was given",
               (unsigned long long)w->size);
      return FAIL;
    case CPB_FAILED: break;
  }
  *w->error = input->failure;
  return FAIL;
}

static outcome take_up(cpb_split_walk *w) {
  w->pending = true;
  w->looked_up = false;
  w->have = 0;
  w->index = 0;
  memset(&w->decision, 0, sizeof w->decision);
  return charge(w, cpb_wire_walked(&w->scanner));
}

/* Continues to the next event; sets `*ended` after the root's last. */
static outcome advance(cpb_split_walk *w, cpb_input *input, bool *ended) {
  if (!w->pending) {
    switch (cpb_wire_next(&w->scanner, &w->in)) {
      case CPB_WIRE_ERROR: return FAIL;
      case CPB_WIRE_MORE: return feed(w, input);
      case CPB_WIRE_LEAVE: return on_leave(w);
      case CPB_WIRE_FIELD:
        if (take_up(w) == FAIL) return FAIL;
        break;
      case CPB_WIRE_END:
        *ended = true;
        cpb_plan_leave(w->plan);
        return planned(charge(w, cpb_wire_walked(&w->scanner)) == GO_ON && cpb_plan_finish(w->plan));
    }
  }
  outcome o = on_field(w, input);
  if (o == GO_ON) w->pending = false;
  return o;
}

static outcome begin_with_size(cpb_split_walk *w, cpb_input *input) {
  uint64_t size;
  switch (cpb_input_size(input, 1, &size)) {
    case CPB_HAVE: w->size = size; return begin(w);
    case CPB_FAILED: *w->error = input->failure; return FAIL;
    default: return WAIT;
  }
}

cpb_step cpb_split_walk_step(cpb_split_walk *w, cpb_input *input) {
  bool ended = false;
  outcome o = w->size == CPB_NO_OFFSET ? begin_with_size(w, input) : GO_ON;
  while (!ended && (o == GO_ON || o == RESTART)) o = o == RESTART ? begin(w) : advance(w, input, &ended);
  if (o == FAIL && w->records && w->error->code == CPB_E_DAMAGED) {
    cpb_error_begin(w->error, NULL);
    cpb_fail(w->error, CPB_E_FORMAT, 0,
             "a .cpb file, or another file of Riegeli records; expected a message. "
             "A .cpb file is repacked or merged");
  }
  if (o == FAIL) return CPB_STEP_ERROR;
  return o == WAIT ? CPB_STEP_NEED : CPB_STEP_DONE;
}
