#include "riegeli/transpose/program.h"

#include "base/checked.h"
#include "base/status.h"

void cpb_transpose_program_init(cpb_transpose_program *p, const cpb_allocator *a) {
  memset(p, 0, sizeof *p);
  p->allocator = *a;
  for (size_t i = 0; i < CPB_TRANSPOSE_NUM_BLOCKS; i++) cpb_buffer_init(&p->blocks[i], a);
}

static void free_decompressor(cpb_transpose_program *p) {
  cpb_decompressor_free(p->decompressor);
  p->decompressor = NULL;
}

void cpb_transpose_program_free(cpb_transpose_program *p) {
  free_decompressor(p);
  cpb_transpose_program_trim(p, 0);
}

void cpb_transpose_program_trim(cpb_transpose_program *p, size_t keep) {
  for (size_t i = 0; i < CPB_TRANSPOSE_NUM_BLOCKS; i++) cpb_buffer_reset(&p->blocks[i], keep);
}

void cpb_transpose_program_begin(cpb_transpose_program *p) {
  for (size_t i = 0; i < CPB_TRANSPOSE_NUM_BLOCKS; i++) p->blocks[i].size = 0;
  p->all_values = cpb_transpose_cursor_of((cpb_span){NULL, 0});
  p->buffers = p->record_sizes = NULL;
  p->nodes = NULL;
  p->num_buckets = p->num_buffers = p->num_nodes = 0;
  p->projects = p->projected = false;
}

/* --- Bounds and errors ------------------------------------------------------ */

bool cpb_transpose_damaged(const cpb_transpose_program *p, const char *text) {
  return CPB_FAILS(p->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "transposed: %s", text);
}

/* The largest size of a table or buffer: the limit, or a little more if the limit is tiny. */
static uint64_t most_bytes(const cpb_transpose_program *p) {
  uint64_t most;
  return cpb_add_u64(p->limits.riegeli_chunk, 1 << 16, &most) ? most : UINT64_MAX;
}

uint64_t cpb_transpose_plausible(const cpb_transpose_program *p) {
  /* Two nodes are enough for a byte or a record, and Riegeli takes at most about 32 bytes for a node and its
   * transitions. */
  const uint64_t steps = cpb_min_u64(p->decoded_size, UINT64_MAX / 256) + cpb_min_u64(p->num_records, UINT64_MAX / 256);
  return cpb_min_u64(most_bytes(p), 4096 + 64 * steps);
}

/* --- Decompressed, or in one piece ------------------------------------------ */

static bool no_memory(const cpb_transpose_program *p) { return cpb_fail_memory(p->error) == CPB_OK; }

/* Makes room for `size` bytes, without copying the block's content, so the block must be empty. */
static bool make_room(cpb_buffer *block, size_t size) {
  if (block->capacity < size) cpb_buffer_reset(block, 0);
  return cpb_buffer_reserve(block, size);
}

static bool gather(cpb_transpose_program *p, cpb_transpose_cursor in, cpb_transpose_block block, cpb_span *span) {
  if (cpb_transpose_cursor_rest(&in) == 0) {
    *span = (cpb_span){in.next, (size_t)(in.end - in.next)};
    return true;
  }
  cpb_buffer *to = &p->blocks[block];
  const size_t size = cpb_transpose_cursor_size(&in);
  to->size = 0;
  if (!make_room(to, size)) return no_memory(p);
  cpb_transpose_cursor_peek(&in, to->data, size);
  to->size = size;
  *span = (cpb_span){to->data, size};
  return true;
}

static bool begin_decompressor(cpb_transpose_program *p, uint64_t size, cpb_codec_error *failure) {
  if (p->decompressor) return cpb_decompressor_reset(p->decompressor, p->codec, size, failure);
  p->decompressor = cpb_decompressor_new(&p->allocator, &p->limits, p->codec, size, failure);
  return p->decompressor != NULL;
}

/* Passes all of `in` to the decompressor, piece by piece, with the room left in `out`. Returns the size of the
 * output. */
static size_t give_pieces(cpb_decompressor *d, cpb_transpose_cursor in, uint8_t *out, size_t room) {
  size_t given = 0;
  while (cpb_decompressor_error(d)->code == CPB_OK && cpb_transpose_cursor_size(&in) > 0) {
    cpb_span piece = cpb_transpose_cursor_take_first(&in);
    size_t left, now;
    do { /* bytes after all output need a call of their own, wherever they are cut */
      left = piece.size;
      now = cpb_decompressor_read(d, &piece, out + given, room - given);
      given += now;
    } while (piece.size > 0 && (piece.size < left || now > 0));
    if (piece.size > 0) break;
  }
  return given;
}

/* Decompresses a stream in place, directly to its destination, which then is the decoder's window. This is possible if
 * the stream has as many bytes as it claims, and claims a plausible number. CPB_E_DAMAGED: it is impossible, and
 * nothing has changed; or the stream is damaged. The number of pieces makes no difference; without this, a window above
 * the limit would be rejected in one piece and accepted in several. */
static cpb_code decompress_in_place(cpb_transpose_program *p, cpb_transpose_cursor in, uint64_t max, cpb_buffer *out) {
  enum { LIKELY = 8 }; /* expansion factor */
  const size_t size = cpb_transpose_cursor_size(&in);
  cpb_transpose_cursor copy = in;
  cpb_codec_error failure = {CPB_OK, NULL};
  uint64_t claimed;
  if (!cpb_transpose_cursor_read_u64(&copy, &claimed) || claimed > max || claimed / LIKELY > size) return CPB_E_DAMAGED;
  if (!cpb_buffer_reserve(out, out->size + (size_t)claimed)) return CPB_E_MEMORY;
  if (!begin_decompressor(p, size, &failure)) return failure.code;
  cpb_decompressor_in_place(p->decompressor);
  const size_t given = give_pieces(p->decompressor, in, out->data + out->size, (size_t)claimed);
  failure = *cpb_decompressor_error(p->decompressor);
  if (failure.code != CPB_OK) return failure.code;
  if (given < claimed || !cpb_decompressor_done(p->decompressor)) return CPB_E_DAMAGED;
  out->size += given;
  return CPB_OK;
}

static bool decompress_all(cpb_transpose_program *p, cpb_span in, uint64_t max, cpb_buffer *out,
                           cpb_codec_error *failure) {
  return begin_decompressor(p, in.size, failure) &&
         cpb_decompressor_all(p->decompressor, p->codec, in, max, out, failure);
}

bool cpb_transpose_decompress(cpb_transpose_program *p, cpb_transpose_cursor in, uint64_t max, const char *what,
                              cpb_transpose_block block) {
  cpb_codec_error failure;
  cpb_buffer *out = &p->blocks[block];
  cpb_span stored;
  /* At least one byte, so that an empty buffer also has an address. */
  if (!cpb_buffer_reserve(out, out->size + 1)) return no_memory(p);
  const cpb_code code = decompress_in_place(p, in, max, out);
  if (code == CPB_E_MEMORY) return no_memory(p);
  if (code != CPB_OK && !gather(p, in, CPB_TRANSPOSE_STORED, &stored)) return false;
  const bool done = code == CPB_OK || decompress_all(p, stored, max, out, &failure);
  if (p->frugal) free_decompressor(p);
  if (done) return true;
  return CPB_FAILS(p->error, failure.code, CPB_NO_OFFSET, "transposed: %s: %s", what, failure.what);
}

bool cpb_transpose_in_one_piece(cpb_transpose_program *p, cpb_transpose_cursor in, const char *what,
                                cpb_transpose_block block, cpb_span *span) {
  if (p->codec == CPB_RIEGELI_NONE) return gather(p, in, block, span);
  const cpb_buffer *out = &p->blocks[block];
  if (!cpb_transpose_decompress(p, in, cpb_transpose_plausible(p), what, block)) return false;
  *span = (cpb_span){out->data, out->size};
  return true;
}

/* --- Tables ------------------------------------------------------------------ */

void *cpb_transpose_table(cpb_transpose_program *p, cpb_transpose_block block, size_t count, size_t element) {
  cpb_buffer *table = &p->blocks[block];
  size_t size;
  if (!cpb_mul_size(count, element, &size) || size > most_bytes(p)) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "transposed: a table of %zu entries exceeds the limit of %llu bytes",
             count, (unsigned long long)p->limits.riegeli_chunk);
    return NULL;
  }
  if (!make_room(table, cpb_max_size(size, 1))) {
    no_memory(p);
    return NULL;
  }
  return memset(table->data, 0, size);
}
