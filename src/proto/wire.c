#include "proto/wire.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

/* Five bytes are enough for any field number. A longer tag is damage, as in protobuf's own parsers. */
#define TAG_MAX 5

void cpb_wire_begin(cpb_wire_scanner *s, const cpb_allocator *a, uint32_t depth_limit, uint64_t size,
                    cpb_error *error) {
  memset(s, 0, sizeof *s);
  s->size = size;
  s->depth_limit = depth_limit;
  s->allocator = a;
  s->error = error;
}

void cpb_wire_free(cpb_wire_scanner *s) {
  cpb_release(s->allocator, s->frames);
  s->frames = NULL;
  s->depth = s->capacity = 0;
}

static cpb_wire_event damaged(cpb_wire_scanner *s, uint64_t offset, const char *what) {
  cpb_fail(s->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s at byte %llu of the message", what, (unsigned long long)offset);
  return CPB_WIRE_ERROR;
}

/* --- Tag, length or number of a field ------------------------------------ */

typedef enum { HEAD_READ, HEAD_SHORT, HEAD_BAD } head_result;

typedef struct {
  const uint8_t *at, *end;
  const char *wrong; /* after HEAD_BAD */
} head_reader;

static head_result bad(head_reader *r, const char *what) {
  r->wrong = what;
  return HEAD_BAD;
}

static head_result read_varint(head_reader *r, uint64_t *value) {
  const uint8_t *after = cpb_varint_read(r->at, r->end, value);
  if (!after) {
    bool whole = r->end - r->at >= CPB_VARINT_MAX;
    return whole ? bad(r, "varint of more than 64 bits") : HEAD_SHORT;
  }
  r->at = after;
  return HEAD_READ;
}

static head_result read_tag(head_reader *r, cpb_wire_field *f) {
  uint64_t tag;
  const uint8_t *begin = r->at;
  head_result result = read_varint(r, &tag);
  if (result == HEAD_SHORT && r->end - begin < TAG_MAX) return HEAD_SHORT;
  if (result != HEAD_READ || r->at - begin > TAG_MAX || tag > UINT32_MAX)
    return bad(r, "tag with a field number above 536870911");
  f->number = (uint32_t)tag >> 3;
  f->type = (cpb_wire_type)(tag & 7);
  if (f->number == 0) return bad(r, "tag with field number 0");
  if (f->type > CPB_WIRE_FIXED32) return bad(r, "tag with an unknown wire type (6 or 7)");
  return HEAD_READ;
}

static head_result read_fixed(head_reader *r, cpb_wire_field *f, unsigned size) {
  if ((size_t)(r->end - r->at) < size) return HEAD_SHORT;
  f->number_value = size == 8 ? cpb_load64(r->at) : cpb_load32(r->at);
  f->size = size;
  r->at += size;
  return HEAD_READ;
}

/* Reads the head of a field: tag and length, or tag and number. Offsets in `f` count from its first byte. HEAD_SHORT:
 * it continues beyond `end`. */
static head_result read_head(head_reader *r, cpb_wire_field *f) {
  const uint8_t *begin = r->at;
  head_result result = read_tag(r, f);
  if (result != HEAD_READ) return result;
  const uint8_t *value = r->at;
  f->size = f->number_value = 0;
  switch (f->type) {
    case CPB_WIRE_VARINT:
      result = read_varint(r, &f->number_value);
      f->size = (uint64_t)(r->at - value);
      break;
    case CPB_WIRE_FIXED64: result = read_fixed(r, f, 8); break;
    case CPB_WIRE_FIXED32: result = read_fixed(r, f, 4); break;
    case CPB_WIRE_LEN:
      result = read_varint(r, &f->size);
      value = r->at;
      break;
    default: break; /* a group has only its tag */
  }
  f->value = (uint64_t)(value - begin);
  return result;
}

/* --- Frames --------------------------------------------------------------- */

static uint64_t end_of(const cpb_wire_scanner *s) { return s->depth > 0 ? s->frames[s->depth - 1].end : s->size; }

static bool push(cpb_wire_scanner *s) {
  if (s->depth >= s->depth_limit)
    return CPB_FAILS(s->error, CPB_E_LIMIT, CPB_NO_OFFSET,
                     "messages nested deeper than the limit of %u at byte %llu of the message",
                     (unsigned)s->depth_limit, (unsigned long long)s->field.begin);
  if (!CPB_RESERVE(s->allocator, &s->frames, &s->capacity, s->depth + 1)) return cpb_fail_memory(s->error), false;
  bool group = s->field.type == CPB_WIRE_START_GROUP;
  uint64_t end = group ? end_of(s) : s->field.value + s->field.size;
  s->frames[s->depth++] = (cpb_wire_frame){s->field, end};
  return true;
}

bool cpb_wire_enter(cpb_wire_scanner *s) {
  if (s->error->code != CPB_OK) return false;
  if (!s->value_open) return CPB_FAILS(s->error, CPB_E_USAGE, CPB_NO_OFFSET, "there is no message to enter");
  s->value_open = false;
  return push(s);
}

/* Leaves the innermost message. False if this is not to be reported, because it is a group being skipped. */
static bool pop(cpb_wire_scanner *s) {
  cpb_wire_frame *frame = &s->frames[--s->depth];
  frame->field.size = s->pos - frame->field.value;
  s->field = frame->field;
  if (s->skipping_groups == 0) return true;
  s->skipping_groups--;
  return false;
}

/* --- Walking -------------------------------------------------------------- */

static void use(cpb_wire_scanner *s, cpb_span *in, size_t count) {
  if (count > 0) in->data += count; /* data may be NULL in an empty span */
  in->size -= count;
  s->pos += count;
}

/* The head of the field at `begin` does not end within `in`, or began in earlier bytes: it is collected in s->partial.
 * Any excess bytes stay in `in`. */
static head_result resume_head(cpb_wire_scanner *s, cpb_span *in, uint64_t begin) {
  size_t had = s->partial_size;
  size_t room = cpb_min_size(sizeof s->partial, (size_t)cpb_min_u64(end_of(s) - begin, sizeof s->partial));
  size_t more = cpb_min_size(in->size, room - had);
  memcpy(s->partial + had, in->data, more);
  head_reader r = {s->partial, s->partial + had + more, NULL};
  head_result result = read_head(&r, &s->field);
  if (result == HEAD_BAD) damaged(s, begin, r.wrong);
  size_t used = result == HEAD_READ ? (size_t)(r.at - s->partial) - had : more;
  use(s, in, used);
  s->partial_size = result == HEAD_SHORT ? had + more : 0;
  return result;
}

static head_result next_head(cpb_wire_scanner *s, cpb_span *in) {
  uint64_t begin = s->pos - s->partial_size;
  uint64_t left = end_of(s) - begin;
  if (in->size == 0) return HEAD_SHORT;
  head_result result = HEAD_SHORT;
  if (s->partial_size == 0) {
    head_reader r = {in->data, in->data + cpb_min_u64(in->size, left), NULL};
    result = read_head(&r, &s->field);
    if (result == HEAD_BAD) damaged(s, begin, r.wrong);
    if (result == HEAD_READ) use(s, in, (size_t)(r.at - in->data));
  }
  if (result == HEAD_SHORT) result = resume_head(s, in, begin);
  if (result == HEAD_SHORT && s->partial_size == left) {
    s->field.begin = begin;
    damaged(s, begin, "message that ends within a field");
    return HEAD_BAD;
  }
  s->field.begin = begin;
  s->field.value += begin;
  return result;
}

/* The head of s->field was read. False when the field is not to be reported, or s->error is
 * set. */
static bool take_field(cpb_wire_scanner *s, cpb_wire_event *event) {
  cpb_wire_field *f = &s->field;
  *event = CPB_WIRE_FIELD;
  s->value_open = f->type == CPB_WIRE_LEN || f->type == CPB_WIRE_START_GROUP;
  s->walked += f->value - f->begin + (s->value_open ? 0 : f->size);
  if (f->type == CPB_WIRE_LEN && f->size > end_of(s) - f->value) {
    damaged(s, f->begin, "field that goes past the end of its message");
    return false;
  }
  if (f->type != CPB_WIRE_END_GROUP) return s->skipping_groups == 0;

  const cpb_wire_frame *top = s->depth > 0 ? &s->frames[s->depth - 1] : NULL;
  if (!top || top->field.type != CPB_WIRE_START_GROUP || top->field.number != f->number) {
    damaged(s, f->begin, "end of a group that was not begun");
    return false;
  }
  *event = CPB_WIRE_LEAVE;
  return pop(s);
}

static void go_to(cpb_wire_scanner *s, cpb_span *in, uint64_t pos) {
  use(s, in, (size_t)cpb_min_u64(in->size, pos - s->pos));
  s->pos = pos;
}

cpb_span cpb_wire_take(cpb_wire_scanner *s, cpb_span *in) {
  uint64_t left = s->field.value + s->field.size - s->pos;
  cpb_span taken = {in->data, (size_t)cpb_min_u64(in->size, left)};
  use(s, in, taken.size);
  return taken;
}

void cpb_wire_pass(cpb_wire_scanner *s, cpb_span *in) {
  s->value_open = false;
  s->partial_size = 0;
  s->depth -= s->skipping_groups;
  s->skipping_groups = 0;
  go_to(s, in, end_of(s));
}

void cpb_wire_move(cpb_wire_scanner *s, size_t depth, uint64_t pos) {
  s->value_open = false;
  s->partial_size = 0;
  s->skipping_groups = 0;
  s->depth = depth;
  s->pos = pos;
}

/* Skips a value that was not entered. A group has no length, so its fields are scanned. */
static bool skip_value(cpb_wire_scanner *s, cpb_span *in) {
  s->value_open = false;
  if (s->field.type == CPB_WIRE_START_GROUP) {
    if (!push(s)) return false;
    s->skipping_groups++;
    return true;
  }
  go_to(s, in, s->field.value + s->field.size);
  return true;
}

static cpb_wire_event at_end(cpb_wire_scanner *s) {
  if (s->depth == 0) return CPB_WIRE_END;
  const cpb_wire_field *entered = &s->frames[s->depth - 1].field;
  if (entered->type == CPB_WIRE_START_GROUP) return damaged(s, entered->begin, "group without an end");
  pop(s);
  return CPB_WIRE_LEAVE;
}

cpb_wire_event cpb_wire_next(cpb_wire_scanner *s, cpb_span *in) {
  while (s->error->code == CPB_OK) {
    if (s->value_open && !skip_value(s, in)) break;
    if (s->pos == end_of(s)) return at_end(s); /* no field ends early here: that was an error */
    head_result result = next_head(s, in);
    if (result == HEAD_SHORT) return CPB_WIRE_MORE;
    cpb_wire_event event;
    if (result == HEAD_READ && take_field(s, &event)) return event;
  }
  return CPB_WIRE_ERROR;
}

uint64_t cpb_wire_walked(cpb_wire_scanner *s) {
  uint64_t walked = s->walked;
  s->walked = 0;
  return walked;
}

/* --- Writing -------------------------------------------------------------- */

uint8_t *cpb_wire_put_tag(uint8_t *out, uint32_t number, cpb_wire_type type) {
  return cpb_varint_write(out, (uint64_t)number << 3 | type);
}

uint8_t *cpb_wire_put_len(uint8_t *out, uint32_t number, uint64_t size) {
  return cpb_varint_write(cpb_wire_put_tag(out, number, CPB_WIRE_LEN), size);
}

size_t cpb_wire_len_size(uint32_t number, uint64_t size) {
  return cpb_varint_size((uint64_t)number << 3) + cpb_varint_size(size);
}
