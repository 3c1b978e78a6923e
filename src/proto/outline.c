/* The outline engine: scans the message, or a sequence of ranges as if they were one message, and writes a draft
 * (outline_state.h) of the parts that are kept.
 *
 * Invariants. Between steps the draft has every field before the scanner's position, and nothing of the current one
 * except in CPB_OUTLINE_COPY, when it has the tag and length and `kept` is the rest of the value. The scanner and the
 * draft are at the same depth, and types[d] is the type of the message at depth d, or NULL if unknown: in such a
 * message no value longer than max_value is entered. No lent bytes are kept: the values that stay are copied into the
 * draft.
 *
 * Lost parts of the input (outline_loss.c) are skipped, so the draft has nothing of them.
 *
 * Each byte of the input is read at most once, and values that are left out not at all. Memory: the draft, at most
 * max_size bytes, with an entry for each value left out, and a type for each depth. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "proto/outline_state.h"

#define MAX_VALUE 1024
#define MAX_SIZE ((uint64_t)64 << 20)

/* --- Creation ------------------------------------------------------------- */

/* The host need not give the size of the input if ranges are outlined. */
static void grow_meter(cpb_outline *o, const cpb_range *ranges, size_t count) {
  uint64_t size = 0;
  for (size_t i = 0; i < count; i++)
    if (!cpb_add_u64(size, ranges[i].length, &size)) size = UINT64_MAX;
  cpb_meter_grow(&o->meter, size);
}

static bool copy_ranges(cpb_outline *o, const cpb_range *ranges, size_t count) {
  size_t size;
  o->state = count > 0 ? CPB_OUTLINE_WALK : CPB_OUTLINE_SIZE;
  o->num_ranges = count > 0 ? count : 1;
  if (!cpb_mul_size(o->num_ranges, sizeof *ranges, &size)) return false;
  o->ranges = cpb_alloc_zeroed(&o->allocator, size);
  if (o->ranges && count > 0) memcpy(o->ranges, ranges, size);
  grow_meter(o, ranges, count);
  return o->ranges != NULL;
}

static bool begin_types(cpb_outline *o, const cpb_message_type *type) {
  if (!CPB_RESERVE(&o->allocator, &o->types, &o->types_capacity, 1)) return false;
  o->types[0] = type;
  return true;
}

cpb_outline *cpb_outline_new(const cpb_allocator *given, const cpb_message_type *type, const cpb_range *ranges,
                             size_t num_ranges, const cpb_outline_options *options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_outline *o = cpb_alloc_zeroed(&a, sizeof *o);
  if (!o) return NULL;
  o->outer = a;
  cpb_options_copy(&o->options, sizeof o->options, options);
  if (o->options.max_value == 0) o->options.max_value = MAX_VALUE;
  if (o->options.max_size == 0) o->options.max_size = MAX_SIZE;
  o->error.offset = CPB_NO_OFFSET;
  cpb_input_init(&o->input);
  cpb_meter_init(&o->meter, &a, o->options.limits, &o->input);
  o->allocator = cpb_meter_allocator(&o->meter);
  cpb_wire_feed_begin(&o->feed, &o->input);
  if (o->options.read_ahead > 0) o->feed.least = o->feed.ahead = o->options.read_ahead;
  cpb_draft_init(&o->draft, &o->allocator, o->options.max_size, &o->error);
  o->draft.locate = o->options.locate != 0;
  if (copy_ranges(o, ranges, num_ranges) && begin_types(o, type)) return o;
  cpb_outline_free(o);
  return NULL;
}

void cpb_outline_free(cpb_outline *o) {
  if (!o) return;
  cpb_allocator a = o->outer;
  if (o->scanning) cpb_wire_free(&o->scanner);
  cpb_draft_free(&o->draft);
  cpb_release(&o->allocator, o->types);
  cpb_release(&o->allocator, o->ranges);
  cpb_meter_free(&o->meter);
  cpb_release(&a, o);
}

cpb_input *cpb_outline_input(cpb_outline *o) { return &o->input; }
const cpb_error *cpb_outline_error(const cpb_outline *o) { return &o->error; }

const uint8_t *cpb_outline_message(const cpb_outline *o, size_t *size) {
  *size = o->draft.bytes.size;
  return o->draft.bytes.data;
}

const cpb_omitted *cpb_outline_omitted(const cpb_outline *o, size_t *count) {
  *count = o->draft.num_omitted;
  return o->draft.omitted;
}

cpb_range cpb_outline_locate(const cpb_outline *o, size_t at, size_t size) {
  const cpb_draft_place *places = o->draft.places;
  size_t low = 0, high = o->draft.num_places;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places[middle].at <= at) low = middle + 1;
    else high = middle;
  }
  if (low == 0) return (cpb_range){CPB_NO_OFFSET, size};
  const cpb_draft_place *place = &places[low - 1];
  if (place->at == at) return place->from;
  return (cpb_range){place->from.offset + (at - place->at), size};
}

/* Charges for `size` bytes of the input, from `offset` on. */
static bool charge(cpb_outline *o, uint64_t size, uint64_t offset) {
  return cpb_meter_charge(&o->meter, CPB_WORK_WALKED, size, offset, &o->error);
}

/* --- Fields --------------------------------------------------------------- */

/* The type of a submessage or group; NULL if the type of its message lacks the field. */
static const cpb_message_type *type_of(const cpb_outline *o, const cpb_wire_field *field) {
  const cpb_message_type *parent = o->types[o->scanner.depth];
  const cpb_field *known = parent ? cpb_message_find_number(parent, field->number) : NULL;
  if (!known) return NULL;
  bool group = known->type == CPB_TYPE_GROUP;
  return group == (field->type == CPB_WIRE_START_GROUP) ? known->message : NULL;
}

/* Whether a value of any length is kept: the key of a map, and with keep_known all fields in the type. */
static bool is_wanted(const cpb_outline *o, const cpb_wire_field *field) {
  const cpb_message_type *parent = o->types[o->scanner.depth];
  if (!parent) return false;
  if (parent->map_entry && field->number == 1) return true;
  const cpb_field *known = o->options.keep_known ? cpb_message_find_number(parent, field->number) : NULL;
  return known && !known->message;
}

static bool enter(cpb_outline *o, const cpb_wire_field *field, const cpb_message_type *type) {
  if (!cpb_wire_enter(&o->scanner) || !cpb_draft_open(&o->draft, field)) return false;
  if (!CPB_RESERVE(&o->allocator, &o->types, &o->types_capacity, o->scanner.depth + 1))
    return cpb_fail_memory(&o->error), false;
  o->types[o->scanner.depth] = type;
  return true;
}

static bool keep(cpb_outline *o, const cpb_wire_field *field) {
  o->kept = (cpb_range){field->value, field->size};
  o->state = CPB_OUTLINE_COPY;
  return charge(o, field->size, field->value) && cpb_draft_begin_value(&o->draft, field);
}

static bool on_value(cpb_outline *o, const cpb_wire_field *field) {
  if (field->size <= o->options.max_value || is_wanted(o, field)) return keep(o, field);
  const cpb_message_type *type = o->scanner.depth < o->meter.limits.depth ? type_of(o, field) : NULL;
  return type ? enter(o, field, type) : cpb_draft_omit(&o->draft, field);
}

/* Notes the full size, which the outermost field gives. */
static void note_cut_off(cpb_outline *o, const cpb_wire_field *field, uint64_t end) {
  cpb_fail(&o->damage, CPB_E_TRUNCATED, end, "the message ends here, %llu bytes too early",
           (unsigned long long)(field->size - (end - field->value)));
}

/* With keep_damaged: the scanner has rejected a field that extends beyond the end of the input. In a truncated file
 * this happens at each level. The available part of a message is entered, and the available part of a large value is
 * left out as if it were complete; the error is kept for the end. A short value's field is left out of the outline,
 * because its beginning is useless. */
static bool enter_cut_off(cpb_outline *o) {
  cpb_wire_scanner *s = &o->scanner;
  cpb_wire_field *field = &s->field;
  uint64_t end = s->depth > 0 ? s->frames[s->depth - 1].end : s->size;
  bool is_cut_off = o->options.keep_damaged && o->error.code == CPB_E_DAMAGED && s->value_open &&
                    field->type == CPB_WIRE_LEN && end == s->size && field->size > end - field->value;
  const cpb_message_type *type = is_cut_off && s->depth < o->meter.limits.depth ? type_of(o, field) : NULL;
  if (!type && (!is_cut_off || is_wanted(o, field) || field->size <= o->options.max_value)) return false;
  if (o->damage.code == CPB_OK) note_cut_off(o, field, end);
  o->error = (cpb_error){.offset = CPB_NO_OFFSET};
  field->size = end - field->value;
  const cpb_wire_field what_is_there = *field;
  return type ? enter(o, &what_is_there, type) : cpb_draft_omit(&o->draft, &what_is_there);
}

static bool on_field(cpb_outline *o) {
  const cpb_wire_field field = o->scanner.field;
  if (!charge(o, cpb_wire_walked(&o->scanner), field.begin)) return false;
  switch (field.type) {
    case CPB_WIRE_LEN: return on_value(o, &field);
    case CPB_WIRE_START_GROUP: return enter(o, &field, type_of(o, &field));
    default: return cpb_draft_put_number(&o->draft, &field);
  }
}

/* --- The walk ------------------------------------------------------------- */

static bool pass_damage(cpb_outline *o) { return o->losses && o->losses->pass_damage(o); }

static uint64_t left_of_range(const cpb_outline *o, uint64_t offset) { return o->scanner.size - offset; }

/* Skips lost bytes; after that the walk continues in another place. */
static bool pass_gap(cpb_outline *o, uint64_t offset) { return o->losses && o->losses->pass(o, offset); }

/* A short message was copied whole. If it is damaged, the copy is taken back, as half a field would be, and the message
 * is entered like a long one, to find the place. */
static cpb_have end_copy(cpb_outline *o) {
  const cpb_wire_field field = o->scanner.field;
  o->state = CPB_OUTLINE_WALK;
  if (!o->losses || o->losses->is_intact(o)) return CPB_HAVE;
  o->draft.half = true;
  cpb_draft_drop(&o->draft, o->scanner.depth);
  return enter(o, &field, type_of(o, &field)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have copy(cpb_outline *o) {
  while (o->kept.length > 0) {
    cpb_span span;
    uint64_t at = o->kept.offset;
    if (pass_gap(o, at)) return CPB_HAVE;
    cpb_have have = cpb_wire_feed_next(&o->feed, at, o->kept.length, left_of_range(o, at), &span);
    if (have != CPB_HAVE) return have;
    span.size = (size_t)cpb_min_u64(span.size, o->kept.length);
    if (!cpb_draft_put(&o->draft, span)) return CPB_FAILED;
    o->kept.offset += span.size;
    o->kept.length -= span.size;
  }
  return end_copy(o);
}

static cpb_have open_range(cpb_outline *o) {
  const cpb_range *range = &o->ranges[o->range];
  uint64_t end;
  if (!cpb_add_u64(range->offset, range->length, &end))
    return cpb_fail(&o->error, CPB_E_USAGE, CPB_NO_OFFSET, "range %zu exceeds 2^64", o->range), CPB_FAILED;
  cpb_wire_begin(&o->scanner, &o->allocator, o->meter.limits.depth, end, &o->error);
  o->scanner.pos = range->offset;
  o->scanning = true;
  return CPB_HAVE;
}

/* The scanner does not notice if the input ends inside a last value that was skipped. */
static cpb_have close_range(cpb_outline *o) {
  if (o->scanner.size > o->input.size) return CPB_AT_END;
  cpb_wire_free(&o->scanner);
  o->scanning = false;
  o->range++;
  return charge(o, cpb_wire_walked(&o->scanner), o->scanner.pos) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have finish(cpb_outline *o) {
  o->state = CPB_OUTLINE_DONE;
  if (o->damage.code != CPB_OK) return CPB_FAILED;
  return cpb_draft_finish(&o->draft) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have jump(cpb_outline *o) {
  uint64_t next;
  cpb_have have = cpb_outline_find_jump(o, &next);
  if (have == CPB_WAIT || have == CPB_FAILED) return have;
  o->state = CPB_OUTLINE_WALK;
  if (have == CPB_AT_END) return on_field(o) ? CPB_HAVE : CPB_FAILED;
  cpb_wire_move(&o->scanner, o->scanner.depth, next);
  return CPB_HAVE;
}

/* Begins the field now, unless something else must come first. */
static cpb_have begin_field(cpb_outline *o) {
  if (!o->jumps || o->scanner.field.type != CPB_WIRE_LEN) return on_field(o) ? CPB_HAVE : CPB_FAILED;
  o->state = CPB_OUTLINE_JUMP;
  return CPB_HAVE;
}

/* Walks one more field. */
static cpb_have walk(cpb_outline *o) {
  if (!o->scanning) return o->range < o->num_ranges ? open_range(o) : finish(o);
  cpb_span span = {NULL, 0};
  cpb_wire_event event = cpb_wire_next(&o->scanner, &span);
  if (event == CPB_WIRE_MORE) {
    uint64_t pos = o->scanner.pos;
    if (pass_gap(o, pos)) return CPB_HAVE;
    cpb_have have = cpb_wire_feed_next(&o->feed, pos, 1, left_of_range(o, pos), &span);
    if (have != CPB_HAVE) return have;
    event = cpb_wire_next(&o->scanner, &span);
  }
  switch (event) {
    case CPB_WIRE_FIELD: return begin_field(o);
    case CPB_WIRE_LEAVE: return cpb_draft_close(&o->draft) ? CPB_HAVE : CPB_FAILED;
    case CPB_WIRE_END: return close_range(o);
    case CPB_WIRE_MORE: return CPB_HAVE;
    case CPB_WIRE_ERROR: return enter_cut_off(o) || pass_damage(o) ? CPB_HAVE : CPB_FAILED;
  }
  return CPB_FAILED;
}

/* --- Steps ---------------------------------------------------------------- */

static cpb_have find_size(cpb_outline *o) {
  cpb_have have = cpb_input_size(&o->input, 0, &o->ranges[0].length);
  if (have == CPB_HAVE) o->state = CPB_OUTLINE_WALK;
  return have;
}

static cpb_have act(cpb_outline *o) {
  switch (o->state) {
    case CPB_OUTLINE_SIZE: return find_size(o);
    case CPB_OUTLINE_WALK: return walk(o);
    case CPB_OUTLINE_JUMP: return jump(o);
    case CPB_OUTLINE_COPY: return copy(o);
    case CPB_OUTLINE_DONE: break;
  }
  return CPB_HAVE;
}

/* With keep_damaged: makes an outline of everything before the error. */
static void salvage(cpb_outline *o) {
  const cpb_error error = o->error;
  bool damaged = error.code == CPB_E_DAMAGED || error.code == CPB_E_TRUNCATED || error.code == CPB_E_LIMIT;
  if (!o->options.keep_damaged || !damaged) return;
  if (cpb_draft_cut(&o->draft) && cpb_draft_finish(&o->draft)) {
    o->error = error;
  } else {
    cpb_draft_free(&o->draft);
    cpb_draft_init(&o->draft, &o->allocator, 0, &o->error);
  }
}

/* The message about a loss gives its place: an offset in the message cannot. */
static bool is_wrong_in_message(const cpb_outline *o) {
  return o->options.keep_damaged && o->error.code == CPB_E_DAMAGED && o->error.offset == CPB_NO_OFFSET &&
         o->num_gaps == 0 && o->input.failure.code == CPB_OK;
}

static cpb_step fail(cpb_outline *o, cpb_have have) {
  cpb_input_let_go(&o->input);
  if (o->error.code == CPB_OK) o->error = o->input.failure;
  if (o->damage.code != CPB_OK && (o->error.code == CPB_OK || o->error.code == CPB_E_DAMAGED)) o->error = o->damage;
  if (have == CPB_AT_END)
    cpb_fail(&o->error, CPB_E_TRUNCATED, o->input.size, "the input ends within a field of the message");
  else if (is_wrong_in_message(o)) o->error.offset = o->scanner.field.begin;
  cpb_meter_explain(&o->meter, &o->error);
  salvage(o);
  return CPB_STEP_ERROR;
}

cpb_step cpb_outline_step(cpb_outline *o) {
  if (o->error.code != CPB_OK) return CPB_STEP_ERROR;
  cpb_meter_update(&o->meter);
  if (o->losses) o->losses->note(o);
  while (o->state != CPB_OUTLINE_DONE) {
    cpb_have have = act(o);
    if (have == CPB_WAIT) return CPB_STEP_NEED;
    if (have != CPB_HAVE) return fail(o, have);
  }
  cpb_input_let_go(&o->input);
  return CPB_STEP_DONE;
}
