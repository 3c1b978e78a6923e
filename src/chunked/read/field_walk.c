#include "chunked/read/field.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/read/pager.h"

static const cpb_field_part *part_at(const cpb_field_reader *r) { return &r->parts[r->part]; }

static bool is_last(const cpb_field_reader *r) { return r->level + 1 == r->num_steps; }

static bool is_element(const cpb_field_step *step) { return step->subscript && !step->map; }

/* Its element was found: no other bytes matter. */
static bool is_decided(const cpb_field_step *step) {
  return is_element(step) && !step->joins && step->seen > step->subscript->value;
}

static bool is_number(uint32_t type) {
  return type != 0 && type != CPB_TYPE_STRING && type != CPB_TYPE_BYTES && type != CPB_TYPE_MESSAGE &&
         type != CPB_TYPE_GROUP;
}

static bool fail_in_chunk(cpb_field_reader *r, cpb_code code, const char *what) {
  return CPB_FAILS(&r->error, code, CPB_NO_OFFSET, "chunk %llu: %s", (unsigned long long)r->source, what);
}

/* --- Pieces ---------------------------------------------------------------------- */

static bool add_piece(cpb_field_reader *r, uint32_t chunk, uint64_t at, uint64_t length) {
  cpb_field_piece *last = r->num_pieces > 0 ? &r->pieces[r->num_pieces - 1] : NULL;
  r->matched = true;
  if (!cpb_add_u64(r->place.size, length, &r->place.size))
    return fail_in_chunk(r, CPB_E_LIMIT, "the field is too large");
  if (length == 0) return true;
  if (last && last->chunk == chunk && last->at + last->length == at) {
    last->length += length;
    return true;
  }
  if (!cpb_field_charge(r, CPB_WORK_ENTRIES, 1)) return false;
  if (!CPB_RESERVE(&r->allocator, &r->pieces, &r->pieces_capacity, r->num_pieces + 1)) return cpb_field_no_memory(r);
  r->pieces[r->num_pieces++] = (cpb_field_piece){length, at, chunk};
  return true;
}

static void drop_pieces(cpb_field_reader *r) {
  r->num_pieces = 0;
  r->literal.size = 0;
  r->place.size = 0;
  r->matched = false;
}

/* Drops everything found at `step`, because another value replaces it. */
static void drop_from(cpb_field_reader *r, uint32_t step) {
  for (uint32_t i = step + 1; i < r->num_steps; i++) r->steps[i].seen = 0;
  drop_pieces(r);
}

static bool add_range(cpb_field_reader *r, uint64_t begin, uint64_t end) {
  return add_piece(r, (uint32_t)r->source, begin, end - begin);
}

static bool only_range(cpb_field_reader *r, uint64_t begin, uint64_t end) {
  drop_pieces(r);
  return add_range(r, begin, end);
}

/* Whether something is appended to the value, which is then a message. */
static bool has_below(const cpb_field_reader *r) {
  for (size_t i = 0; i < r->num_parts; i++)
    if (r->parts[i].kind == CPB_PART_BELOW || r->parts[i].kind == CPB_PART_INNER) return true;
  return false;
}

/* The field is the last of the way; its end tag, if it has one, is from `end` to `after`. */
static bool take_value(cpb_field_reader *r, const cpb_wire_field *f, uint64_t end, uint64_t after) {
  const cpb_field_step *step = &r->steps[r->level];
  r->place.wire_type = f->type;
  if (step->subscript) return step->map ? only_range(r, f->value, end) : add_range(r, f->value, end);
  if (step->repeated) {
    r->place.fields = 1;
    return add_range(r, f->begin, after);
  }
  bool is_message = step->type == CPB_TYPE_MESSAGE || step->type == CPB_TYPE_GROUP || (step->type == 0 && has_below(r));
  return is_message ? add_range(r, f->value, end) : only_range(r, f->value, end);
}

/* --- Packed elements --------------------------------------------------------------- */

static bool begin_packed(cpb_field_reader *r, const cpb_wire_field *f) {
  cpb_field_step *step = &r->steps[r->level];
  unsigned size = cpb_wire_fixed_size(step->type);
  uint64_t wanted = step->subscript->value - step->seen;
  r->element = f->value;
  r->in_packed = size == 0;
  if (size == 0) return true;
  if (f->size % size != 0) return fail_in_chunk(r, CPB_E_DAMAGED, "packed field that ends within an element");
  step->seen += f->size / size;
  if (wanted >= f->size / size) return true;
  r->place.wire_type = size == 8 ? CPB_WIRE_FIXED64 : CPB_WIRE_FIXED32;
  return add_range(r, f->value + wanted * size, f->value + (wanted + 1) * size);
}

/* Varints, each of which ends with a byte below 0x80. */
static bool take_packed(cpb_field_reader *r) {
  cpb_field_step *step = &r->steps[r->level];
  uint64_t pos = r->scanner.pos, end = r->scanner.field.value + r->scanner.field.size;
  cpb_span part = cpb_wire_take(&r->scanner, &r->in);
  for (size_t i = 0; i < part.size; i++) {
    pos++;
    if (part.data[i] >= 0x80) continue;
    r->place.wire_type = CPB_WIRE_VARINT;
    if (step->seen++ == step->subscript->value && !add_range(r, r->element, pos)) return false;
    r->element = pos;
  }
  r->in_packed = pos < end;
  return r->in_packed || r->element == end ||
         fail_in_chunk(r, CPB_E_DAMAGED, "packed field that ends within an element");
}

/* --- Maps ------------------------------------------------------------------------- */

static bool key_is_late(cpb_field_reader *r) {
  return fail_in_chunk(r, CPB_E_UNSUPPORTED, "a map entry whose key is not before its value");
}

static void take_key(cpb_field_reader *r, bool matches) {
  r->key_matches = matches;
  r->in_key = false;
  if (matches) drop_from(r, r->level);
}

static bool begin_key(cpb_field_reader *r, const cpb_wire_field *f) {
  const cpb_field_step *step = &r->steps[r->level];
  bool is_text = step->subscript->kind == CPB_PATH_KEY;
  if (r->value_met) return key_is_late(r);
  if (!is_text || f->type != CPB_WIRE_LEN || f->size != step->subscript->length || f->size == 0) {
    bool is_same = is_text ? f->type == CPB_WIRE_LEN && f->size == step->subscript->length
                           : f->type != CPB_WIRE_LEN && cpb_field_is_key(step, f);
    take_key(r, is_same);
    return true;
  }
  r->in_key = true;
  r->key_at = 0;
  r->key_matches = true;
  return true;
}

static void compare_key(cpb_field_reader *r) {
  cpb_span part = cpb_wire_take(&r->scanner, &r->in);
  const char *wanted = r->steps[r->level].subscript->text + r->key_at;
  if (part.size > 0 && memcmp(part.data, wanted, part.size) != 0) r->key_matches = false;
  r->key_at += part.size;
  if (r->key_at == r->steps[r->level].subscript->length) take_key(r, r->key_matches);
}

static void begin_entry(cpb_field_reader *r) {
  const cpb_path_tag *key = r->steps[r->level].subscript;
  r->entry = true;
  r->value_met = false;
  r->key_matches = key->kind == CPB_PATH_KEY ? key->length == 0 : key->value == 0; /* if the entry has none */
}

/* An entry without a value has its type's default, an empty one. */
static bool leave_entry(cpb_field_reader *r) {
  r->entry = false;
  if (!r->key_matches || r->value_met) return true;
  drop_from(r, r->level);
  r->furthest = (uint32_t)cpb_max_u64(r->furthest, r->level + 1);
  return !is_last(r) || add_range(r, r->scanner.pos, r->scanner.pos);
}

/* --- Fields ----------------------------------------------------------------------- */

static bool enter(cpb_field_reader *r) {
  if (r->scanner.field.type == CPB_WIRE_START_GROUP) r->groups++;
  return cpb_wire_enter(&r->scanner);
}

/* The field, or the value of the map's entry, that the path leads to or through. */
static bool meet_value(cpb_field_reader *r, const cpb_wire_field *f) {
  bool is_message = f->type == CPB_WIRE_LEN || f->type == CPB_WIRE_START_GROUP;
  r->furthest = (uint32_t)cpb_max_u64(r->furthest, r->level + 1);
  if (!is_last(r)) {
    if (!is_message) return cpb_field_refuse(r, CPB_E_USAGE, r->level, "not a message, so it has no fields");
    r->level++;
    r->entry = false;
    return enter(r);
  }
  if (f->type != CPB_WIRE_START_GROUP) return take_value(r, f, f->value + f->size, f->value + f->size);
  r->in_value = true;
  return enter(r);
}

static bool meet_element(cpb_field_reader *r, const cpb_wire_field *f) {
  cpb_field_step *step = &r->steps[r->level];
  if (f->type == CPB_WIRE_LEN && is_number(step->type)) return begin_packed(r, f);
  return step->seen++ != step->subscript->value || meet_value(r, f);
}

static bool on_field(cpb_field_reader *r) {
  const cpb_wire_field f = r->scanner.field;
  const cpb_field_step *step = &r->steps[r->level];
  if (!cpb_field_charge(r, CPB_WORK_WALKED, cpb_wire_walked(&r->scanner))) return false;
  if (r->in_value) return true;
  if (r->entry) {
    if (f.number == 1) return begin_key(r, &f);
    if (f.number != 2) return true;
    if (!r->value_met && r->key_matches) drop_from(r, r->level);
    r->value_met = true;
    return !r->key_matches || meet_value(r, &f);
  }
  if (f.number != step->number) return true;
  if (is_element(step)) return meet_element(r, &f);
  if (!step->map) return meet_value(r, &f);
  if (f.type != CPB_WIRE_LEN) return true;
  begin_entry(r);
  return enter(r);
}

static bool on_leave(cpb_field_reader *r) {
  const cpb_wire_field f = r->scanner.field;
  if (f.type == CPB_WIRE_START_GROUP) r->groups--;
  if (r->in_value) {
    uint64_t after = f.value + f.size;
    r->in_value = false;
    return take_value(r, &f, after - cpb_varint_size((uint64_t)f.number << 3 | CPB_WIRE_END_GROUP), after);
  }
  if (r->entry) return leave_entry(r);
  r->level--;
  r->entry = r->steps[r->level].map;
  if (r->entry) r->key_matches = r->value_met = true; /* or its value was not entered */
  return true;
}

/* --- Parts ------------------------------------------------------------------------ */

/* The target of the chunk exists, or merging creates it. */
static bool make_way(cpb_field_reader *r, uint32_t on) {
  for (uint32_t i = 0; i < on / 2; i++) {
    cpb_field_step *step = &r->steps[i];
    r->furthest = (uint32_t)cpb_max_u64(r->furthest, i + 1);
    if (!is_element(step) || is_decided(step)) continue;
    if (step->seen != step->subscript->value)
      return cpb_field_refuse(r, CPB_E_UNSUPPORTED, i, "a chunk is merged into an element that is not there");
    step->seen++;
  }
  return true;
}

static bool add_literal(cpb_field_reader *r, uint32_t number, uint64_t size) {
  uint8_t head[CPB_WIRE_HEADER_MAX];
  uint64_t at = r->literal.size;
  size_t length = (size_t)(cpb_wire_put_len(head, number, size) - head);
  return (cpb_buffer_append(&r->literal, head, length) || cpb_field_no_memory(r)) &&
         add_piece(r, CPB_NO_PART_CHUNK, at, length);
}

/* The number of bytes in the fields with these numbers, innermost last, around `size` bytes. */
static uint64_t size_within(const uint8_t *begin, const uint8_t *end, uint64_t size) {
  while (begin < end) {
    const uint8_t *last = end - 1;
    uint64_t number = 0;
    while (last > begin && last[-1] >= 0x80) last--;
    cpb_varint_read(last, end, &number);
    size += cpb_wire_len_size((uint32_t)number, size);
    end = last;
  }
  return size;
}

/* A number as text is not supported, if the types distinguish it from a string. */
static bool check_below(cpb_field_reader *r, cpb_span numbers) {
  const cpb_span no_name = {NULL, 0};
  const uint8_t *end = numbers.data + numbers.size;
  cpb_field_known field = {.message = r->type};
  for (const uint8_t *at = numbers.data; at < end && (field.message.described.data || field.message.type);) {
    uint64_t number = 0;
    cpb_field_scope message = field.message;
    at = cpb_varint_read(at, end, &number);
    if (!cpb_field_in(r, message, no_name, number, &field)) return true;
  }
  return !is_number(field.type) || fail_in_chunk(r, CPB_E_UNSUPPORTED, "a number as text, which is not supported");
}

static bool append_below(cpb_field_reader *r, const cpb_field_part *part, uint64_t size) {
  const uint8_t *at = r->below.data + part->value, *end = at + part->size;
  if (!check_below(r, (cpb_span){at, part->size})) return false;
  while (at < end) {
    uint64_t number = 0;
    at = cpb_varint_read(at, end, &number);
    if (!cpb_field_charge(r, CPB_WORK_ENTRIES, (uint64_t)(end - at) + 1)) return false;
    if (!add_literal(r, (uint32_t)number, size_within(at, end, size))) return false;
  }
  return add_piece(r, part->chunk, 0, size);
}

/* The chunk is the value, or more of it. */
static bool take_chunk(cpb_field_reader *r, const cpb_field_part *part, uint64_t size) {
  const cpb_field_step *step = r->num_steps > 0 ? &r->steps[r->num_steps - 1] : NULL;
  uint32_t type = step ? step->type : CPB_TYPE_MESSAGE;
  if (is_number(type)) return fail_in_chunk(r, CPB_E_UNSUPPORTED, "a number as text, which is not supported");
  r->place.wire_type = CPB_WIRE_LEN;
  if (step && step->repeated && !step->subscript) {
    r->place.fields = 1;
    return add_literal(r, step->number, size) && add_piece(r, part->chunk, 0, size);
  }
  bool is_bytes =
      type == 0 ? cpb_pager_info(r->pager)->type == CPB_CHUNK_BYTES : type == CPB_TYPE_STRING || type == CPB_TYPE_BYTES;
  if (is_bytes && part->kind != CPB_PART_SLICE && !has_below(r)) drop_pieces(r);
  return add_piece(r, part->chunk, 0, size);
}

static void begin_scan(cpb_field_reader *r, uint32_t level, uint64_t size) {
  memset(&r->scan_error, 0, sizeof r->scan_error);
  cpb_wire_begin(&r->scanner, &r->allocator, r->meter.limits.depth, size, &r->scan_error);
  r->level = level;
  r->groups = 0;
  r->entry = r->in_key = r->in_packed = r->in_value = false;
  r->scanning = true;
}

/* An element of a repeated field that is named without an index: it is appended. But as in a merge without types, a
 * field that is there once at most is singular. */
static bool take_element(cpb_field_reader *r, const cpb_field_part *part, uint64_t size) {
  uint32_t level = part->on / 2;
  cpb_field_step *step = &r->steps[level];
  if (step->map) return cpb_field_refuse(r, CPB_E_UNSUPPORTED, level, "a chunk of a map without a key");
  if (step->joins && step->seen == 1) step->seen = 0;
  if (step->seen++ != step->subscript->value) return true;
  r->furthest = (uint32_t)cpb_max_u64(r->furthest, level + 1);
  if (level + 1 == r->num_steps) return take_chunk(r, part, size);
  begin_scan(r, level + 1, size);
  return true;
}

static bool take_part(cpb_field_reader *r) {
  const cpb_field_part *part = part_at(r);
  uint64_t size = cpb_pager_stored(r->pager)->size;
  if (!make_way(r, part->on)) return false;
  if (part->kind == CPB_PART_INNER)
    return fail_in_chunk(
        r, CPB_E_UNSUPPORTED,
        "it belongs to an element or a map's entry inside of the field, which only a merge puts there");
  if (part->kind == CPB_PART_BELOW) return append_below(r, part, size);
  if (part->on >= 2 * r->num_steps) return take_chunk(r, part, size);
  if (part->on % 2 != 0) return take_element(r, part, size);
  begin_scan(r, part->on / 2, size);
  return true;
}

/* Whether the chunk matters. */
static bool matters(cpb_field_reader *r) {
  const cpb_field_part *part = part_at(r);
  if (part->kind == CPB_PART_BESIDE) {
    cpb_field_step *step = &r->steps[part->on / 2];
    step->seen = cpb_max_u64(step->seen, part->value);
  }
  if (part->chunk == CPB_NO_PART_CHUNK) return false;
  bool is_way = part->kind == CPB_PART_WAY || part->kind == CPB_PART_SLICE;
  return !is_way || part->on >= 2 * r->num_steps || !is_decided(&r->steps[part->on / 2]);
}

/* --- Walking ---------------------------------------------------------------------- */

void cpb_field_walk_begin(cpb_field_reader *r) {
  r->part = 0;
  r->entered = false;
  r->furthest = 0;
  r->place = (cpb_field_place){.wire_type = CPB_WIRE_LEN};
  if (r->num_steps > 0) drop_from(r, 0);
  else drop_pieces(r);
  if (r->num_steps > 0) r->steps[0].seen = 0;
}

static cpb_have fail_scan(cpb_field_reader *r) {
  if (r->error.code == CPB_OK) fail_in_chunk(r, r->scan_error.code, r->scan_error.message);
  return CPB_FAILED;
}

/* One event of the scan, or more bytes for it. */
static cpb_have scan(cpb_field_reader *r) {
  bool good = true;
  cpb_wire_event event = CPB_WIRE_MORE;
  if (!r->in_key && !r->in_packed) {
    bool is_done = !r->entry && !r->in_value && is_decided(&r->steps[r->level]);
    if (is_done && r->groups == 0) cpb_wire_pass(&r->scanner, &r->in);
    event = cpb_wire_next(&r->scanner, &r->in);
  } else if (r->in.size > 0) {
    if (r->in_key) compare_key(r);
    else good = take_packed(r);
    return good ? CPB_HAVE : CPB_FAILED;
  }
  switch (event) {
    case CPB_WIRE_MORE: return cpb_field_feed(r, r->scanner.pos, r->scanner.size - r->scanner.pos);
    case CPB_WIRE_FIELD: good = on_field(r); break;
    case CPB_WIRE_LEAVE: good = on_leave(r); break;
    case CPB_WIRE_END:
      cpb_wire_free(&r->scanner);
      r->scanning = false;
      break;
    case CPB_WIRE_ERROR: good = false; break;
  }
  return good ? CPB_HAVE : fail_scan(r);
}

static cpb_have run_part(cpb_field_reader *r) {
  if (!r->entered) {
    if (!matters(r)) return CPB_HAVE;
    cpb_field_turn(r, part_at(r)->chunk);
    r->entered = true;
  }
  while (r->entered && !r->scanning) {
    cpb_have have = cpb_field_open(r);
    if (have != CPB_HAVE) return have;
    if (!take_part(r)) return CPB_FAILED;
    r->entered = r->scanning;
  }
  while (r->scanning) {
    cpb_have have = scan(r);
    if (have != CPB_HAVE) return have;
  }
  r->entered = false;
  return CPB_HAVE;
}

static bool finish(cpb_field_reader *r) {
  const cpb_field_step *last = r->num_steps > 0 ? &r->steps[r->num_steps - 1] : NULL;
  if (!r->matched && r->num_steps > 0) {
    uint32_t missing = r->furthest < r->num_steps ? r->furthest : r->num_steps - 1;
    return cpb_field_refuse(r, CPB_E_NOT_FOUND, missing, "the message has none");
  }
  r->place.number = !last ? 0 : last->map ? 2 : last->number;
  r->place.num_pieces = (uint32_t)r->num_pieces;
  r->what.number = r->place.number;
  r->what.wire_type = r->place.wire_type;
  r->what.fields = (int)r->place.fields;
  return true;
}

cpb_have cpb_field_walk_run(cpb_field_reader *r) {
  for (; r->part < r->num_parts; r->part++) {
    cpb_have have = run_part(r);
    if (have != CPB_HAVE) return have;
  }
  return finish(r) ? CPB_HAVE : CPB_FAILED;
}
