/* The records are written from the last byte of the last one to the first byte of the first, so the size of a
 * submessage or string is known when its tag and length are put in front of it. `out` points to the byte written last.
 * The bytes before it are free, so short values are copied with stores of a fixed width: the garbage before them is
 * overwritten next. A large value is not copied, but becomes a part (transpose.h), which counts as written. A value
 * that a block header of the file interrupts has several pieces, which also go from the last to the first.
 *
 * Invariants. Between two nodes the bytes [out, end) and the parts are final: the rear of the output, which lacks only
 * the tags and lengths of the submessages in `open`, and those go in front of it. From `begin` to `out` there is no
 * more room than the decoded size leaves. The cursor of a buffer only moves forward.
 *
 * With a projection (project.c) a node's output is well-formed, whatever is in its buffer: a varint ends where it
 * should, even if the buffer has a continuation bit there. So leaving out fields of a record does not change how its
 * other fields are read.
 *
 * It ends: each transition byte is used once, and leads to at most four nodes and the implicit ones after each, which
 * form no loop (nodes.c). However many transitions there are, each node writes bytes (at most decoded_size), begins a
 * record (at most num_records), opens a submessage (at most limits.depth at a time, and closing it writes bytes) or is
 * counted in `idle`.
 *
 * Memory: the block of the output, which grows with the output and never beyond decoded_size, a position for each
 * record and each open submessage, and an entry for each part, which has at least least_part bytes. All are checked
 * against the limits before the machine starts, or as they grow. */
#include "riegeli/transpose/transpose.h"

#include "base/checked.h"
#include "base/status.h"

#if defined(__GNUC__)
#  define COLD __attribute__((noinline, cold))
#  define INLINE inline __attribute__((always_inline))
#  define UNLIKELY(condition) __builtin_expect((condition), 0)
#else
#  define COLD
#  define INLINE inline
#  define UNLIKELY(condition) (condition)
#endif

/* The widths of stores, and how much room before `out` makes each of them safe. */
enum { VALUE_STORE = 16, BYTES_STORE = 32, ROOM = BYTES_STORE };

typedef struct open_submessage {
  const cpb_transpose_node *node; /* the node of its end, which has the tag */
  size_t position;                /* of its end, relative to the end of the output */
} open_submessage;

typedef struct machine {
  cpb_transpose_program *program;
  cpb_transposed *result;
  uint8_t *begin, *end;  /* `out` moves from the end of result->values to `begin`, which is also in there */
  size_t end_and_parts;  /* the address of `end` plus the number of bytes in parts */
  const uint8_t *values; /* where the first buffer begins */
  size_t least_part;     /* SIZE_MAX: all values are copied */
  uint64_t last[2];      /* masks for the last 8 bytes of a value; [1]: of a varint */
  open_submessage *open;
  size_t num_open, open_capacity;
  uint64_t *ends; /* result->ends: beginnings of records, relative to the end; the last one first */
  size_t num_records, most_ends;
  uint64_t idle, most_idle; /* number of idle nodes so far, and its limit */
} machine;

/* Each put_* writes something in front of `out` and returns the new `out`, or NULL after an
 * error. */

static COLD uint8_t *damaged(const machine *m, const char *text) {
  cpb_transpose_damaged(m->program, text);
  return NULL;
}

static COLD uint8_t *larger_than_said(const machine *m) {
  return damaged(m, "the records are larger than the chunk header says");
}

static COLD bool no_memory(const machine *m) { return cpb_fail_memory(m->program->error), false; }

/* --- Room ------------------------------------------------------------------ */

/* Bytes in [out, end) and in parts. */
static INLINE size_t written(const machine *m, const uint8_t *out) { return m->end_and_parts - (size_t)(uintptr_t)out; }

static void set_end(machine *m, uint8_t *end, size_t in_parts) {
  m->end = end;
  m->end_and_parts = (size_t)(uintptr_t)end + in_parts;
}

/* Sets `begin`: as far as the block and the decoded size allow. */
static void set_begin(machine *m, uint8_t *out) {
  const size_t room = m->result->values.capacity - (size_t)(m->end - out);
  m->begin = out - cpb_min_size(room, (size_t)m->program->decoded_size - written(m, out));
}

/* Moves the output to the end of a new block of `capacity` bytes. */
static uint8_t *move_output(machine *m, uint8_t *out, size_t capacity) {
  const cpb_allocator *a = &m->program->allocator;
  cpb_buffer *values = &m->result->values;
  const size_t size = (size_t)(m->end - out), in_parts = written(m, out) - size;
  uint8_t *block = cpb_alloc(a, capacity);
  if (!block) {
    no_memory(m);
    return NULL;
  }
  if (size > 0) memcpy(block + capacity - size, out, size);
  cpb_release(a, values->data);
  values->data = block;
  values->capacity = capacity;
  set_end(m, block + capacity, in_parts);
  set_begin(m, m->end - size);
  return m->end - size;
}

/* Makes room for `size` more bytes. The block doubles its size, up to the largest size that it can need. */
static COLD uint8_t *make_room(machine *m, uint8_t *out, size_t size) {
  const size_t capacity = m->result->values.capacity, in_block = (size_t)(m->end - out);
  const size_t left = (size_t)m->program->decoded_size - written(m, out), most = in_block + left;
  if (size > left) return larger_than_said(m);
  if (size <= capacity - in_block) return out;
  const size_t grown = capacity > most / 2 ? most : 2 * capacity;
  return move_output(m, out, cpb_max_size(grown, in_block + size));
}

static COLD uint8_t *put_exactly(machine *m, uint8_t *out, const uint8_t *bytes, size_t size) {
  out = make_room(m, out, size);
  if (!out) return NULL;
  out -= size;
  if (size > 0) memcpy(out, bytes, size);
  return out;
}

static INLINE bool cramped(const machine *m, const uint8_t *out) { return UNLIKELY((size_t)(out - m->begin) < ROOM); }

/* --- Pieces ---------------------------------------------------------------- */

static INLINE uint8_t *put_tag(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  if (cramped(m, out)) return put_exactly(m, out, node->tag + CPB_TRANSPOSE_TAG_ROOM - node->tag_size, node->tag_size);
  memcpy(out - CPB_TRANSPOSE_TAG_ROOM, node->tag, CPB_TRANSPOSE_TAG_ROOM);
  return out - node->tag_size;
}

/* Copies `bytes`, which are in a buffer. Short ones are copied with BYTES_STORE bytes that have the same end, if the
 * buffers have enough bytes before them. */
static INLINE uint8_t *put_bytes(machine *m, uint8_t *out, const uint8_t *bytes, size_t size) {
  const uint8_t *after = bytes + size;
  if (cramped(m, out) || UNLIKELY(after - m->values < BYTES_STORE) || size > (size_t)(out - m->begin))
    return put_exactly(m, out, bytes, size);
  if (size <= BYTES_STORE) memcpy(out - BYTES_STORE, after - BYTES_STORE, BYTES_STORE);
  else memcpy(out - size, bytes, size);
  return out - size;
}

static uint8_t *put_varint(machine *m, uint8_t *out, uint64_t value) {
  uint8_t bytes[CPB_VARINT_MAX];
  return put_exactly(m, out, bytes, (size_t)(cpb_varint_write(bytes, value) - bytes));
}

/* The continuation bits of a varint, which buffers leave out: all its bytes but the last have one. */
static const uint8_t continuation[2][VALUE_STORE] = {
    {0}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}};
static INLINE void store_value(const machine *m, uint8_t *before, const uint8_t *after, unsigned varint) {
  uint64_t value[2], bits[2];
  memcpy(value, after - VALUE_STORE, VALUE_STORE);
  memcpy(bits, continuation[varint], VALUE_STORE);
  value[0] |= bits[0];
  value[1] = (value[1] | bits[1]) & m->last[varint];
  memcpy(before - VALUE_STORE, value, VALUE_STORE);
}

static COLD uint8_t *put_value_exactly(machine *m, uint8_t *out, const uint8_t *bytes, const cpb_transpose_node *node) {
  uint8_t value[2 * VALUE_STORE] = {0};
  memcpy(value + VALUE_STORE - node->value_size, bytes, node->value_size);
  store_value(m, value + 2 * VALUE_STORE, value + VALUE_STORE, node->varint);
  return put_exactly(m, out, value + 2 * VALUE_STORE - node->value_size, node->value_size);
}

/* --- Long values ------------------------------------------------------------ */

static INLINE bool becomes_part(const machine *m, size_t size) {
  return CPB_TRANSPOSE_IN_PLACE && size >= m->least_part;
}

static uint8_t *put_part(machine *m, uint8_t *out, cpb_span bytes) {
  cpb_transposed *t = m->result;
  if (bytes.size > (size_t)m->program->decoded_size - written(m, out)) return larger_than_said(m);
  if (!CPB_RESERVE(&m->program->allocator, &t->parts, &t->parts_capacity, t->num_parts + 1)) {
    no_memory(m);
    return NULL;
  }
  t->parts[t->num_parts++] = (cpb_transposed_part){bytes, (size_t)(m->end - out)};
  m->end_and_parts += bytes.size;
  set_begin(m, out);
  return out;
}

static uint8_t *put_pieces(machine *m, uint8_t *out, cpb_transpose_cursor pieces) {
  while (out && cpb_transpose_cursor_size(&pieces) > 0) {
    const cpb_span last = cpb_transpose_cursor_take_last(&pieces);
    out = becomes_part(m, last.size) ? put_part(m, out, last) : put_exactly(m, out, last.data, last.size);
  }
  return out;
}

/* A string that put_string() does not copy at once. */
static COLD uint8_t *put_long_string(machine *m, uint8_t *out, cpb_transpose_cursor *buffer) {
  const cpb_transpose_cursor before = *buffer;
  uint8_t bytes[CPB_VARINT_MAX];
  uint32_t length;
  if (!cpb_transpose_cursor_read_u32(buffer, &length)) return damaged(m, "a string's length is missing");
  const size_t length_size = cpb_transpose_cursor_size(&before) - cpb_transpose_cursor_size(buffer);
  if (!CPB_TRANSPOSE_IN_PLACE || cpb_transpose_cursor_size(buffer) < length)
    return damaged(m, "a buffer of strings ends early");
  out = put_pieces(m, out, cpb_transpose_cursor_take(buffer, length));
  if (!out) return NULL;
  cpb_transpose_cursor_peek(&before, bytes, length_size);
  return put_exactly(m, out, bytes, length_size);
}

static COLD uint8_t *put_long_record(machine *m, uint8_t *out, cpb_transpose_cursor *buffer, size_t size) {
  if (!CPB_TRANSPOSE_IN_PLACE || cpb_transpose_cursor_size(buffer) < size)
    return damaged(m, "a buffer of records ends early");
  return put_pieces(m, out, cpb_transpose_cursor_take(buffer, size));
}

/* --- Nodes ----------------------------------------------------------------- */

/* Puts a value at the end of a piece of its buffer. */
static COLD uint8_t *put_interrupted_value(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  uint8_t bytes[VALUE_STORE];
  if (!CPB_TRANSPOSE_IN_PLACE || cpb_transpose_cursor_size(node->buffer) < node->value_size)
    return damaged(m, "a buffer of numbers ends early");
  cpb_transpose_cursor_peek(node->buffer, bytes, node->value_size);
  cpb_transpose_cursor_take(node->buffer, node->value_size);
  out = put_value_exactly(m, out, bytes, node);
  return !out ? NULL : put_tag(m, out, node);
}

static INLINE uint8_t *put_value(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  cpb_transpose_cursor *buffer = node->buffer;
  const uint8_t *bytes = buffer->next;
  if (UNLIKELY(buffer->end - bytes < node->value_size)) return put_interrupted_value(m, out, node);
  buffer->next = bytes + node->value_size;
  if (cramped(m, out) || UNLIKELY(buffer->next - m->values < VALUE_STORE)) {
    out = put_value_exactly(m, out, bytes, node);
    if (!out) return NULL;
  } else {
    store_value(m, out, buffer->next, node->varint);
    out -= node->value_size;
  }
  return put_tag(m, out, node);
}

/* Reads a varint of 32 bits. Returns the byte after it, or NULL if it does not end before `end`. */
static INLINE const uint8_t *read_length(const uint8_t *at, const uint8_t *end, uint32_t *length) {
  if (at < end && *at < 0x80) {
    *length = *at;
    return at + 1;
  }
  cpb_transpose_cursor piece = {at, end, 0};
  return cpb_transpose_cursor_read_long_u32(&piece, length) ? piece.next : NULL;
}

static INLINE uint8_t *put_string(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  cpb_transpose_cursor *buffer = node->buffer;
  const uint8_t *begin = buffer->next, *end = buffer->end; /* including the length, as in the record */
  uint32_t length;
  const uint8_t *bytes = read_length(begin, end, &length);
  if (UNLIKELY(!bytes || (size_t)(end - bytes) < length || becomes_part(m, length))) {
    out = put_long_string(m, out, buffer);
  } else {
    buffer->next = bytes + length;
    out = put_bytes(m, out, begin, (size_t)(bytes + length - begin));
  }
  return UNLIKELY(!out) ? NULL : put_tag(m, out, node);
}

/* Makes room in a full stack of `*capacity` elements, up to `most`. */
static bool grow(const machine *m, void **items, size_t *capacity, uint64_t most, size_t element) {
  const size_t grown = (size_t)cpb_min_u64(most, 2 * (uint64_t)*capacity + 32);
  size_t size;
  void *block = NULL;
  if (cpb_mul_size(grown, element, &size))
    block = cpb_realloc(&m->program->allocator, *items, *capacity * element, size);
  if (!block) return no_memory(m);
  *items = block;
  *capacity = grown;
  return true;
}

static COLD bool more_open(machine *m) {
  const cpb_transpose_program *p = m->program;
  if (m->num_open == p->limits.depth)
    return CPB_FAILS(p->error, CPB_E_LIMIT, CPB_NO_OFFSET,
                     "transposed: messages are nested deeper than the limit of %u", (unsigned)p->limits.depth);
  void *open = m->open;
  if (!grow(m, &open, &m->open_capacity, p->limits.depth, sizeof *m->open)) return false;
  m->open = open;
  return true;
}

static INLINE uint8_t *end_submessage(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  if (UNLIKELY(m->num_open == m->open_capacity) && !more_open(m)) return NULL;
  m->open[m->num_open++] = (open_submessage){node, written(m, out)};
  return out;
}

static INLINE uint8_t *start_submessage(machine *m, uint8_t *out) {
  if (UNLIKELY(m->num_open == 0)) return damaged(m, "a submessage has no end");
  const open_submessage *last = &m->open[--m->num_open];
  const size_t length = written(m, out) - last->position;
  if (UNLIKELY(length > UINT32_MAX)) return damaged(m, "a submessage exceeds 4 GiB");
  if (cramped(m, out) || length >= 0x80) {
    out = put_varint(m, out, length);
    if (!out) return NULL;
  } else {
    *--out = (uint8_t)length;
  }
  return put_tag(m, out, last->node);
}

static COLD bool more_ends(machine *m) {
  const cpb_transpose_program *p = m->program;
  cpb_transposed *t = m->result;
  void *ends = t->ends;
  if (m->num_records == p->num_records) return cpb_transpose_damaged(p, "more records than the chunk header says");
  if (m->num_records == t->ends_capacity && !grow(m, &ends, &t->ends_capacity, p->num_records, sizeof *t->ends))
    return false;
  m->ends = t->ends = ends;
  m->most_ends = (size_t)cpb_min_u64(t->ends_capacity, p->num_records);
  return true;
}

static INLINE uint8_t *start_record(machine *m, uint8_t *out) {
  if (UNLIKELY(m->num_open > 0)) return damaged(m, "a record starts within a submessage");
  if (UNLIKELY(m->num_records == m->most_ends) && !more_ends(m)) return NULL;
  m->ends[m->num_records++] = written(m, out);
  return out;
}

static uint8_t *put_non_proto(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  cpb_transpose_cursor *buffer = node->buffer;
  uint32_t size;
  if (!cpb_transpose_cursor_read_u32(m->program->record_sizes, &size)) return damaged(m, "a record's size is missing");
  if ((size_t)(buffer->end - buffer->next) < size || becomes_part(m, size)) {
    out = put_long_record(m, out, buffer, size);
  } else {
    buffer->next += size;
    out = put_bytes(m, out, buffer->next - size, size);
  }
  return !out ? NULL : start_record(m, out);
}

/* Riegeli uses a few such nodes between fields if a transition does not reach far enough. */
static uint8_t *do_nothing(machine *m, uint8_t *out) {
  return ++m->idle > m->most_idle ? damaged(m, "too many nodes do nothing") : out;
}

static INLINE uint8_t *put_node(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  switch ((cpb_transpose_op)node->op) {
    case CPB_OP_NOTHING: return do_nothing(m, out);
    case CPB_OP_TAG: return put_tag(m, out, node);
    case CPB_OP_VALUE: return put_value(m, out, node);
    case CPB_OP_STRING: return put_string(m, out, node);
    case CPB_OP_SUBMESSAGE_END: return end_submessage(m, out, node);
    case CPB_OP_SUBMESSAGE_START: return start_submessage(m, out);
    case CPB_OP_RECORD_START: return start_record(m, out);
    case CPB_OP_NON_PROTO: return put_non_proto(m, out, node);
    case CPB_OP_LEFT_OUT: return out;
    case CPB_OP_NOWHERE: break;
  }
  return damaged(m, "a transition leads beyond the last node");
}

/* Goes from node to node until a transition is needed and none is left. The upper six bits of a transition byte are the
 * number of nodes past `next` to go to; the lower two are the number of nodes after that one whose `next` needs no
 * byte. */
static uint8_t *put_records(machine *m, uint8_t *out) {
  const cpb_transpose_node *node = m->program->first;
  const uint8_t *transition = m->program->transitions.data;
  const uint8_t *last = transition + m->program->transitions.size;
  /* Number of steps without a transition byte: the repetitions in the last byte, and one more if the node is
   * implicit. */
  unsigned steps = node->implicit;
  for (;;) {
    out = put_node(m, out, node);
    if (UNLIKELY(!out)) return NULL;
    node = node->next;
    if (steps > 0) {
      steps -= !node->implicit;
      continue;
    }
    if (transition == last) return out;
    node += *transition >> 2;
    steps = (*transition++ & 3u) + node->implicit;
  }
}

/* --- Whole chunks ---------------------------------------------------------- */

static bool check_end(const machine *m, const uint8_t *out) {
  const cpb_transpose_program *p = m->program;
  const size_t size = written(m, out);
  if (m->num_open > 0) return cpb_transpose_damaged(p, "a submessage has no start");
  if (m->num_records != p->num_records) return cpb_transpose_damaged(p, "fewer records than the chunk header says");
  if (size != (m->num_records > 0 ? m->ends[m->num_records - 1] : 0))
    return cpb_transpose_damaged(p, "the first record has no start");
  if (size != p->decoded_size && !p->projected)
    return cpb_transpose_damaged(p, "the records are smaller than the chunk header says");
  return true;
}

/* Turns the beginnings of records, relative to the end and with the last record first, into their ends, relative to the
 * beginning and with the first record first. */
static void count_from_begin(uint64_t *ends, size_t num_records, uint64_t size) {
  if (num_records == 0) return;
  for (size_t i = 0, j = num_records - 1; i < j--; i++) {
    const uint64_t end = size - ends[i];
    ends[i] = size - ends[j];
    ends[j] = end;
  }
}

/* Where the output begins, or NULL: in a kept block, if that is probably large enough. */
static uint8_t *first_room(machine *m) {
  const cpb_buffer *values = &m->result->values;
  const size_t all = cpb_transpose_cursor_size(&m->program->all_values);
  const size_t likely = all < SIZE_MAX / 4 ? 2 * all + 4096 : all;
  const size_t capacity = cpb_max_size((size_t)cpb_min_u64(m->program->decoded_size, likely), 1);
  if (values->capacity < capacity) return move_output(m, m->end, capacity);
  set_end(m, values->data + values->capacity, 0);
  set_begin(m, m->end);
  return m->end;
}

static bool run(machine *m) {
  uint8_t *end = first_room(m);
  uint8_t *begin = !end ? NULL : put_records(m, end);
  if (!begin || !check_end(m, begin)) return false;
  cpb_transposed *t = m->result;
  count_from_begin(m->ends, m->num_records, written(m, begin));
  t->num_records = m->num_records;
  t->values.size = (size_t)(m->end - begin);
  return true;
}

bool cpb_transpose_run(cpb_transpose_program *program, cpb_transposed *out) {
  machine m = {.program = program,
               .result = out,
               .values = program->all_values.next,
               .least_part = program->least_part,
               .last = {UINT64_MAX, UINT64_MAX},
               .most_idle = cpb_transpose_plausible(program)};
  if (program->projects) ((uint8_t *)&m.last[1])[7] = 0x7f;
  const bool done = run(&m);
  cpb_release(&program->allocator, m.open);
  return done;
}
