/* The records are written from the last byte of the last one to the first byte of the first: when
 * the tag and length of a submessage or string are put in front of it, its size is known. `out`
 * points to the byte written last. What is before it is free, so short things are copied with
 * stores of a fixed width: the garbage before them is overwritten next.
 *
 * Invariants. Between two nodes the bytes [out, end) are final: the rear of the output, which still
 * lacks only the tags and lengths of the submessages in `open`, and those go in front of it. The
 * cursor of a buffer only moves forward.
 *
 * It ends: each transition byte is used once, and leads to at most four nodes and the implicit
 * ones after each, which form no loop (nodes.c). However many transitions there are, each node
 * writes bytes (at most decoded_size), begins a record (at most num_records), opens a submessage
 * (at most limits.depth at a time, and closing it writes bytes) or is counted in `idle`.
 *
 * Memory: the block of the output, which grows with what is written and never beyond decoded_size,
 * and a position for each record and each open submessage. All three are checked against the limits
 * before the machine starts, or as they grow. */
#include "riegeli/transpose/machine.h"

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
  const cpb_transpose_node *node; /* of its end, which has the tag */
  size_t position;                /* of its end, counted from the end of the output */
} open_submessage;

typedef struct machine {
  cpb_transpose_program *program;
  uint8_t *begin, *end;  /* the block of the output; `out` moves from end to begin */
  const uint8_t *values; /* where the first buffer begins */
  open_submessage *open;
  size_t num_open, open_capacity;
  uint64_t *ends; /* where records begin, counted from the end of the output; the last first */
  size_t num_records, ends_capacity;
  uint64_t idle, most_idle; /* how many nodes did nothing, and how many may */
} machine;

/* Each put_* writes something in front of `out` and returns the new `out`, or NULL after an
 * error. */

static COLD uint8_t *damaged(const machine *m, const char *text) {
  cpb_transpose_damaged(m->program, text);
  return NULL;
}

static COLD bool no_memory(const machine *m) {
  cpb_fail_memory(m->program->error);
  return false;
}

/* --- Room ------------------------------------------------------------------ */

/* Moves the output to the end of a new block of `capacity` bytes. */
static uint8_t *move_output(machine *m, uint8_t *out, size_t capacity) {
  const cpb_allocator *a = &m->program->allocator;
  const size_t written = (size_t)(m->end - out);
  uint8_t *block = cpb_alloc(a, capacity);
  if (!block) {
    no_memory(m);
    return NULL;
  }
  if (written > 0) memcpy(block + capacity - written, out, written);
  cpb_release(a, m->begin);
  m->begin = block;
  m->end = block + capacity;
  return m->end - written;
}

/* Makes room for `size` more bytes. The block grows to twice its size, but not beyond the decoded
 * size, which it has in the end. */
static COLD uint8_t *make_room(machine *m, uint8_t *out, size_t size) {
  const size_t capacity = (size_t)(m->end - m->begin), written = (size_t)(m->end - out);
  const size_t most = (size_t)m->program->decoded_size;
  if (size > most - written) return damaged(m, "the records are larger than the chunk header says");
  if (size <= capacity - written) return out;
  const size_t grown = capacity > most / 2 ? most : 2 * capacity;
  return move_output(m, out, cpb_max_size(grown, written + size));
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

/* Copies `bytes`, which are in a buffer. Short ones are copied with BYTES_STORE bytes that end where
 * they do, if there are as many before in the buffers. */
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

/* The continuation bits of a varint, which buffers leave out: all bytes have one but the last. */
static const uint8_t continuation[2][VALUE_STORE] = {
    {0}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}};

static INLINE void store_value(uint8_t *before, const uint8_t *after, unsigned varint) {
  uint64_t value[2], bits[2];
  memcpy(value, after - VALUE_STORE, VALUE_STORE);
  memcpy(bits, continuation[varint], VALUE_STORE);
  value[0] |= bits[0];
  value[1] |= bits[1];
  memcpy(before - VALUE_STORE, value, VALUE_STORE);
}

static COLD uint8_t *put_value_exactly(machine *m, uint8_t *out, const uint8_t *bytes, const cpb_transpose_node *node) {
  uint8_t value[2 * VALUE_STORE] = {0};
  memcpy(value + VALUE_STORE - node->value_size, bytes, node->value_size);
  store_value(value + 2 * VALUE_STORE, value + VALUE_STORE, node->varint);
  return put_exactly(m, out, value + 2 * VALUE_STORE - node->value_size, node->value_size);
}

/* --- Nodes ----------------------------------------------------------------- */

static INLINE uint8_t *put_value(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  cpb_transpose_cursor *buffer = node->buffer;
  const uint8_t *bytes = buffer->next;
  if (UNLIKELY(buffer->end - bytes < node->value_size)) return damaged(m, "a buffer of numbers ends early");
  buffer->next = bytes + node->value_size;
  if (cramped(m, out) || UNLIKELY(buffer->next - m->values < VALUE_STORE)) {
    out = put_value_exactly(m, out, bytes, node);
    if (!out) return NULL;
  } else {
    store_value(out, buffer->next, node->varint);
    out -= node->value_size;
  }
  return put_tag(m, out, node);
}

/* Takes a varint of 32 bits from a buffer. */
static INLINE bool take_length(cpb_transpose_cursor *buffer, uint32_t *length) {
  if (buffer->next < buffer->end && *buffer->next < 0x80) {
    *length = *buffer->next++;
    return true;
  }
  return cpb_transpose_read_u32(buffer, length);
}

static INLINE uint8_t *put_string(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  cpb_transpose_cursor *buffer = node->buffer;
  const uint8_t *bytes = buffer->next; /* with the length, as in the record */
  uint32_t length;
  if (UNLIKELY(!take_length(buffer, &length))) return damaged(m, "a string's length is missing");
  if (UNLIKELY((size_t)(buffer->end - buffer->next) < length)) return damaged(m, "a buffer of strings ends early");
  buffer->next += length;
  out = put_bytes(m, out, bytes, (size_t)(buffer->next - bytes));
  return UNLIKELY(!out) ? NULL : put_tag(m, out, node);
}

/* Makes room in a full stack of `*capacity` elements. It may have up to `most`, which is more. */
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
  if (m->num_open == p->limits.depth) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "transposed: messages are nested deeper than the limit of %u",
             (unsigned)p->limits.depth);
    return false;
  }
  void *open = m->open;
  if (!grow(m, &open, &m->open_capacity, p->limits.depth, sizeof *m->open)) return false;
  m->open = open;
  return true;
}

static INLINE uint8_t *end_submessage(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  if (UNLIKELY(m->num_open == m->open_capacity) && !more_open(m)) return NULL;
  m->open[m->num_open++] = (open_submessage){node, (size_t)(m->end - out)};
  return out;
}

static INLINE uint8_t *start_submessage(machine *m, uint8_t *out) {
  if (UNLIKELY(m->num_open == 0)) return damaged(m, "a submessage has no end");
  const open_submessage *last = &m->open[--m->num_open];
  const size_t length = (size_t)(m->end - out) - last->position;
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
  if (m->num_records == p->num_records) return cpb_transpose_damaged(p, "more records than the chunk header says");
  void *ends = m->ends;
  if (!grow(m, &ends, &m->ends_capacity, p->num_records, sizeof *m->ends)) return false;
  m->ends = ends;
  return true;
}

static INLINE uint8_t *start_record(machine *m, uint8_t *out) {
  if (UNLIKELY(m->num_open > 0)) return damaged(m, "a record starts within a submessage");
  if (UNLIKELY(m->num_records == m->ends_capacity) && !more_ends(m)) return NULL;
  m->ends[m->num_records++] = (uint64_t)(m->end - out);
  return out;
}

static uint8_t *put_non_proto(machine *m, uint8_t *out, const cpb_transpose_node *node) {
  cpb_transpose_cursor *buffer = node->buffer;
  uint32_t size;
  if (!take_length(m->program->record_sizes, &size)) return damaged(m, "a record's size is missing");
  if ((size_t)(buffer->end - buffer->next) < size) return damaged(m, "a buffer of records ends early");
  buffer->next += size;
  out = put_bytes(m, out, buffer->next - size, size);
  return !out ? NULL : start_record(m, out);
}

/* Riegeli has a few such nodes on the way from one field to the next, where a transition does not
 * reach far enough. */
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
    case CPB_OP_NOWHERE: break;
  }
  return damaged(m, "a transition leads beyond the last node");
}

/* Goes from node to node until a transition is needed and there is none left. A transition byte
 * has in its upper six bits how many nodes past `next` to go, and in the other two for how many
 * nodes after that one `next` needs no byte. */
static uint8_t *put_records(machine *m, uint8_t *out) {
  const cpb_transpose_node *node = m->program->first;
  const uint8_t *transition = m->program->transitions.data;
  const uint8_t *last = transition + m->program->transitions.size;
  /* How often to go on without a transition byte: the repetitions that the last byte has, and once more
   * where the node is implicit. */
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
  const size_t written = (size_t)(m->end - out);
  if (m->num_open > 0) return cpb_transpose_damaged(p, "a submessage has no start");
  if (m->num_records != p->num_records) return cpb_transpose_damaged(p, "fewer records than the chunk header says");
  if (written != (m->num_records > 0 ? m->ends[m->num_records - 1] : 0))
    return cpb_transpose_damaged(p, "the first record has no start");
  if (written != p->decoded_size) return cpb_transpose_damaged(p, "the records are smaller than the chunk header says");
  return true;
}

/* Turns the begins of records, counted from the end and the last record first, into their ends,
 * counted from the begin and the first record first. */
static void count_from_begin(uint64_t *ends, size_t num_records, uint64_t size) {
  if (num_records == 0) return;
  for (size_t i = 0, j = num_records - 1; i < j--; i++) {
    const uint64_t end = size - ends[i];
    ends[i] = size - ends[j];
    ends[j] = end;
  }
}

static bool run(machine *m) {
  const cpb_transpose_program *p = m->program;
  const size_t values = p->all_values.size;
  const size_t likely = values < SIZE_MAX / 4 ? 2 * values + 4096 : values;
  const size_t capacity = (size_t)cpb_min_u64(p->decoded_size, likely);
  uint8_t *end = move_output(m, m->end, cpb_max_size(capacity, 1));
  uint8_t *begin = !end ? NULL : put_records(m, end);
  return begin && check_end(m, begin);
}

static void hand_over(const machine *m, cpb_transposed *out) {
  count_from_begin(m->ends, m->num_records, m->program->decoded_size);
  out->ends = m->ends;
  out->num_records = m->num_records;
  out->values.data = m->begin;
  out->values.size = (size_t)m->program->decoded_size;
  out->values.capacity = (size_t)(m->end - m->begin);
}

bool cpb_transpose_run(cpb_transpose_program *program, cpb_transposed *out) {
  machine m = {.program = program, .values = program->all_values.data, .most_idle = cpb_transpose_plausible(program)};
  const bool done = run(&m);
  cpb_release(&program->allocator, m.open);
  if (done) {
    hand_over(&m, out);
  } else {
    cpb_release(&program->allocator, m.ends);
    cpb_release(&program->allocator, m.begin);
  }
  return done;
}
