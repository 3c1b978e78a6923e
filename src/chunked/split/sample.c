#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/split/plan.h"

/* --- chunk bytes ------------------------------------------------------------------------------ */

void cpb_split_bytes_begin(cpb_split_bytes *b, const cpb_plan *plan, size_t chunk) {
  cpb_plan_open(plan, chunk, &b->cursor);
  b->open = false;
}

cpb_have cpb_split_input_failed(const cpb_input *input, cpb_have have, uint64_t offset, cpb_error *error) {
  if (have == CPB_WAIT) return CPB_WAIT;
  if (have == CPB_FAILED) *error = input->failure;
  else cpb_fail(error, CPB_E_TRUNCATED, offset, "the input has become shorter since the split was planned");
  return CPB_FAILED;
}

cpb_have cpb_split_bytes_next(cpb_split_bytes *b, const cpb_plan *plan, cpb_input *input, size_t most, cpb_span *span,
                              cpb_error *error) {
  cpb_plan_piece *piece = &b->piece;
  *span = (cpb_span){NULL, 0};
  if (!b->open && !cpb_plan_next(plan, &b->cursor, piece)) return CPB_HAVE;
  b->open = piece->length > 0;
  if (!b->open) {
    *span = (cpb_span){piece->literal, piece->literal_size};
    return CPB_HAVE;
  }
  size_t want = (size_t)cpb_min_u64(piece->length, most);
  cpb_have have = cpb_input_span(input, piece->offset, want, piece->length, span);
  if (have != CPB_HAVE) return cpb_split_input_failed(input, have, piece->offset, error);
  piece->offset += span->size;
  piece->length -= span->size;
  b->open = piece->length > 0;
  return CPB_HAVE;
}

/* --- sample ----------------------------------------------------------------------------------- */

#define SAMPLE_MIN 64         /* less is not worth a try */
#define MIDDLE_MIN (1u << 20) /* values from here on are also tried in the middle */
#define SAMPLE_LEVEL 1        /* says as much as a higher one, and sooner */

void cpb_split_sample_init(cpb_split_sample *s, const cpb_allocator *a) {
  memset(s, 0, sizeof *s);
  s->allocator = *a;
  s->chunk = CPB_SAMPLE_NONE;
  cpb_buffer_init(&s->bytes, a);
  cpb_buffer_init(&s->packed, a);
}

void cpb_split_sample_free(cpb_split_sample *s) {
  cpb_compressor_free(s->compressor);
  s->compressor = NULL;
  cpb_buffer_free(&s->bytes);
  cpb_buffer_free(&s->packed);
}

static cpb_have no_memory(cpb_error *error) { return cpb_fail_memory(error), CPB_FAILED; }

/* --- Gathering ------------------------------------------------------------ */

static bool begin(cpb_split_sample *s, const cpb_plan *plan, size_t chunk) {
  s->chunk = chunk;
  s->in_middle = false;
  s->piece_open = false;
  s->bytes.size = 0;
  cpb_plan_open(plan, chunk, &s->cursor);
  return cpb_buffer_reserve(&s->bytes, 2 * CPB_SAMPLE_SIZE);
}

static bool go_to_middle(cpb_split_sample *s, const cpb_plan *plan) {
  const cpb_plan_chunk *chunk = &plan->chunks[s->chunk];
  if (s->in_middle || !chunk->is_bytes || chunk->size < MIDDLE_MIN) return false;
  s->in_middle = true;
  s->cursor.pos = chunk->begin + chunk->size / 2;
  s->piece_open = false;
  return true;
}

/* Takes what fits of the open piece. */
static cpb_have take_piece(cpb_split_sample *s, cpb_input *input, size_t room, cpb_error *error) {
  cpb_plan_piece *piece = &s->piece;
  cpb_span span = {piece->literal, cpb_min_size(piece->literal_size, room)};
  if (piece->length > 0) {
    size_t want = (size_t)cpb_min_u64(piece->length, room);
    cpb_have have = cpb_input_span(input, piece->offset, want, want, &span);
    if (have != CPB_HAVE) return cpb_split_input_failed(input, have, piece->offset, error);
    piece->offset += span.size;
    piece->length -= span.size;
  }
  memcpy(s->bytes.data + s->bytes.size, span.data, span.size);
  s->bytes.size += span.size;
  s->piece_open = piece->length > 0;
  return CPB_HAVE;
}

static cpb_have gather(cpb_split_sample *s, const cpb_plan *plan, cpb_input *input, cpb_error *error) {
  for (;;) {
    size_t room = (s->in_middle ? 2u : 1u) * CPB_SAMPLE_SIZE - s->bytes.size;
    if (room == 0 || (!s->piece_open && !cpb_plan_next(plan, &s->cursor, &s->piece))) {
      if (!go_to_middle(s, plan)) return CPB_HAVE;
      continue;
    }
    cpb_have have = take_piece(s, input, room, error);
    if (have != CPB_HAVE) {
      s->piece_open = true;
      return have;
    }
  }
}

/* --- Trying --------------------------------------------------------------- */

static bool pack(const cpb_allocator *a, cpb_compressor **c, cpb_span bytes, cpb_buffer *packed,
                 cpb_codec_error *error) {
  const cpb_codec_options options = {.codec = CPB_CODEC_ZSTD, .level = SAMPLE_LEVEL};
  if (!*c) *c = cpb_compressor_new(a, &options, error);
  packed->size = 0;
  return *c && cpb_compressor_begin(*c, bytes.size, error) && cpb_compressor_write(*c, bytes, packed, error) &&
         cpb_compressor_finish(*c, packed, error);
}

bool cpb_sample_codec(const cpb_allocator *a, cpb_compressor **c, const cpb_buffer *bytes, cpb_buffer *packed,
                      cpb_codec *codec, cpb_error *error) {
  cpb_codec_error failure = {CPB_OK, NULL};
  *codec = CPB_CODEC_NONE;
  if (bytes->size < SAMPLE_MIN) return true;
  if (!pack(a, c, (cpb_span){bytes->data, bytes->size}, packed, &failure))
    return cpb_fail(error, failure.code, CPB_NO_OFFSET, "%s", failure.what), false;
  if (packed->size <= bytes->size - bytes->size / 10) *codec = CPB_CODEC_ZSTD;
  return true;
}

cpb_have cpb_split_sample_codec(cpb_split_sample *s, const cpb_plan *plan, size_t chunk, cpb_input *input,
                                cpb_codec *codec, cpb_error *error) {
  *codec = CPB_CODEC_NONE;
  if (plan->chunks[chunk].size < SAMPLE_MIN) return CPB_HAVE;
  if (s->chunk != chunk && !begin(s, plan, chunk)) return no_memory(error);
  cpb_have have = gather(s, plan, input, error);
  if (have != CPB_HAVE) return have;
  if (!cpb_sample_codec(&s->allocator, &s->compressor, &s->bytes, &s->packed, codec, error)) return CPB_FAILED;
  s->chunk = CPB_SAMPLE_NONE;
  return CPB_HAVE;
}
