#include "proto/outline_draft.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

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
  cpb_buffer_free(&d->bytes);
}

/* --- Room ----------------------------------------------------------------- */

/* Whether `more` bytes may be had. What is noted of a length has more bytes than
 * the length, so those are counted. */
static bool has_room(cpb_draft *d, uint64_t more) {
  uint64_t used = d->bytes.size + (uint64_t)d->num_lengths * sizeof *d->lengths +
                  (uint64_t)d->num_omitted * sizeof *d->omitted;
  if (more <= d->max_size && used <= d->max_size - more) return true;
  cpb_fail(d->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the outline is larger than the limit of %llu bytes",
           (unsigned long long)d->max_size);
  return false;
}

static bool done(cpb_draft *d, bool allocated) {
  if (!allocated) cpb_fail_memory(d->error);
  return allocated;
}

static bool note_length(cpb_draft *d) {
  void *list = d->lengths;
  if (!has_room(d, sizeof *d->lengths)) return false;
  if (!done(d, cpb_reserve(&d->allocator, &list, &d->lengths_capacity, d->num_lengths + 1, sizeof *d->lengths)))
    return false;
  d->lengths = list;
  d->lengths[d->num_lengths++] = (cpb_draft_length){d->bytes.size, 0};
  return true;
}

static bool push(cpb_draft *d, size_t length) {
  void *list = d->levels;
  if (!done(d, cpb_reserve(&d->allocator, &list, &d->levels_capacity, d->depth + 1, sizeof *d->levels)))
    return false;
  d->levels = list;
  d->levels[d->depth++] = (cpb_draft_level){length, 0};
  return true;
}

/* --- Writing -------------------------------------------------------------- */

bool cpb_draft_put(cpb_draft *d, cpb_span bytes) {
  return has_room(d, bytes.size) && done(d, cpb_buffer_append(&d->bytes, bytes.data, bytes.size));
}

static bool put_head(cpb_draft *d, const uint8_t *head, const uint8_t *end) {
  return cpb_draft_put(d, (cpb_span){head, (size_t)(end - head)});
}

bool cpb_draft_put_number(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  uint8_t *end = cpb_wire_put_tag(out, field->number, field->type);
  switch (field->type) {
    case CPB_WIRE_FIXED32: cpb_store32(end, (uint32_t)field->number_value); end += 4; break;
    case CPB_WIRE_FIXED64: cpb_store64(end, field->number_value); end += 8; break;
    default: end = cpb_varint_write(end, field->number_value); break;
  }
  return put_head(d, out, end);
}

bool cpb_draft_begin_value(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  return has_room(d, field->size) && put_head(d, out, cpb_wire_put_len(out, field->number, field->size));
}

bool cpb_draft_omit(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  void *list = d->omitted;
  if (!put_head(d, out, cpb_wire_put_len(out, field->number, 0)) || !has_room(d, sizeof *d->omitted)) return false;
  if (!done(d, cpb_reserve(&d->allocator, &list, &d->omitted_capacity, d->num_omitted + 1, sizeof *d->omitted)))
    return false;
  d->omitted = list;
  d->omitted[d->num_omitted++] =
      (cpb_omitted){.offset = field->value, .size = field->size, .at = d->bytes.size, .number = field->number};
  return true;
}

bool cpb_draft_open(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  bool group = field->type == CPB_WIRE_START_GROUP;
  if (d->depth == 0 && !push(d, SIZE_MAX)) return false;
  if (!put_head(d, out, cpb_wire_put_tag(out, field->number, field->type))) return false;
  if (!group && !note_length(d)) return false;
  return push(d, group ? SIZE_MAX : d->num_lengths - 1);
}

bool cpb_draft_close(cpb_draft *d, const cpb_wire_field *field) {
  uint8_t out[CPB_WIRE_HEADER_MAX];
  const cpb_draft_level level = d->levels[--d->depth];
  size_t *inserted = &d->levels[d->depth - 1].inserted;
  *inserted += level.inserted;
  if (level.length == SIZE_MAX) return put_head(d, out, cpb_wire_put_tag(out, field->number, CPB_WIRE_END_GROUP));
  cpb_draft_length *length = &d->lengths[level.length];
  length->value = d->bytes.size - length->at + level.inserted;
  *inserted += cpb_varint_size(length->value);
  return true;
}

/* --- Finishing ------------------------------------------------------------ */

/* From the last length to the first: what follows it moves to where it will be,
 * which is free by then, and the length is written in front. */
static void put_lengths(cpb_draft *d, size_t inserted) {
  size_t from = d->bytes.size, omitted = d->num_omitted;
  for (size_t i = d->num_lengths; i-- > 0;) {
    const cpb_draft_length *length = &d->lengths[i];
    memmove(d->bytes.data + length->at + inserted, d->bytes.data + length->at, from - length->at);
    for (; omitted > 0 && d->omitted[omitted - 1].at > length->at; omitted--) d->omitted[omitted - 1].at += inserted;
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
