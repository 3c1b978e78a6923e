/* Decodes Snappy blocks as a stream. Output goes to our own buffer, which holds the window that copies refer to. It
 * goes directly to the caller if earlier output stays there, or if the block is complete and its content fits.
 * (https://github.com/google/snappy/blob/main/format_description.txt) */
#include "base/checked.h"
#include "riegeli/codec/codec.h"

#define MAX_WINDOW ((uint64_t)4 << 20)
#define AHEAD ((size_t)64 << 10) /* bytes decoded into the buffer at once */
#define MAX_HEADER 5
#define MAX_SHORT 64 /* bytes of a copy; a literal of up to 60 needs no length bytes */

typedef struct snappy_state {
  cpb_codec_memory *memory;
  uint8_t header[MAX_HEADER]; /* the size of the block, or the tag of an element */
  size_t header_size;
  bool has_size;
  uint64_t size, produced;
  uint64_t left;   /* of the current element */
  size_t offset;   /* of a copy; 0: it is a literal */
  size_t window;   /* how far back a copy may reach */
  uint8_t *buffer; /* the window, followed by output not yet returned */
  size_t capacity, filled, given;
  cpb_codec_error error; /* to be reported after that output */
} snappy_state;

static void *snappy_create(cpb_codec_memory *memory) {
  snappy_state *s = cpb_alloc_zeroed(&memory->allocator, sizeof *s);
  if (s) s->memory = memory;
  return s;
}

static void snappy_destroy(void *state) {
  snappy_state *s = state;
  cpb_release(&s->memory->allocator, s->buffer);
  cpb_release(&s->memory->allocator, s);
}

static bool snappy_begin(void *state, cpb_codec_error *error) {
  snappy_state *s = state;
  (void)error;
  *s = (snappy_state){.memory = s->memory, .buffer = s->buffer, .capacity = s->capacity};
  return true;
}

static bool damaged(cpb_codec_error *error, const char *what) {
  return cpb_codec_fail(error, CPB_E_DAMAGED, what), false;
}

/* Collects the header; false until it has `size` bytes. */
static bool gather(snappy_state *s, cpb_decode_io *io, size_t size) {
  size_t n = cpb_min_size(size - s->header_size, io->in.size);
  for (size_t i = 0; i < n; i++) s->header[s->header_size++] = io->in.data[i];
  cpb_decode_advance(io, n, 0);
  return s->header_size == size;
}

static bool read_size(snappy_state *s, cpb_decode_io *io, cpb_codec_error *error) {
  do {
    if (s->header_size == MAX_HEADER) return damaged(error, "Snappy: the block's size is not a varint");
    if (!gather(s, io, s->header_size + 1)) return false;
  } while (s->header[s->header_size - 1] >= 0x80);
  if (cpb_varint_read(s->header, s->header + s->header_size, &s->size) == NULL || s->size > UINT32_MAX)
    return damaged(error, "Snappy: the block's size is out of range");
  s->window = (size_t)cpb_min_u64(s->size, cpb_min_u64(MAX_WINDOW, s->memory->window));
  s->has_size = true;
  s->header_size = 0;
  return true;
}

/* The kind of an element: the two low bits of its tag. */
enum { LITERAL, COPY1, COPY2, COPY4 };

/* Bytes after the tag: the offset of a copy, the length of a long literal. */
static unsigned extra_bytes(uint8_t tag) {
  static const uint8_t of_copy[] = {[COPY1] = 1, [COPY2] = 2, [COPY4] = 4};
  if ((tag & 3) != LITERAL) return of_copy[tag & 3];
  return tag >> 2 < 60 ? 0 : (tag >> 2) - 59u;
}

static bool check_element(const snappy_state *s, cpb_codec_error *error) {
  if (s->left > s->size - s->produced) return damaged(error, "Snappy: more data than the block's size");
  if (s->offset > s->produced) return damaged(error, "Snappy: a copy goes back past the beginning");
  if (s->offset <= s->window) return true;
  return cpb_codec_fail(error, CPB_E_LIMIT, "Snappy: a copy goes back past the window"), false;
}

static bool parse_element(snappy_state *s, cpb_codec_error *error) {
  uint8_t tag = s->header[0];
  uint32_t extra = 0;
  for (size_t i = 1; i < s->header_size; i++) extra |= (uint32_t)s->header[i] << (8 * (i - 1));
  s->header_size = 0;
  s->offset = extra;
  s->left = (uint64_t)(tag >> 2) + 1;
  if ((tag & 3) == LITERAL) {
    if (s->left > 60) s->left = (uint64_t)extra + 1;
    s->offset = 0;
    return check_element(s, error);
  }
  if ((tag & 3) == COPY1) {
    s->left = 4 + (tag >> 2 & 7);
    s->offset = (size_t)(tag >> 5) << 8 | extra;
  }
  if (s->offset == 0) return damaged(error, "Snappy: a copy has the offset 0");
  return check_element(s, error);
}

static bool next_element(snappy_state *s, cpb_decode_io *io, cpb_codec_error *error) {
  return (s->header_size > 0 || gather(s, io, 1)) && gather(s, io, 1 + extra_bytes(s->header[0])) &&
         parse_element(s, error);
}

static void emitted(snappy_state *s, cpb_decode_io *io, size_t taken, size_t given) {
  cpb_decode_advance(io, taken, given);
  s->produced += given;
  s->left -= given;
}

static void emit_literal(snappy_state *s, cpb_decode_io *io) {
  size_t n = (size_t)cpb_min_u64(s->left, cpb_min_size(io->in.size, io->room));
  if (n > 0) memcpy(io->out, io->in.data, n);
  emitted(s, io, n, n);
}

/* A copy may overlap its own output, and then repeats it: so at most `offset` bytes at a
 * time. */
static void emit_copy(snappy_state *s, cpb_decode_io *io) {
  while (s->left > 0 && io->room > 0) {
    size_t n = (size_t)cpb_min_u64(s->left, cpb_min_size(io->room, s->offset));
    memcpy(io->out, io->out - s->offset, n);
    emitted(s, io, 0, n);
  }
}

/* Copies `size` bytes, at most MAX_SHORT, within the output. It may write up to MAX_SHORT,
 * as a few wide stores are faster than an exact number. */
static void copy_short(uint8_t *out, size_t offset, size_t size) {
  const uint8_t *from = out - offset;
  if (offset >= 16) {
    memcpy(out, from, 16);
    if (size <= 16) return; /* as most are: a branch that is predicted well */
    for (size_t i = 16; i < MAX_SHORT; i += 16) memcpy(out + i, from + i, 16);
  } else if (offset >= 8) {
    for (size_t i = 0; i < size; i += 8) memcpy(out + i, from + i, 8);
  } else if (offset == 1) {
    memset(out, *from, MAX_SHORT);
  } else {
    for (size_t i = 0; i < size; i++) out[i] = from[i];
  }
}

/* Decodes short elements as long as none of them can go past the end of input or output. The
 * rest, and every error, is left to next_element(). */
static void decode_fast(snappy_state *s, cpb_decode_io *io, const uint8_t *begin) {
  size_t room = (size_t)cpb_min_u64(io->room, s->size - s->produced);
  if (s->header_size > 0 || io->in.size <= MAX_SHORT || room < MAX_SHORT) return;
  const uint8_t *in = io->in.data, *in_last = in + io->in.size - MAX_SHORT - 1;
  uint8_t *out = io->out, *out_last = out + room - MAX_SHORT;
  while (in <= in_last && out <= out_last) {
    unsigned tag = *in, kind = tag & 3;
    size_t size = (tag >> 2) + 1;
    if (kind == LITERAL) {
      if (size > 60) break;
      memcpy(out, in + 1, 16);
      if (size > 16) memcpy(out + 16, in + 17, 48);
      in += 1 + size;
    } else {
      size_t offset = kind == COPY4 ? cpb_load32(in + 1) : in[1] | (size_t)in[2] << 8;
      if (kind == COPY1) {
        size = 4 + (tag >> 2 & 7);
        offset = (size_t)(tag >> 5) << 8 | in[1];
      }
      if (offset - 1 >= cpb_min_size((size_t)(out - begin), s->window)) break;
      copy_short(out, offset, size);
      in += kind == COPY4 ? 5 : kind + 1;
    }
    out += size;
  }
  s->produced += (size_t)(out - io->out);
  cpb_decode_advance(io, (size_t)(in - io->in.data), (size_t)(out - io->out));
}

/* Decodes until the input is used up or the room is full. Copies may go back to `begin`. */
static void decode(snappy_state *s, cpb_decode_io *io, const uint8_t *begin) {
  while (s->produced < s->size) {
    if (s->left == 0) decode_fast(s, io, begin);
    if (s->produced == s->size) return;
    if (s->left == 0 && !next_element(s, io, &s->error)) return;
    if (s->offset == 0) emit_literal(s, io);
    else emit_copy(s, io);
    if (s->left > 0) return;
  }
}

/* The buffer is full, and all of it was returned. It grows with the output, up to the whole content or two windows;
 * from then on the last window moves to its front. */
static bool make_room(snappy_state *s) {
  size_t most = (size_t)cpb_min_u64(s->size, 2 * (uint64_t)s->window);
  size_t grown = cpb_min_size(most, cpb_max_size(AHEAD, s->capacity * 2));
  if (s->capacity >= grown) {
    memmove(s->buffer, s->buffer + s->filled - s->window, s->window);
    s->given = s->filled = s->window;
    return true;
  }
  uint8_t *buffer = cpb_realloc(&s->memory->allocator, s->buffer, s->capacity, grown);
  if (!buffer) return false;
  s->buffer = buffer;
  s->capacity = grown;
  return true;
}

static void give(snappy_state *s, cpb_decode_io *io) {
  size_t n = cpb_min_size(s->filled - s->given, io->room);
  if (n > 0) memcpy(io->out, s->buffer + s->given, n);
  cpb_decode_advance(io, 0, n);
  s->given += n;
}

/* Decodes into the buffer. False when the input is used up or wrong. */
static bool fill(snappy_state *s, cpb_decode_io *io) {
  uint64_t before = s->produced;
  cpb_decode_io ahead = {
      .in = io->in,
      .out = s->buffer + s->filled,
      .room = cpb_min_size(AHEAD, s->capacity - s->filled),
  };
  decode(s, &ahead, s->buffer);
  io->in = ahead.in;
  s->filled += (size_t)(s->produced - before);
  return s->produced > before;
}

static bool decode_ahead(snappy_state *s, cpb_decode_io *io) {
  do {
    give(s, io);
    if (io->room == 0 || s->produced == s->size || s->error.code != CPB_OK) return true;
    if (s->filled == s->capacity && !make_room(s)) return false;
  } while (fill(s, io));
  return true;
}

static cpb_decode snappy_read(void *state, cpb_decode_io *io, cpb_codec_error *error) {
  snappy_state *s = state;
  if (!s->has_size && !read_size(s, io, error)) return error->code == CPB_OK ? CPB_DECODE_MORE : CPB_DECODE_FAILED;
  if (io->in_place || (s->produced == 0 && io->last && io->room >= s->size))
    decode(s, io, cpb_decode_back(io, (size_t)s->produced));
  else if (!decode_ahead(s, io)) cpb_codec_fail(&s->error, CPB_E_MEMORY, "out of memory");
  if (s->given < s->filled) return CPB_DECODE_MORE;
  *error = s->error;
  if (error->code != CPB_OK) return CPB_DECODE_FAILED;
  return s->produced == s->size ? CPB_DECODE_END : CPB_DECODE_MORE;
}

static uint64_t snappy_window(const void *state) { return ((const snappy_state *)state)->window; }

const cpb_decoder cpb_decoder_snappy = {
    .codec = CPB_RIEGELI_SNAPPY,
    .early_end = "Snappy: the block ends early",
    .trailing = "Snappy: bytes after the end of the block",
    .create = snappy_create,
    .destroy = snappy_destroy,
    .begin = snappy_begin,
    .read = snappy_read,
    .window = snappy_window,
};
