/* Encodes Snappy blocks. The input is divided at every 64 KiB, and each part refers only to itself: so an offset has
 * two bytes, and a table of 16-bit positions finds earlier bytes. The output does not depend on how the input is
 * divided into calls. (https://github.com/google/snappy/blob/main/format_description.txt) */
#include "base/checked.h"
#include "riegeli/codec/codec.h"

enum {
  PART = 1 << 16,      /* bytes encoded at once */
  TABLE_LOG = 14,      /* of positions */
  TABLE_LEAST_LOG = 8, /* for a short part: a small table is faster to clear */
  MATCH_LEAST = 4,     /* a shorter copy would save nothing */
  MARGIN = 16,         /* bytes at the end where no match begins, so that wide loads stay within bounds */
  PATIENCE_LOG = 5,    /* after each 2^5 positions without a match, the steps grow by one */
  DENSE_LEVEL = 2      /* tries every position */
};

typedef struct snappy_state {
  cpb_codec_memory *memory;
  bool dense, begun;
  uint64_t size;     /* of all input */
  uint8_t *gathered; /* the beginning of a part, if the input comes in pieces */
  size_t num_gathered;
  uint16_t table[1 << TABLE_LOG]; /* by hash of four bytes: their last position in the part */
} snappy_state;

static void *snappy_create(cpb_codec_memory *memory, int level, int window_log) {
  snappy_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  (void)window_log;
  if (!s) return NULL;
  s->memory = memory;
  s->dense = level >= DENSE_LEVEL;
  return s;
}

static void snappy_destroy(void *state) {
  snappy_state *s = state;
  cpb_release(&s->memory->allocator, s->gathered);
  cpb_release(&s->memory->allocator, s);
}

static bool snappy_begin(void *state, uint64_t size) {
  snappy_state *s = state;
  s->begun = false;
  s->size = size;
  s->num_gathered = 0;
  return true;
}

/* --- Elements -------------------------------------------------------------- */

enum { LITERAL, COPY1, COPY2 };

/* `wide` says that 16 bytes may be read and written, because the whole part follows. */
static uint8_t *put_literal(uint8_t *out, const uint8_t *data, size_t size, bool wide) {
  const size_t n = size - 1;
  if (wide && size <= 16) {
    *out++ = (uint8_t)(n << 2 | LITERAL);
    memcpy(out, data, 16);
    return out + size;
  }
  if (n < 60) {
    *out++ = (uint8_t)(n << 2 | LITERAL);
  } else if (n < 256) {
    *out++ = 60 << 2 | LITERAL;
    *out++ = (uint8_t)n;
  } else {
    *out++ = 61 << 2 | LITERAL;
    *out++ = (uint8_t)n;
    *out++ = (uint8_t)(n >> 8);
  }
  memcpy(out, data, size);
  return out + size;
}

static uint8_t *put_copy2(uint8_t *out, size_t offset, size_t size) {
  out[0] = (uint8_t)((size - 1) << 2 | COPY2);
  out[1] = (uint8_t)offset;
  out[2] = (uint8_t)(offset >> 8);
  return out + 3;
}

/* A copy has at most 64 bytes. The rest after the long ones must be enough for another one. */
static uint8_t *put_copy(uint8_t *out, size_t offset, size_t size) {
  for (; size >= 64 + MATCH_LEAST; size -= 64) out = put_copy2(out, offset, 64);
  if (size > 64) {
    out = put_copy2(out, offset, 64 - MATCH_LEAST);
    size -= 64 - MATCH_LEAST;
  }
  if (size >= 12 || offset >= 2048) return put_copy2(out, offset, size);
  out[0] = (uint8_t)(offset >> 8 << 5 | (size - 4) << 2 | COPY1);
  out[1] = (uint8_t)offset;
  return out + 2;
}

/* --- Matches --------------------------------------------------------------- */

typedef struct part {
  const uint8_t *begin, *end;
  const uint8_t *last; /* no match begins here or after */
  uint16_t *table;
  int shift; /* from a product to a hash */
  bool dense;
} part;

static uint32_t four_bytes(const uint8_t *p) {
  uint32_t four; /* in the processor's byte order: only equality counts */
  memcpy(&four, p, sizeof four);
  return four;
}

/* The last position with the same hash, which is replaced by `at`. */
static const uint8_t *replace(const part *p, const uint8_t *at) {
  uint16_t *entry = &p->table[cpb_load32(at) * UINT32_C(0x9E3779B1) >> p->shift];
  const uint8_t *before = p->begin + *entry;
  *entry = (uint16_t)(at - p->begin);
  return before;
}

/* The next match from `*at` on, or NULL. */
static const uint8_t *find_match(const part *p, const uint8_t **at) {
  const uint8_t *now = *at;
  for (uint32_t tried = 1 << PATIENCE_LOG; now < p->last; now += p->dense ? 1 : tried++ >> PATIENCE_LOG) {
    const uint8_t *before = replace(p, now);
    if (four_bytes(before) != four_bytes(now)) continue;
    *at = now;
    return before;
  }
  return NULL;
}

/* The number of equal bytes at the front of two little-endian numbers; `bits` are those that differ. */
static size_t same_bytes(uint64_t bits) {
#ifdef __GNUC__
  return (size_t)__builtin_ctzll(bits) >> 3;
#else
  size_t n = 0;
  for (; (bits & 0xff) == 0; bits >>= 8) n++;
  return n;
#endif
}

static size_t match_size(const uint8_t *before, const uint8_t *at, const uint8_t *end) {
  const uint8_t *begin = at;
  for (; end - at >= 8; at += 8, before += 8) {
    const uint64_t differ = cpb_load64(before) ^ cpb_load64(at);
    if (differ != 0) return (size_t)(at - begin) + same_bytes(differ);
  }
  while (at < end && *at == *before) at++, before++;
  return (size_t)(at - begin);
}

/* Records positions within the match, so that later matches find them. */
static void remember(const part *p, const uint8_t *from, const uint8_t *to) {
  if (!p->dense) from = to - 1;
  for (to = to < p->last ? to : p->last; from < to; from++) replace(p, from);
}

static uint8_t *put_matches(const part *p, const uint8_t **rest, uint8_t *out) {
  const uint8_t *at = p->begin + 1, *literal = p->begin, *before;
  while ((before = find_match(p, &at)) != NULL) {
    if (at > literal) out = put_literal(out, literal, (size_t)(at - literal), true);
    do { /* often one match directly follows another */
      size_t size = MATCH_LEAST + match_size(before + MATCH_LEAST, at + MATCH_LEAST, p->end);
      out = put_copy(out, (size_t)(at - before), size);
      remember(p, at + 1, at + size);
      literal = at += size;
      if (at >= p->last) break;
      before = replace(p, at);
    } while (four_bytes(before) == four_bytes(at));
    at++;
  }
  *rest = literal;
  return out;
}

static uint8_t *put_part(snappy_state *s, cpb_span in, uint8_t *out) {
  int log = TABLE_LEAST_LOG;
  while (log < TABLE_LOG && (size_t)1 << log < in.size) log++;
  const uint8_t *rest = in.data, *end = in.data + in.size;
  if (in.size > MARGIN) {
    memset(s->table, 0, sizeof *s->table << log);
    const part p = {in.data, end, end - MARGIN, s->table, 32 - log, s->dense};
    out = put_matches(&p, &rest, out);
  }
  return rest < end ? put_literal(out, rest, (size_t)(end - rest), false) : out;
}

/* --- The stream ------------------------------------------------------------- */

/* A literal of up to 60 bytes costs one byte, a longer one two or three; a copy saves at least one. */
static size_t most_bytes(size_t size) { return size + size / 32 + 2 * MARGIN; }

static bool encode_part(snappy_state *s, cpb_span in, cpb_buffer *out) {
  if (!cpb_buffer_reserve(out, out->size + most_bytes(in.size))) return false;
  out->size = (size_t)(put_part(s, in, out->data + out->size) - out->data);
  return true;
}

static bool gather(snappy_state *s, cpb_span *in) {
  if (!s->gathered) s->gathered = cpb_alloc(&s->memory->allocator, PART);
  if (!s->gathered) return false;
  size_t n = cpb_min_size(in->size, PART - s->num_gathered);
  if (n > 0) memcpy(s->gathered + s->num_gathered, in->data, n);
  s->num_gathered += n;
  in->data += n;
  in->size -= n;
  return true;
}

static bool encode_gathered(snappy_state *s, cpb_buffer *out) {
  const cpb_span in = {s->gathered, s->num_gathered};
  s->num_gathered = 0;
  return encode_part(s, in, out);
}

static bool begin_stream(snappy_state *s, cpb_buffer *out) {
  uint8_t size[CPB_VARINT_MAX];
  s->begun = true;
  return cpb_buffer_append(out, size, (size_t)(cpb_varint_write(size, s->size) - size));
}

static bool snappy_write(void *state, cpb_span in, bool last, cpb_buffer *out) {
  snappy_state *s = state;
  if (!s->begun && !begin_stream(s, out)) return false;
  while (in.size > 0) {
    if (s->num_gathered == 0 && (in.size >= PART || last)) {
      const cpb_span first = {in.data, cpb_min_size(in.size, PART)};
      if (!encode_part(s, first, out)) return false;
      in.data += first.size;
      in.size -= first.size;
    } else if (!gather(s, &in) || (s->num_gathered == PART && !encode_gathered(s, out))) {
      return false;
    }
  }
  return !last || s->num_gathered == 0 || encode_gathered(s, out);
}

const cpb_encoder cpb_encoder_snappy = {
    .type = CPB_RIEGELI_SNAPPY,
    .level_default = 1,
    .size_max = UINT32_MAX,
    .create = snappy_create,
    .destroy = snappy_destroy,
    .begin = snappy_begin,
    .write = snappy_write,
};
