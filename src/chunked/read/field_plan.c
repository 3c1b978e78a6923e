#include "chunked/read/field.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/index/metadata.h"
#include "chunked/read/pager.h"
#include "proto/descriptors.h"

/* Bytes of a FieldIndex around the text of a key. */
enum { TAG_AROUND = 24, MAP_KEY = 2, MAP_KEY_STRING = 1 };

static cpb_field_family *family(cpb_field_reader *r) { return &r->families[r->depth - 1]; }

static bool damaged(cpb_field_reader *r, cpb_code code, const char *what) {
  return CPB_FAILS(&r->error, code, CPB_NO_OFFSET, "%s at byte %llu of the chunk index", what,
                   (unsigned long long)r->scanner.field.begin);
}

/* --- Parts, in the order of a merge ------------------------------------------ */

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* Field numbers, which are varints. */
static int compare_numbers(cpb_span a, cpb_span b) {
  const uint8_t *end_a = a.data + a.size, *end_b = b.data + b.size;
  while (a.data < end_a && b.data < end_b) {
    uint64_t number_a = 0, number_b = 0;
    a.data = cpb_varint_read(a.data, end_a, &number_a);
    b.data = cpb_varint_read(b.data, end_b, &number_b);
    if (number_a != number_b) return compare_u64(number_a, number_b);
  }
  return compare_u64((uint64_t)(end_a - a.data), (uint64_t)(end_b - b.data));
}

static cpb_span numbers_of(const cpb_field_reader *r, const cpb_field_part *part) {
  if (part->kind != CPB_PART_BELOW || part->size == 0) return (cpb_span){NULL, 0};
  return (cpb_span){r->below.data + part->value, part->size};
}

/* The order of chunked fields in one message: by field tag, then by chunk. */
static int compare(const cpb_field_reader *r, const cpb_field_part *a, const cpb_field_part *b) {
  if (a->on != b->on) return compare_u64(a->on, b->on);
  cpb_span numbers_a = numbers_of(r, a), numbers_b = numbers_of(r, b);
  int order = numbers_a.size > 0 && numbers_b.size > 0 ? compare_numbers(numbers_a, numbers_b)
                                                       : compare_u64(numbers_a.size, numbers_b.size);
  if (order == 0) order = compare_u64(a->kind == CPB_PART_BESIDE, b->kind == CPB_PART_BESIDE);
  if (order != 0) return order;
  return compare_u64(a->chunk == CPB_NO_PART_CHUNK ? 0 : a->chunk, b->chunk == CPB_NO_PART_CHUNK ? 0 : b->chunk);
}

/* Its place among the parts of the family; most come in order. False: over a limit. */
static bool place_for(cpb_field_reader *r, const cpb_field_family *f, const cpb_field_part *part, size_t *at) {
  size_t end = (size_t)f->first + f->size;
  *at = end;
  if (f->size == 0 || compare(r, part, &r->parts[f->last]) >= 0) return true;
  for (*at = f->first; *at < end; ++*at) {
    const cpb_field_part *other = &r->parts[*at];
    if (other->level == part->level && compare(r, part, other) < 0) break;
  }
  return cpb_field_charge(r, CPB_WORK_ENTRIES, end - f->first);
}

/* Adds a part of the content of family `parent`, counted from 1; 0: none. */
static bool add_part(cpb_field_reader *r, size_t parent, cpb_field_part part, uint32_t *index) {
  size_t at = r->num_parts;
  part.level = (uint32_t)parent;
  if (!cpb_field_charge(r, CPB_WORK_ENTRIES, 1)) return false;
  if (!CPB_RESERVE(&r->allocator, &r->parts, &r->parts_capacity, r->num_parts + 1)) return cpb_field_no_memory(r);
  if (parent > 0 && !place_for(r, &r->families[parent - 1], &part, &at)) return false;
  memmove(r->parts + at + 1, r->parts + at, (r->num_parts - at) * sizeof part);
  r->parts[at] = part;
  r->num_parts++;
  for (size_t i = 0; i < parent; i++) {
    cpb_field_family *f = &r->families[i];
    bool is_last = i + 1 == parent && at == (size_t)f->first + f->size;
    if (is_last) f->last = (uint32_t)at;
    else if (f->size > 0 && f->last >= at) f->last++;
    f->size++;
  }
  *index = (uint32_t)at;
  return true;
}

static bool add_beside(cpb_field_reader *r, uint32_t on, uint64_t before) {
  const cpb_field_family *f = family(r);
  uint32_t index;
  for (size_t i = f->first; i < (size_t)f->first + f->size; i++) {
    cpb_field_part *part = &r->parts[i];
    if (part->kind != CPB_PART_BESIDE || part->on != on || part->level != r->depth) continue;
    part->value = cpb_max_u64(part->value, before);
    return cpb_field_charge(r, CPB_WORK_ENTRIES, i - f->first + 1);
  }
  return add_part(r, r->depth, (cpb_field_part){CPB_NO_PART_CHUNK, on, 0, CPB_PART_BESIDE, before, 0}, &index);
}

/* The message that the plan is in, once its chunk is known. */
static bool add_family(cpb_field_reader *r) {
  cpb_field_family *f = family(r);
  if (f->added) return true;
  cpb_field_part part = {.chunk = f->chunk, .on = f->on, .kind = f->is_slice ? CPB_PART_SLICE : CPB_PART_WAY};
  if (f->inner) part.kind = CPB_PART_INNER;
  if (f->prefix > 0 && !f->inner) {
    part.kind = CPB_PART_BELOW;
    part.value = r->below.size;
    part.size = f->prefix;
    if (!cpb_buffer_append(&r->below, r->prefix.data, f->prefix)) return cpb_field_no_memory(r);
  }
  uint32_t at;
  if (!add_part(r, r->depth - 1, part, &at)) return false;
  f->added = true;
  f->first = at + 1;
  return true;
}

/* --- Field tags --------------------------------------------------------------- */

typedef struct {
  cpb_tag_kind kind;
  uint64_t value;
  cpb_span text;
} field_tag;

static bool read_key(cpb_span in, field_tag *tag) {
  cpb_small_field f;
  bool read = false;
  while (cpb_small_next(&in, &f)) {
    read = f.type == (f.number == MAP_KEY_STRING ? CPB_WIRE_LEN : CPB_WIRE_VARINT);
    *tag = (field_tag){f.number == MAP_KEY_STRING ? CPB_TAG_KEY_STRING : CPB_TAG_KEY_UINT64, f.value, f.bytes};
  }
  return read && in.size == 0;
}

static bool read_tag(cpb_span in, field_tag *tag) {
  cpb_small_field f;
  bool read = false;
  while (cpb_small_next(&in, &f)) {
    if (f.number == MAP_KEY && f.type == CPB_WIRE_LEN) {
      read = read_key(f.bytes, tag);
    } else if ((f.number == FIELD_INDEX_FIELD || f.number == FIELD_INDEX_INDEX) && f.type == CPB_WIRE_VARINT) {
      *tag = (field_tag){f.number == FIELD_INDEX_FIELD ? CPB_TAG_FIELD : CPB_TAG_INDEX, f.value, {NULL, 0}};
      read = true;
    }
  }
  return read && in.size == 0;
}

static bool is_wanted(const cpb_path_tag *wanted, const field_tag *tag) {
  if ((wanted->kind == CPB_PATH_KEY) != (tag->kind == CPB_TAG_KEY_STRING)) return false;
  if (wanted->kind != CPB_PATH_KEY) return tag->value == (wanted->negative ? 0 - wanted->value : wanted->value);
  return tag->text.size == wanted->length &&
         (wanted->length == 0 || !memcmp(tag->text.data, wanted->text, wanted->length));
}

/* A tag inside of the value. */
static bool follow_below(cpb_field_reader *r, cpb_field_family *f, const field_tag *tag) {
  uint8_t number[CPB_VARINT_MAX];
  if (tag->kind != CPB_TAG_FIELD) f->field_inner = true;
  else if (!cpb_buffer_append(&r->prefix, number, (size_t)(cpb_varint_write(number, tag->value) - number)))
    return cpb_field_no_memory(r);
  return true;
}

static bool follow(cpb_field_reader *r, const field_tag *tag) {
  cpb_field_family *f = family(r);
  if (tag->kind == CPB_TAG_FIELD && (tag->value == 0 || tag->value >= 1 << 29))
    return damaged(r, CPB_E_DAMAGED, "field number out of range; expected 1 to 536870911,");
  f->num_tags++;
  if (f->field_on >= 2 * r->num_steps) return follow_below(r, f, tag);
  const cpb_field_step *step = &r->steps[f->field_on / 2];
  bool half = f->field_on % 2 != 0;
  if (half != (tag->kind != CPB_TAG_FIELD))
    return damaged(r, CPB_E_UNSUPPORTED, "a field tag that does not go with the path");
  if (!half) {
    f->beside = tag->value != step->number;
    f->field_on += step->subscript ? 1 : 2;
    return true;
  }
  f->beside = !is_wanted(step->subscript, tag);
  if (!f->beside) f->field_on++;
  bool comes_before = f->beside && tag->kind == CPB_TAG_INDEX && !step->map && tag->value < step->subscript->value;
  return !comes_before || add_beside(r, f->field_on, tag->value + 1);
}

/* Whether the tag is longer than any on the path. */
static bool is_long(const cpb_field_reader *r, uint64_t size) {
  size_t most = 0;
  for (uint32_t i = 0; i < r->num_steps; i++)
    if (r->steps[i].subscript) most = cpb_max_size(most, r->steps[i].subscript->length);
  return size > most + TAG_AROUND;
}

/* Once all of it is there. */
static bool end_tag(cpb_field_reader *r) {
  field_tag tag = {0};
  r->in_tag = false;
  if (!read_tag((cpb_span){r->tag.data, r->tag.size}, &tag))
    return damaged(r, CPB_E_DAMAGED, "FieldIndex that is none");
  return follow(r, &tag);
}

static bool begin_tag(cpb_field_reader *r) {
  cpb_field_family *f = family(r);
  const cpb_wire_field *field = &r->scanner.field;
  if (f->field_done) return damaged(r, CPB_E_UNSUPPORTED, "a field tag after what it leads to");
  if (f->beside) return true;
  if (is_long(r, field->size)) {
    bool in_value = f->field_on >= 2 * r->num_steps;
    f->num_tags++;
    f->beside = !in_value;
    f->field_inner = in_value;
    return true;
  }
  r->tag.size = 0;
  r->in_tag = true;
  return field->size > 0 || end_tag(r);
}

/* --- The tree ------------------------------------------------------------------ */

static bool push(cpb_field_reader *r, cpb_field_family f) {
  if (!CPB_RESERVE(&r->allocator, &r->families, &r->families_capacity, r->depth + 1)) return cpb_field_no_memory(r);
  f.chunk = CPB_NO_PART_CHUNK;
  r->families[r->depth++] = f;
  return cpb_wire_enter(&r->scanner);
}

static bool begin_field(cpb_field_reader *r) {
  if (!add_family(r)) return false;
  cpb_field_family *f = family(r);
  f->num_tags = 0;
  f->field_on = f->on;
  f->field_inner = f->inner;
  f->beside = f->field_done = false;
  r->prefix.size = f->prefix;
  return cpb_wire_enter(&r->scanner);
}

static bool begin_message(cpb_field_reader *r) {
  cpb_field_family *f = family(r);
  f->field_done = true;
  if (f->beside) return true;
  if (f->field_on % 2 != 0) r->steps[f->field_on / 2].joins = r->steps[f->field_on / 2].type == 0;
  return push(r, (cpb_field_family){.on = f->field_on,
                                    .prefix = (uint32_t)r->prefix.size,
                                    .inner = f->field_inner,
                                    .is_slice = f->num_tags == 0});
}

static bool set_chunk(cpb_field_reader *r) {
  cpb_field_family *f = family(r);
  uint64_t chunk = r->scanner.field.number_value, count = cpb_pager_num_chunks(r->pager);
  if (f->added) return damaged(r, CPB_E_UNSUPPORTED, "chunk_index after chunked_fields");
  f->chunk = (uint32_t)chunk;
  if (chunk < count && chunk < CPB_NO_PART_CHUNK) return true;
  return CPB_FAILS(&r->error, CPB_E_DAMAGED, CPB_NO_OFFSET,
                   "chunk_index is %llu at byte %llu of the chunk index; expected less than %llu, the number of chunks",
                   (unsigned long long)chunk, (unsigned long long)r->scanner.field.begin, (unsigned long long)count);
}

static bool take_field(cpb_field_reader *r) {
  const cpb_wire_field *f = &r->scanner.field;
  bool is_len = f->type == CPB_WIRE_LEN;
  if (r->scanner.depth == 0) {
    if (f->number != METADATA_MESSAGE || !is_len) return true;
    if (r->num_parts > 0) return damaged(r, CPB_E_UNSUPPORTED, "a second message");
    return push(r, (cpb_field_family){.is_slice = true});
  }
  if (r->scanner.depth % 2 == 0) {
    if (f->number == CHUNKED_FIELD_TAG && is_len) return begin_tag(r);
    return f->number != CHUNKED_FIELD_MESSAGE || !is_len || begin_message(r);
  }
  if (f->number == MESSAGE_CHUNK_INDEX && f->type == CPB_WIRE_VARINT) return set_chunk(r);
  return f->number != MESSAGE_CHUNKED_FIELDS || !is_len || begin_field(r);
}

static bool leave(cpb_field_reader *r) {
  cpb_field_family *f = family(r);
  if (r->scanner.depth % 2 != 0) { /* a field ended */
    if (f->field_done || f->beside || f->num_tags == 0) return true;
    return damaged(r, CPB_E_UNSUPPORTED, "a chunked field without a message");
  }
  bool is_leaf = !f->added;
  if (is_leaf && f->chunk == CPB_NO_PART_CHUNK && r->depth > 1 && !f->is_slice)
    return damaged(r, CPB_E_UNSUPPORTED, "a chunked field without a chunk");
  bool added = add_family(r);
  r->depth--;
  return added;
}

/* --- Walking --------------------------------------------------------------------- */

void cpb_field_plan_begin(cpb_field_reader *r) {
  cpb_field_turn(r, CPB_NO_CHUNK);
  memset(&r->scan_error, 0, sizeof r->scan_error);
  r->num_parts = r->depth = 0;
  r->below.size = r->prefix.size = 0;
  r->in_tag = false;
  cpb_wire_begin(&r->scanner, &r->allocator, r->meter.limits.depth, cpb_pager_index_size(r->pager), &r->scan_error);
  r->scanner.pos = cpb_pager_index_message(r->pager);
  r->scanning = true;
}

static bool take_tag(cpb_field_reader *r) {
  const cpb_wire_field *f = &r->scanner.field;
  cpb_span part = cpb_wire_take(&r->scanner, &r->in);
  if (!cpb_buffer_append(&r->tag, part.data, part.size)) return cpb_field_no_memory(r);
  return r->tag.size < f->size || end_tag(r);
}

static cpb_have fail_scan(cpb_field_reader *r) {
  if (r->error.code == CPB_OK) {
    cpb_fail(&r->error, r->scan_error.code, CPB_NO_OFFSET, "the chunk index: %s", r->scan_error.message);
    cpb_error_take_numbers(&r->error, &r->scan_error);
  }
  return CPB_FAILED;
}

cpb_have cpb_field_plan_run(cpb_field_reader *r) {
  for (;;) {
    bool good = true;
    cpb_wire_event event = CPB_WIRE_FIELD;
    if (r->in_tag && r->in.size > 0) {
      good = take_tag(r);
    } else if (r->in_tag) {
      event = CPB_WIRE_MORE;
    } else {
      event = cpb_wire_next(&r->scanner, &r->in);
      if (event == CPB_WIRE_FIELD) good = take_field(r);
      if (event == CPB_WIRE_LEAVE) good = leave(r);
    }
    if (event == CPB_WIRE_END) break;
    if (!good || event == CPB_WIRE_ERROR) return fail_scan(r);
    if (event != CPB_WIRE_MORE) continue;
    cpb_have have = cpb_field_feed(r, r->scanner.pos, r->scanner.size - r->scanner.pos);
    if (have != CPB_HAVE) return have;
  }
  cpb_wire_free(&r->scanner);
  r->scanning = false;
  return CPB_HAVE;
}
