#include "model/common/part.h"

#include "base/alloc.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "proto/wire.h"

/* --- part ------------------------------------------------------------------------------------- */

bool cpb_part_begin(cpb_part *p, const cpb_allocator *a, const cpb_message_type *type, const cpb_range *ranges,
                    size_t num_ranges, const cpb_outline_options *given) {
  cpb_outline_options options = *given;
  options.struct_size = sizeof options;
  options.keep_known = options.keep_damaged = options.locate = 1;
  p->outline = cpb_outline_new(a, type, ranges, num_ranges, &options);
  if (p->outline) cpb_outline_keep_lost(p->outline);
  return p->outline != NULL;
}

/* The pieces of a field, concatenated, each followed by a field with an unused number. Every position in the copy
 * therefore maps to one in the message. */
typedef struct cpb_part_whole {
  cpb_allocator allocator;
  cpb_buffer bytes;
  struct joined_piece {
    size_t at; /* in the copy */
    cpb_span original;
  } *pieces;
  size_t count, capacity;
} joined;

static void free_joined(joined *j) {
  if (!j) return;
  const cpb_allocator a = j->allocator;
  cpb_buffer_free(&j->bytes);
  cpb_release(&a, j->pieces);
  cpb_release(&a, j);
}

void cpb_part_free(cpb_part *p) {
  free_joined(p->joined);
  cpb_outline_free(p->outline);
  *p = (cpb_part){.outline = NULL};
}

void cpb_part_set_jumps(cpb_part *p, const cpb_outline_jumps *jumps, void *context) {
  cpb_outline_set_jumps(p->outline, jumps, context);
}

static bool is_damage(cpb_code code) { return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED || code == CPB_E_LIMIT; }

cpb_step cpb_part_step(cpb_part *p, cpb_error *error) {
  if (p->read) return CPB_STEP_DONE;
  cpb_step step = cpb_outline_step(p->outline);
  if (step == CPB_STEP_NEED) return step;
  const cpb_error *failure = cpb_outline_error(p->outline);
  if (step == CPB_STEP_ERROR && !is_damage(failure->code)) {
    *error = *failure;
    cpb_part_free(p);
    return CPB_STEP_ERROR;
  }
  p->damage = *failure;
  p->lost = cpb_outline_lost(p->outline);
  p->lacks_some = p->lost > 0;
  p->message.data = cpb_outline_message(p->outline, &p->message.size);
  p->read = true;
  return CPB_STEP_DONE;
}

/* --- Joining ---------------------------------------------------------------------------- */

/* A writer may split a message field into pieces, which parsers merge. The pieces are copied only if there are
 * several; one piece is used in place. */

static bool add_piece(joined *j, cpb_span piece) {
  static const uint8_t filler[] = {0xf8, 0xff, 0xff, 0xff, 0x0f, 0}; /* field 2^29 - 1 */
  if (!CPB_RESERVE(&j->allocator, &j->pieces, &j->capacity, j->count + 1)) return false;
  j->pieces[j->count].at = j->bytes.size;
  j->pieces[j->count++].original = piece;
  return cpb_buffer_append(&j->bytes, piece.data, piece.size) && cpb_buffer_append(&j->bytes, filler, sizeof filler);
}

bool cpb_part_join(cpb_part *p, const cpb_allocator *a, uint32_t field, cpb_span *submessage) {
  *submessage = cpb_get_bytes(p->message, field);
  if (cpb_count_bytes(p->message, field) < 2) return true;
  joined *j = p->joined = cpb_alloc_zeroed(a, sizeof *j);
  if (!j) return false;
  j->allocator = *a;
  cpb_buffer_init(&j->bytes, a);
  cpb_cursor c = cpb_cursor_of(p->message);
  while (cpb_cursor_find(&c, field, CPB_WIRE_LEN))
    if (!add_piece(j, c.bytes)) return false;
  *submessage = (cpb_span){j->bytes.data, j->bytes.size};
  return true;
}

/* The span in the message that was copied to `value`. */
static cpb_span original_of(const cpb_part *p, cpb_span value) {
  const joined *j = p->joined;
  if (!j || !value.data || value.data < j->bytes.data || value.data > j->bytes.data + j->bytes.size) return value;
  const size_t at = (size_t)(value.data - j->bytes.data);
  size_t low = 0, high = j->count; /* the last piece that begins at or before it */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (j->pieces[middle].at <= at) low = middle;
    else high = middle;
  }
  value.data = j->pieces[low].original.data + (at - j->pieces[low].at);
  return value;
}

/* --- Places ----------------------------------------------------------------------------- */

/* An omitted value is an empty span whose address is its identity: `at` in the sorted list of omitted values. A span
 * that points elsewhere, such as a copy, is never omitted. */

/* The omitted value at `value`, or NULL. */
static const cpb_omitted *find_omitted(const cpb_part *p, cpb_span value) {
  value = original_of(p, value);
  if (value.size > 0 || !value.data) return NULL;
  size_t high, low = 0, at = (size_t)(value.data - p->message.data);
  const cpb_omitted *list = cpb_outline_omitted(p->outline, &high);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list[middle].at == at) return &list[middle];
    if (list[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

cpb_range cpb_part_where(const cpb_part *p, cpb_span value) {
  const cpb_omitted *omitted = find_omitted(p, value);
  if (omitted) return (cpb_range){omitted->offset, omitted->size};
  if (!value.data) return (cpb_range){CPB_NO_OFFSET, 0};
  value = original_of(p, value);
  return cpb_outline_locate(p->outline, (size_t)(value.data - p->message.data), value.size);
}

bool cpb_part_omits(const cpb_part *p, cpb_span value) { return find_omitted(p, value) != NULL; }

bool cpb_part_ranges(const cpb_part *p, const cpb_allocator *a, cpb_span message, uint32_t field, cpb_range **ranges,
                     size_t *count) {
  size_t capacity = 0;
  cpb_cursor c = cpb_cursor_of(message);
  for (*count = 0; cpb_cursor_find(&c, field, CPB_WIRE_LEN); (*count)++) {
    if (!CPB_RESERVE(a, ranges, &capacity, *count + 1)) return false;
    (*ranges)[*count] = cpb_part_where(p, c.bytes);
  }
  return true;
}

/* --- pieces ----------------------------------------------------------------------------------- */

typedef struct cpb_piece_entry {
  uint64_t offset; /* in the input, or CPB_NO_OFFSET */
  uint64_t length;
  uint64_t at;   /* among the literals; while it is open: the size before it */
  uint32_t file; /* 0: the input */
} entry;

void cpb_pieces_init(cpb_pieces *p, const cpb_allocator *a) {
  *p = (cpb_pieces){.allocator = *a};
  cpb_buffer_init(&p->literals, a);
}

void cpb_pieces_free(cpb_pieces *p) {
  cpb_release(&p->allocator, p->items);
  cpb_buffer_free(&p->literals);
  cpb_pieces_init(p, &p->allocator);
}

cpb_model_piece cpb_pieces_get(const cpb_pieces *p, size_t i) {
  const entry *e = &p->items[i];
  bool literal = e->offset == CPB_NO_OFFSET;
  return (cpb_model_piece){e->offset, e->length, literal && e->length > 0 ? p->literals.data + e->at : NULL};
}

/* --- Adding ------------------------------------------------------------------------- */

static void add(cpb_pieces *p, entry e) {
  p->failed = p->failed || !CPB_RESERVE(&p->allocator, &p->items, &p->capacity, p->count + 1);
  if (p->failed) return;
  p->items[p->count++] = e;
}

static entry *last(cpb_pieces *p) { return p->count > 0 ? &p->items[p->count - 1] : NULL; }

void cpb_pieces_put(cpb_pieces *p, const void *data, size_t size) {
  entry *e = last(p);
  uint64_t at = p->literals.size;
  p->failed = p->failed || !cpb_buffer_append(&p->literals, data, size);
  if (p->failed || size == 0) return;
  p->size += size;
  /* An open field's entry has no length yet. Bytes that extend it would come before the field's own head. */
  if (e && e->offset == CPB_NO_OFFSET && e->length > 0 && e->at + e->length == at) e->length += size;
  else add(p, (entry){CPB_NO_OFFSET, size, at, 0});
}

void cpb_pieces_range(cpb_pieces *p, uint32_t file, cpb_range range) {
  if (range.length == 0) return;
  add(p, (entry){range.offset, range.length, 0, file});
  p->size += range.length;
}

uint32_t cpb_pieces_file(const cpb_pieces *p, size_t i) { return p->items[i].file; }

cpb_pieces_mark cpb_pieces_here(const cpb_pieces *p) { return (cpb_pieces_mark){p->count, p->literals.size, p->size}; }

void cpb_pieces_back_to(cpb_pieces *p, cpb_pieces_mark mark) {
  if (p->failed) return;
  p->count = mark.count;
  p->literals.size = mark.literals;
  p->size = mark.size;
}

#define HEAD_MAX (2 * CPB_VARINT_MAX)

static size_t write_head(uint8_t *head, uint32_t number, cpb_wire_type type, uint64_t value) {
  uint8_t *end = cpb_varint_write(head, (uint64_t)number << 3 | type);
  return (size_t)(cpb_varint_write(end, value) - head);
}

/* --- Fields -------------------------------------------------------------------------- */

void cpb_pieces_varint(cpb_pieces *p, uint64_t value) {
  uint8_t bytes[CPB_VARINT_MAX];
  cpb_pieces_put(p, bytes, (size_t)(cpb_varint_write(bytes, value) - bytes));
}

void cpb_pieces_number(cpb_pieces *p, uint32_t number, uint64_t value) {
  uint8_t head[HEAD_MAX];
  cpb_pieces_put(p, head, write_head(head, number, CPB_WIRE_VARINT, value));
}

void cpb_pieces_fixed(cpb_pieces *p, uint32_t number, uint64_t value, size_t size) {
  uint8_t bytes[8];
  cpb_store64(bytes, value);
  cpb_pieces_varint(p, (uint64_t)number << 3 | (size == 8 ? CPB_WIRE_FIXED64 : CPB_WIRE_FIXED32));
  cpb_pieces_put(p, bytes, size);
}

void cpb_pieces_bytes(cpb_pieces *p, uint32_t number, cpb_span value) {
  uint8_t head[HEAD_MAX];
  cpb_pieces_put(p, head, write_head(head, number, CPB_WIRE_LEN, value.size));
  cpb_pieces_put(p, value.data, value.size);
}

void cpb_pieces_field(cpb_pieces *p, const cpb_part *part, const cpb_cursor *c) {
  if (c->type == CPB_WIRE_VARINT) cpb_pieces_number(p, c->number, c->value);
  else if (c->type == CPB_WIRE_FIXED32) cpb_pieces_fixed(p, c->number, c->value, 4);
  else if (c->type == CPB_WIRE_FIXED64) cpb_pieces_fixed(p, c->number, c->value, 8);
  else if (c->bytes.size == 0 && !cpb_part_omits(part, c->bytes)) cpb_pieces_bytes(p, c->number, c->bytes);
  else cpb_pieces_copy(p, c->number, cpb_part_where(part, c->bytes));
}

/* If the gap between this value and the one before it has exactly the size of its tag and length, these are in the
 * input as well. */
void cpb_pieces_copy(cpb_pieces *p, uint32_t number, cpb_range value) {
  uint8_t head[HEAD_MAX];
  size_t size = write_head(head, number, CPB_WIRE_LEN, value.length);
  entry *e = last(p);
  if (e && e->offset != CPB_NO_OFFSET && e->file == 0 && e->offset + e->length + size == value.offset) {
    e->length += size + value.length;
    p->size += size + value.length;
    return;
  }
  cpb_pieces_put(p, head, size);
  cpb_pieces_range(p, 0, value);
}

void cpb_pieces_copy_other(cpb_pieces *p, uint32_t number, uint32_t file, cpb_range value) {
  uint8_t head[HEAD_MAX];
  cpb_pieces_put(p, head, write_head(head, number, CPB_WIRE_LEN, value.length));
  cpb_pieces_range(p, file, value);
}

/* The tag and length are written last, into an item that waits for them. */
size_t cpb_pieces_open(cpb_pieces *p) {
  add(p, (entry){CPB_NO_OFFSET, 0, p->size, 0});
  return p->count - 1;
}

void cpb_pieces_close(cpb_pieces *p, uint32_t number, size_t opened) {
  uint8_t head[HEAD_MAX];
  if (p->failed) return;
  entry *e = &p->items[opened];
  size_t size = write_head(head, number, CPB_WIRE_LEN, p->size - e->at);
  *e = (entry){CPB_NO_OFFSET, size, p->literals.size, 0};
  p->failed = !cpb_buffer_append(&p->literals, head, size);
  p->size += size;
}
