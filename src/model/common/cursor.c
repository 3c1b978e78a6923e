#include "model/common/cursor.h"

#include "base/checked.h"

/* A malformed field ends the walk for good: `at` moves to the end, and `damaged` stays set. Callers that show what
 * can be read need not ask for `damaged`.
 *
 * Groups are skipped with a counter instead of a stack. The numbers of a group's begin and end are not compared,
 * since no message that is read here has groups; nesting therefore costs neither memory nor recursion.
 *
 * The functions that get one field walk the whole message, because the last field with a number counts. A caller
 * that needs several fields of a large message walks it once itself. */

cpb_cursor cpb_cursor_of(cpb_span message) {
  const uint8_t *at = message.data ? message.data : (const uint8_t *)"";
  return (cpb_cursor){.at = at, .end = at + message.size};
}

static bool damaged(cpb_cursor *c) {
  c->damaged = true;
  c->at = c->end;
  return false;
}

static bool read_fixed(cpb_cursor *c, size_t size) {
  if ((size_t)(c->end - c->at) < size) return false;
  c->value = size == 8 ? cpb_load64(c->at) : cpb_load32(c->at);
  c->at += size;
  return true;
}

static bool read_varint(cpb_cursor *c, uint64_t *value) {
  const uint8_t *after = cpb_varint_read(c->at, c->end, value);
  if (after) c->at = after;
  return after != NULL;
}

static bool read_bytes(cpb_cursor *c) {
  uint64_t size;
  if (!read_varint(c, &size) || size > (uint64_t)(c->end - c->at)) return false;
  c->bytes = (cpb_span){c->at, (size_t)size};
  c->at += size;
  return true;
}

/* Any field; a group's begin and end are fields too. */
static bool read_field(cpb_cursor *c) {
  uint64_t tag;
  if (!read_varint(c, &tag) || tag >> 3 == 0 || tag > UINT32_MAX) return false;
  c->number = (uint32_t)(tag >> 3);
  c->type = (cpb_wire_type)(tag & 7);
  c->bytes = (cpb_span){NULL, 0};
  c->value = 0;
  switch (c->type) {
    case CPB_WIRE_VARINT: return read_varint(c, &c->value);
    case CPB_WIRE_FIXED64: return read_fixed(c, 8);
    case CPB_WIRE_LEN: return read_bytes(c);
    case CPB_WIRE_START_GROUP:
    case CPB_WIRE_END_GROUP: return true;
    case CPB_WIRE_FIXED32: return read_fixed(c, 4);
  }
  return false;
}

bool cpb_cursor_next(cpb_cursor *c) {
  size_t groups = 0;
  while (c->at < c->end) {
    if (!read_field(c)) return damaged(c);
    if (c->type == CPB_WIRE_START_GROUP) {
      groups++;
    } else if (c->type == CPB_WIRE_END_GROUP) {
      if (groups-- == 0) return damaged(c);
    } else if (groups == 0) {
      return true;
    }
  }
  return groups > 0 ? damaged(c) : false;
}

bool cpb_cursor_find(cpb_cursor *c, uint32_t number, cpb_wire_type type) {
  while (cpb_cursor_next(c))
    if (c->number == number && c->type == type) return true;
  return false;
}

cpb_span cpb_get_bytes(cpb_span message, uint32_t number) {
  cpb_span last = {NULL, 0};
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) last = c.bytes;
  return last;
}

uint64_t cpb_get_number(cpb_span message, uint32_t number) {
  uint64_t last = 0;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c))
    if (c.number == number && c.type != CPB_WIRE_LEN) last = c.value;
  return last;
}

size_t cpb_count_bytes(cpb_span message, uint32_t number) {
  size_t count = 0;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) count++;
  return count;
}

uint32_t cpb_last_field(cpb_span message) {
  uint32_t last = 0;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) last = c.number;
  return last;
}

cpb_span cpb_get_entry(cpb_span message, uint32_t number, cpb_span key) {
  cpb_span last = {NULL, 0};
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN))
    if (cpb_span_equal(cpb_get_bytes(c.bytes, 1), key)) last = c.bytes;
  return last;
}

cpb_varints cpb_varints_of(cpb_span message, uint32_t number) {
  return (cpb_varints){.fields = cpb_cursor_of(message), .number = number};
}

bool cpb_varints_next(cpb_varints *v, uint64_t *value) {
  for (;;) {
    if (v->at != v->end) {
      const uint8_t *after = cpb_varint_read(v->at, v->end, value);
      /* a malformed number ends its packed field; the walk continues with the next field */
      v->at = after ? after : v->end;
      if (after) return true;
    }
    do {
      if (!cpb_cursor_next(&v->fields)) return false;
    } while (v->fields.number != v->number);
    if (v->fields.type != CPB_WIRE_LEN) {
      *value = v->fields.value;
      return true;
    }
    v->at = v->fields.bytes.data;
    v->end = v->at + v->fields.bytes.size;
  }
}

size_t cpb_count_varints(cpb_span message, uint32_t number) {
  size_t count = 0;
  uint64_t value;
  cpb_varints v = cpb_varints_of(message, number);
  while (cpb_varints_next(&v, &value)) count++;
  return count;
}

bool cpb_packed_next(cpb_span *packed, bool has_four_bytes, uint64_t *value) {
  if (packed->size < (has_four_bytes ? 4 : 1)) return false;
  if (has_four_bytes) *value = cpb_load32(packed->data);
  const uint8_t *end = packed->data + packed->size;
  const uint8_t *at = has_four_bytes ? packed->data + 4 : cpb_varint_read(packed->data, end, value);
  if (at) *packed = (cpb_span){at, (size_t)(end - at)};
  return at != NULL;
}
