#include "model/common/pieces.h"

#include "proto/wire.h"

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
  void *items = p->items;
  p->failed = p->failed || !cpb_reserve(&p->allocator, &items, &p->capacity, p->count + 1, sizeof e);
  if (p->failed) return;
  p->items = items;
  p->items[p->count++] = e;
}

static entry *last(cpb_pieces *p) { return p->count > 0 ? &p->items[p->count - 1] : NULL; }

void cpb_pieces_put(cpb_pieces *p, const void *data, size_t size) {
  entry *e = last(p);
  uint64_t at = p->literals.size;
  p->failed = p->failed || !cpb_buffer_append(&p->literals, data, size);
  if (p->failed || size == 0) return;
  p->size += size;
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
