#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "proto/outline_state.h"

/* --- outline jumps ---------------------------------------------------------------------------- */

void cpb_outline_set_jumps(cpb_outline *o, const cpb_outline_jumps *jumps, void *context) {
  o->jumps = jumps;
  o->jumps_context = context;
}

static uint64_t message_end(const cpb_wire_scanner *s) {
  if (s->depth == 0) return s->size;
  return s->frames[s->depth - 1].field.type == CPB_WIRE_LEN ? s->frames[s->depth - 1].end : UINT64_MAX;
}

cpb_have cpb_outline_find_jump(cpb_outline *o, uint64_t *next) {
  const cpb_wire_scanner *s = &o->scanner;
  const cpb_outline_place place = {.input = &o->input,
                                   .error = &o->error,
                                   .is_damaged = o->damage.code != CPB_OK || o->num_gaps > 0,
                                   .depth = s->depth,
                                   .outermost = s->depth > 0 ? s->frames[0].field.number : 0,
                                   .number = s->field.number,
                                   .begin = s->field.begin,
                                   .message_end = message_end(s)};
  cpb_have have = o->jumps->find(o->jumps_context, &place, next);
  if (have == CPB_AT_END && o->losses) o->losses->note(o); /* the walk will reach the lost bytes as well */
  return have;
}

/* --- outline draft ---------------------------------------------------------------------------- */

void cpb_draft_init(cpb_draft *d, const cpb_allocator *a, uint64_t max_size, cpb_error *error) {
  memset(d, 0, sizeof *d);
  d->allocator = *a;
  d->error = error;
  d->max_size = max_size;
  cpb_buffer_init(&d->bytes, a);
}

static void free_notes(cpb_draft *d) {
  cpb_release(&d->allocator, d->lengths);
  cpb_release(&d->allocator, d->levels);
  d->lengths = NULL;
  d->levels = NULL;
}

void cpb_draft_free(cpb_draft *d) {
  free_notes(d);
  cpb_release(&d->allocator, d->omitted);
  cpb_release(&d->allocator, d->places);
  cpb_buffer_free(&d->bytes);
}

/* --- Room ----------------------------------------------------------------- */

/* Whether `more` bytes are within the limit. The bytes of lengths need not be counted, because the notes about them
 * take more. */
static bool has_room(cpb_draft *d, uint64_t more) {
  uint64_t used = d->bytes.size + (uint64_t)d->num_lengths * sizeof *d->lengths +
                  (uint64_t)d->num_omitted * sizeof *d->omitted + (uint64_t)d->num_places * sizeof *d->places;
  if (more <= d->max_size && used <= d->max_size - more) return true;
  return CPB_FAILS(
      d->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the outline exceeds the limit of %llu bytes: at least %llu are needed",
      (unsigned long long)d->max_size, (unsigned long long)(more > UINT64_MAX - used ? UINT64_MAX : used + more));
}

static bool done(cpb_draft *d, bool allocated) {
  if (!allocated) cpb_fail_memory(d->error);
  return allocated;
}

static bool note_length(cpb_draft *d) {
  if (!has_room(d, sizeof *d->lengths)) return false;
  if (!done(d, CPB_RESERVE(&d->allocator, &d->lengths, &d->lengths_capacity, d->num_lengths + 1))) return false;
  d->lengths[d->num_lengths++] = (cpb_draft_length){d->bytes.size, 0};
  return true;
}

/* Notes the place of the field whose value comes next. */
static bool note_place(cpb_draft *d, const cpb_wire_field *field) {
  if (!d->locate) return true;
  if (!has_room(d, sizeof *d->places)) return false;
  if (!done(d, CPB_RESERVE(&d->allocator, &d->places, &d->places_capacity, d->num_places + 1))) return false;
  d->places[d->num_places++] = (cpb_draft_place){d->bytes.size, {field->value, field->size}};
  return true;
}

static bool push(cpb_draft *d, uint32_t number, size_t length) {
  if (!done(d, CPB_RESERVE(&d->allocator, &d->levels, &d->levels_capacity, d->depth + 1))) return false;
  d->levels[d->depth++] = (cpb_draft_level){number, d->whole, length, 0};
  return true;
}

/* --- Writing -------------------------------------------------------------- */

static void begin_field(cpb_draft *d) {
  d->whole = d->bytes.size;
  d->half = true;
}

/* Ends the field, which is complete if `put`. */
static bool end_field(cpb_draft *d, bool put) {
  d->half = !put;
  return put;
}

static bool put(cpb_draft *d, cpb_span bytes) {
  return has_room(d, bytes.size) && done(d, cpb_buffer_append(&d->bytes, bytes.data, bytes.size));
}

static bool put_head(cpb_draft *d, const uint8_t *head, const uint8_t *end) {
  return put(d, (cpb_span){head, (size_t)(end - head)});
}

bool cpb_draft_put_number(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  begin_field(d);
  uint8_t *end = cpb_wire_put_tag(out, field->number, field->type);
  switch (field->type) {
    case CPB_WIRE_FIXED32:
      cpb_store32(end, (uint32_t)field->number_value);
      end += 4;
      break;
    case CPB_WIRE_FIXED64:
      cpb_store64(end, field->number_value);
      end += 8;
      break;
    default: end = cpb_varint_write(end, field->number_value); break;
  }
  return end_field(d, put_head(d, out, end));
}

bool cpb_draft_begin_value(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  begin_field(d);
  d->value_left = field->size;
  bool begun = has_room(d, field->size) && put_head(d, out, cpb_wire_put_len(out, field->number, field->size)) &&
               note_place(d, field);
  if (begun && field->size == 0) end_field(d, true);
  return begun;
}

bool cpb_draft_put(cpb_draft *d, cpb_span bytes) {
  if (!put(d, bytes)) return false;
  d->value_left -= bytes.size;
  if (d->value_left == 0) end_field(d, true);
  return true;
}

bool cpb_draft_omit(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  begin_field(d);
  if (!put_head(d, out, cpb_wire_put_len(out, field->number, 0)) || !has_room(d, sizeof *d->omitted)) return false;
  if (!done(d, CPB_RESERVE(&d->allocator, &d->omitted, &d->omitted_capacity, d->num_omitted + 1))) return false;
  d->omitted[d->num_omitted++] =
      (cpb_omitted){.offset = field->value, .size = field->size, .at = d->bytes.size, .number = field->number};
  return end_field(d, true);
}

bool cpb_draft_open(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  bool group = field->type == CPB_WIRE_START_GROUP;
  if (d->depth == 0 && !push(d, 0, SIZE_MAX)) return false;
  begin_field(d);
  if (!put_head(d, out, cpb_wire_put_tag(out, field->number, field->type))) return false;
  if (!group && !(note_length(d) && note_place(d, field))) return false;
  return end_field(d, push(d, field->number, group ? SIZE_MAX : d->num_lengths - 1));
}

static bool end_group(cpb_draft *d, uint32_t number) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  begin_field(d);
  return end_field(d, put_head(d, out, cpb_wire_put_tag(out, number, CPB_WIRE_END_GROUP)));
}

bool cpb_draft_close(cpb_draft *d) {
  const cpb_draft_level level = d->levels[d->depth - 1];
  size_t *inserted = &d->levels[d->depth - 2].inserted;
  if (level.length == SIZE_MAX && !end_group(d, level.number)) return false;
  d->depth--;
  *inserted += level.inserted;
  if (level.length == SIZE_MAX) return true;
  cpb_draft_length *length = &d->lengths[level.length];
  length->value = d->bytes.size - length->at + level.inserted;
  *inserted += cpb_varint_size(length->value);
  return true;
}

/* --- Cutting -------------------------------------------------------------- */

/* Removes everything written from `begin` on, where a field began. */
static void cut_off(cpb_draft *d, size_t begin) {
  d->bytes.size = begin;
  while (d->num_lengths > 0 && d->lengths[d->num_lengths - 1].at > begin) d->num_lengths--;
  while (d->num_omitted > 0 && d->omitted[d->num_omitted - 1].at > begin) d->num_omitted--;
  while (d->num_places > 0 && d->places[d->num_places - 1].at > begin) d->num_places--;
  d->half = false;
}

void cpb_draft_drop(cpb_draft *d, size_t depth) {
  if (d->half) cut_off(d, d->whole);
  if (d->depth <= depth + 1) return;
  cut_off(d, d->levels[depth + 1].begin);
  d->depth = depth + 1;
}

bool cpb_draft_cut(cpb_draft *d) {
  if (d->half) cut_off(d, d->whole);
  d->max_size = UINT64_MAX; /* end tags of groups are a few bytes more */
  while (d->depth > 1)
    if (!cpb_draft_close(d)) return false;
  return true;
}

/* --- Finishing ------------------------------------------------------------ */

/* From the last length to the first: moves the bytes after it to their final place, which is free by then, and writes
 * the length in front of them. */
static void put_lengths(cpb_draft *d, size_t inserted) {
  size_t from = d->bytes.size, omitted = d->num_omitted, places = d->num_places;
  for (size_t i = d->num_lengths; i-- > 0;) {
    const cpb_draft_length *length = &d->lengths[i];
    memmove(d->bytes.data + length->at + inserted, d->bytes.data + length->at, from - length->at);
    for (; omitted > 0 && d->omitted[omitted - 1].at > length->at; omitted--) d->omitted[omitted - 1].at += inserted;
    for (; places > 0 && d->places[places - 1].at >= length->at; places--) d->places[places - 1].at += inserted;
    from = length->at;
    inserted -= cpb_varint_size(length->value);
    cpb_varint_write(d->bytes.data + from + inserted, length->value);
  }
}

bool cpb_draft_finish(cpb_draft *d) {
  size_t inserted = d->depth > 0 ? d->levels[0].inserted : 0, size;
  if (!done(d, cpb_add_size(d->bytes.size, inserted, &size) && cpb_buffer_reserve(&d->bytes, size))) return false;
  if (inserted > 0) put_lengths(d, inserted);
  d->bytes.size = size;
  free_notes(d);
  return true;
}
