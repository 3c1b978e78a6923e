#include "riegeli/transpose/encoder_state.h"

/* Values up to this one are in the state machine, larger ones in a buffer, as in Riegeli. */
enum { MOST_INLINE = 3 };

/* An open message or group. */
typedef struct frame {
  uint32_t parent;    /* of the fields around it */
  uint32_t field;     /* of a submessage */
  const uint8_t *end; /* of the message around it */
} frame;

/* The input is known to be canonical. */
typedef struct walk {
  cpb_transpose_encoder *encoder;
  const uint8_t *next, *end; /* of the innermost message */
  uint32_t parent;
  size_t open;
  frame frames[CPB_TRANSPOSE_DEPTH];
} walk;

static inline uint32_t read_u32(const uint8_t **p) {
  uint32_t value = **p & 0x7f;
  for (unsigned shift = 7; *(*p)++ >= 0x80; shift += 7) value |= (uint32_t)(**p & 0x7f) << shift;
  return value;
}

static void open_frame(walk *w, uint32_t field) {
  w->frames[w->open++] = (frame){w->parent, field, w->end};
  w->parent = field + CPB_PARENT_FIRST;
}

static const frame *close_frame(walk *w) {
  const frame *f = &w->frames[--w->open];
  w->parent = f->parent;
  w->end = f->end;
  return f;
}

static bool put_varint(walk *w, uint32_t field) {
  cpb_transpose_encoder *e = w->encoder;
  const uint8_t first = *w->next;
  if (first <= MOST_INLINE) {
    w->next++;
    return cpb_transpose_act(e, field, CPB_SUBTYPE_INLINE + first);
  }
  uint8_t bytes[CPB_VARINT_MAX];
  uint32_t size = 0;
  do bytes[size++] = *w->next & 0x7f;
  while (*w->next++ >= 0x80);
  return cpb_transpose_act(e, field, size - 1) &&
         cpb_transpose_put(e, field, CPB_COLUMN_VARINT, (cpb_span){bytes, size});
}

static bool put_fixed(walk *w, uint32_t field, cpb_column_kind kind, size_t size) {
  const cpb_span value = {w->next, size};
  w->next += size;
  return cpb_transpose_act(w->encoder, field, 0) && cpb_transpose_put(w->encoder, field, kind, value);
}

/* An empty string is not treated as a message, which would need two nodes instead of one. */
static bool put_length_delimited(walk *w, uint32_t field) {
  cpb_transpose_encoder *e = w->encoder;
  const uint8_t *begin = w->next;
  const size_t size = read_u32(&w->next);
  const cpb_span content = {w->next, size};
  if (size > 0 && w->open < CPB_TRANSPOSE_DEPTH &&
      cpb_transpose_is_message(content, CPB_TRANSPOSE_DEPTH - w->open - 1)) {
    open_frame(w, field);
    w->end = content.data + size;
    return cpb_transpose_act(e, field, CPB_SUBTYPE_SUBMESSAGE_START);
  }
  w->next += size;
  return cpb_transpose_act(e, field, CPB_SUBTYPE_STRING) &&
         cpb_transpose_put(e, field, CPB_COLUMN_STRING, (cpb_span){begin, (size_t)(w->next - begin)});
}

/* The end of a group has a tag, so it counts as a field within the group. */
static bool put_field(walk *w) {
  const uint32_t tag = read_u32(&w->next);
  const uint32_t field = cpb_transpose_field_of(w->encoder, w->parent, tag);
  if (field == CPB_NO_NUMBER) return false;
  switch (tag & 7) {
    case CPB_TAG_VARINT: return put_varint(w, field);
    case CPB_TAG_FIXED32: return put_fixed(w, field, CPB_COLUMN_FIXED32, 4);
    case CPB_TAG_FIXED64: return put_fixed(w, field, CPB_COLUMN_FIXED64, 8);
    case CPB_TAG_LENGTH: return put_length_delimited(w, field);
    case CPB_TAG_GROUP_START: open_frame(w, field); break;
    default: close_frame(w); break;
  }
  return cpb_transpose_act(w->encoder, field, 0);
}

static bool put_fields(walk *w) {
  for (;;) {
    while (w->next < w->end)
      if (!put_field(w)) return false;
    if (w->open == 0) return true;
    if (!cpb_transpose_act(w->encoder, close_frame(w)->field, CPB_SUBTYPE_SUBMESSAGE_END)) return false;
  }
}

static bool put_message(cpb_transpose_encoder *e, cpb_span record) {
  const uint32_t field = cpb_transpose_field_of(e, CPB_PARENT_RECORD_START, 0);
  if (field == CPB_NO_NUMBER || !cpb_transpose_act(e, field, 0)) return false;
  walk w;
  w.encoder = e;
  w.next = record.data;
  w.end = record.data + record.size;
  w.parent = CPB_PARENT_ROOT;
  w.open = 0;
  return put_fields(&w);
}

static bool put_non_proto(cpb_transpose_encoder *e, cpb_span record) {
  if (record.size > UINT32_MAX)
    return cpb_transpose_too_much(e, "transposed: a record that is no message has 4 GiB or more");
  uint8_t bytes[CPB_VARINT_MAX];
  const cpb_span size = {bytes, (size_t)(cpb_varint_write(bytes, record.size) - bytes)};
  const uint32_t field = cpb_transpose_field_of(e, CPB_PARENT_NON_PROTO, 0);
  const uint32_t sizes = cpb_transpose_seek_field(e, CPB_PARENT_RECORD_SIZES, 0);
  return field != CPB_NO_NUMBER && sizes != CPB_NO_NUMBER && cpb_transpose_act(e, field, 0) &&
         cpb_transpose_put(e, field, CPB_COLUMN_NON_PROTO, record) &&
         cpb_transpose_put(e, sizes, CPB_COLUMN_RECORD_SIZES, size);
}

bool cpb_transpose_take_apart(cpb_transpose_encoder *e, cpb_span record) {
  if (cpb_transpose_is_message(record, CPB_TRANSPOSE_DEPTH)) return put_message(e, record);
  return put_non_proto(e, record);
}
