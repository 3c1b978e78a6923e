/* Skips lost bytes, as the messages around them allow.
 *
 * The innermost entered message that is divisible (cpb_message_type) loses the field that contains the gap. That field
 * may be an entered message itself; it is then left out although its first fields were read. The scan continues after
 * the field if its end is known: if the field has a length, or if the gap consists of whole fields. Otherwise the
 * message loses its rest, and the next outer one continues.
 *
 * A group is not divisible, because only its last field shows where it ends. The outermost message always is. */
#include "base/checked.h"
#include "proto/outline_state.h"

static void note(cpb_outline *o) {
  cpb_range lost;
  cpb_error why;
  bool whole;
  if (o->num_gaps == CPB_OUTLINE_GAPS || !cpb_input_take_loss(&o->input, &lost, &whole, &why)) return;
  cpb_outline_gap gap = {.begin = lost.offset, .whole = whole};
  if (!cpb_add_u64(lost.offset, lost.length, &gap.end)) gap.end = UINT64_MAX;
  for (size_t i = 0; i < o->num_gaps; i++)
    if (o->gaps[i].begin > gap.begin) gap.end = cpb_min_u64(gap.end, o->gaps[i].begin);
  o->gaps[o->num_gaps++] = gap;
  if (o->damage.code == CPB_OK) o->damage = why;
}

static const cpb_outline_gap *find_gap(const cpb_outline *o, uint64_t offset) {
  for (size_t i = 0; i < o->num_gaps; i++)
    if (offset >= o->gaps[i].begin && offset < o->gaps[i].end) return &o->gaps[i];
  return NULL;
}

uint64_t cpb_outline_lost(const cpb_outline *o) {
  uint64_t lost = 0;
  for (size_t i = 0; i < o->num_gaps; i++) lost += o->gaps[i].end - o->gaps[i].begin;
  return lost;
}

uint32_t cpb_outline_lost_in(const cpb_outline *o, size_t level) { return level < 2 ? o->lost_in[level] : 0; }

/* --- Passing over a gap -------------------------------------------------------- */

/* Whether the entered message at `depth`, counted from outside, has a length, as the outermost one does. */
static bool has_length(const cpb_wire_scanner *s, size_t depth) {
  return depth == 0 || s->frames[depth - 1].field.type == CPB_WIRE_LEN;
}

static uint64_t end_of(const cpb_wire_scanner *s, size_t depth) {
  return depth == 0 ? s->size : s->frames[depth - 1].end;
}

static size_t innermost_divisible(const cpb_outline *o) {
  size_t depth = o->scanner.depth;
  while (depth > 0 && !(o->types[depth] && o->types[depth]->divisible && has_length(&o->scanner, depth))) depth--;
  return depth;
}

/* Notes the fields around the first loss, from outside. */
static void note_place(cpb_outline *o) {
  const cpb_wire_scanner *s = &o->scanner;
  if (o->placed) return;
  o->placed = true;
  for (size_t i = 0; i < 2 && i < s->depth; i++) o->lost_in[i] = s->frames[i].field.number;
  if (s->depth < 2 && o->state == CPB_OUTLINE_COPY) o->lost_in[s->depth] = s->field.number;
}

/* Where the message at `depth`, which contains the gap, continues. */
static uint64_t next_place(const cpb_outline *o, const cpb_outline_gap *gap, uint64_t offset, size_t depth) {
  const cpb_wire_scanner *s = &o->scanner;
  const uint64_t end = end_of(s, depth);
  const cpb_message_type *type = o->types[depth];
  if (type && type->divisible == CPB_DIVISIBLE_BEGINNING) return end;
  if (depth < s->depth) return has_length(s, depth + 1) ? end_of(s, depth + 1) : end;
  if (o->state == CPB_OUTLINE_COPY) return s->field.value + s->field.size;
  bool is_at_field = gap->whole && offset == gap->begin && s->partial_size == 0;
  return is_at_field ? cpb_min_u64(gap->end, end) : end;
}

static bool pass(cpb_outline *o, uint64_t offset) {
  const cpb_outline_gap *gap = find_gap(o, offset);
  if (!gap) return false;
  size_t depth = innermost_divisible(o);
  uint64_t next = next_place(o, gap, offset, depth);
  note_place(o);
  cpb_draft_drop(&o->draft, depth);
  cpb_wire_move(&o->scanner, depth, next);
  o->state = CPB_OUTLINE_WALK;
  return true;
}

/* --- Damage ---------------------------------------------------------------------- */

/* Takes a field off the front of a message, and its value if that has a length. False if it is damaged or a group. */
static bool take_field(cpb_span *message, uint64_t *tag, cpb_span *value) {
  const uint8_t *end = message->data + message->size, *at = cpb_varint_read(message->data, end, tag);
  uint64_t number, size = 0;
  if (!at || *tag >> 3 == 0 || *tag > UINT32_MAX) return false;
  switch ((cpb_wire_type)(*tag & 7)) {
    case CPB_WIRE_VARINT: at = cpb_varint_read(at, end, &number); break;
    case CPB_WIRE_LEN: at = cpb_varint_read(at, end, &size); break;
    case CPB_WIRE_FIXED64: size = 8; break;
    case CPB_WIRE_FIXED32: size = 4; break;
    default: return false;
  }
  if (!at || size > (uint64_t)(end - at)) return false;
  *value = (cpb_span){at, (size_t)size};
  *message = (cpb_span){at + size, (size_t)(end - at) - (size_t)size};
  return true;
}

static bool is_intact_value(const cpb_message_type *of, uint32_t number, cpb_span value, size_t levels) {
  uint64_t tag;
  const cpb_field *known = of ? cpb_message_find_number(of, number) : NULL;
  if (!known || known->type != CPB_TYPE_MESSAGE || levels == 0) return true;
  for (cpb_span rest = value; rest.size > 0;) {
    if (!take_field(&rest, &tag, &value)) return false;
    if ((tag & 7) == CPB_WIRE_LEN && !is_intact_value(known->message, (uint32_t)(tag >> 3), value, levels - 1))
      return false;
  }
  return true;
}

static bool is_intact(const cpb_outline *o) {
  const cpb_wire_scanner *s = &o->scanner;
  const size_t size = (size_t)s->field.size;
  const cpb_span value = {o->draft.bytes.data + o->draft.bytes.size - size, size};
  return is_intact_value(o->types[s->depth], s->field.number, value, o->meter.limits.depth - s->depth);
}

static bool pass_damage(cpb_outline *o) {
  const cpb_wire_scanner *s = &o->scanner;
  if (o->error.code != CPB_E_DAMAGED || end_of(s, s->depth) == s->size || o->num_gaps == CPB_OUTLINE_GAPS) return false;
  const size_t depth = innermost_divisible(o);
  const cpb_outline_gap gap = {.begin = s->field.begin, .end = next_place(o, &(cpb_outline_gap){0}, 0, depth)};
  note_place(o);
  if (o->damage.code == CPB_OK) {
    o->damage = o->error;
    if (o->damage.offset == CPB_NO_OFFSET) o->damage.offset = gap.begin;
  }
  o->error = (cpb_error){.offset = CPB_NO_OFFSET};
  o->gaps[o->num_gaps++] = gap;
  cpb_draft_drop(&o->draft, depth);
  cpb_wire_move(&o->scanner, depth, gap.end);
  return true;
}

void cpb_outline_keep_lost(cpb_outline *o) {
  static const cpb_outline_losses losses = {note, pass, pass_damage, is_intact};
  if (o->options.keep_damaged) o->losses = &losses;
}
