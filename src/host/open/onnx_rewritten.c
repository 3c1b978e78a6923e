#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/status.h"
#include "cpb/open.h"
#include "host/file.h"
#include "host/open/model_file.h"
#include "model/foreign/foreign.h"

#define NAME_SHOWN 80

typedef struct rewritten {
  cpb_allocator allocator;
  cpb_message_file *message;
  const cpb_onnx_rewrite *rewrite;
  cpb_onnx_file file;
  uint64_t *begins; /* of the pieces in the file */
  size_t count;
  cpb_input input;             /* of another file: */
  const char *name;            /* which one it is turned to */
  cpb_foreign_instead instead; /* what that is */
} rewritten;

/* --- Another file --------------------------------------------------------------------- */

static void turn(rewritten *r, const cpb_other_file *other) {
  if (r->name == other->name) return;
  r->name = other->name;
  r->instead = (cpb_foreign_instead){.size = 0};
  cpb_input_turn(&r->input, r->input.file + 1, other, CPB_NO_OFFSET);
}

static cpb_code fail_other(const rewritten *r, const cpb_onnx_piece *piece, cpb_have have, const char *instead,
                           cpb_error *error) {
  char name[NAME_SHOWN];
  cpb_code code = have == CPB_AT_END ? CPB_E_TRUNCATED : r->input.failure.code;
  const cpb_other_file *other = &piece->other;
  cpb_error_begin(error, NULL);
  cpb_quote(name, sizeof name, other->name, other->length);
  if (have != CPB_AT_END) {
    cpb_fail(error, code, CPB_NO_OFFSET, "\"%s\", which has values: %s", name, r->input.failure.message);
    cpb_error_take_numbers(error, &r->input.failure);
    return code;
  }
  if (instead[0]) return cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET, "\"%s\", which has values, is %s", name, instead);
  return cpb_fail(error, code, CPB_NO_OFFSET, "\"%s\", which has values, has %llu bytes; expected at least %llu", name,
                  (unsigned long long)r->input.other_size, (unsigned long long)(piece->offset + piece->length));
}

static cpb_code read_other(rewritten *r, const cpb_onnx_piece *piece, uint64_t at, void *out, size_t *length,
                           cpb_error *error) {
  cpb_span bytes;
  cpb_have have;
  char instead[sizeof error->message];
  const cpb_range left = {piece->offset + at, piece->length - at};
  turn(r, &piece->other);
  while ((have = cpb_foreign_span(&r->instead, &r->input, left, *length, &bytes, instead, sizeof instead)) == CPB_WAIT)
    cpb_message_file_supply(r->message, &r->input, error);
  if (have != CPB_HAVE) return fail_other(r, piece, have, instead, error);
  *length = bytes.size;
  memcpy(out, bytes.data, bytes.size);
  return CPB_OK;
}

/* --- Pieces ----------------------------------------------------------------------------- */

static cpb_code read_message(rewritten *r, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  const uint8_t *data = cpb_message_file_read(r->message, offset, length, error);
  if (!data) return error->code;
  if (*length == 0) return cpb_fail(error, CPB_E_READ, offset, "the model has become shorter while it was read");
  memcpy(out, data, *length);
  return CPB_OK;
}

/* The piece that has the byte. */
static size_t find_piece(const rewritten *r, uint64_t offset) {
  size_t low = 0, high = r->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (r->begins[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/* Some bytes of one piece. */
static cpb_code read_piece(rewritten *r, size_t i, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  const cpb_onnx_piece piece = cpb_onnx_rewrite_piece(r->rewrite, r->file, i);
  const uint64_t at = offset - r->begins[i];
  *length = (size_t)cpb_min_u64(*length, piece.length - at);
  if (piece.other.name) return read_other(r, &piece, at, out, length, error);
  if (!piece.bytes) return read_message(r, piece.offset + at, out, length, error);
  memcpy(out, piece.bytes + at, *length);
  return CPB_OK;
}

/* Takes as many pieces as fit: most have a few bytes. */
static cpb_code read(void *user, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  rewritten *r = user;
  const size_t room = *length;
  const uint64_t size = cpb_onnx_rewrite_size(r->rewrite, r->file);
  cpb_code code = CPB_OK;
  *length = 0;
  for (size_t i = find_piece(r, offset); code == CPB_OK && *length < room && offset + *length < size;) {
    size_t got = room - *length;
    while (i + 1 < r->count && r->begins[i + 1] <= offset + *length) i++;
    code = read_piece(r, i, offset + *length, (uint8_t *)out + *length, &got, error);
    if (code == CPB_OK) *length += got;
  }
  return code;
}

static cpb_code size_of(void *user, uint64_t *size, cpb_error *error) {
  const rewritten *r = user;
  (void)error;
  *size = cpb_onnx_rewrite_size(r->rewrite, r->file);
  return CPB_OK;
}

static void close(void *user) {
  rewritten *r = user;
  cpb_allocator a = r->allocator;
  cpb_release(&a, r->begins);
  cpb_release(&a, r);
}

/* --- Opening ------------------------------------------------------------------------------- */

static bool find_begins(rewritten *r) {
  uint64_t at = 0;
  r->count = cpb_onnx_rewrite_num_pieces(r->rewrite, r->file);
  r->begins = cpb_alloc(&r->allocator, (r->count + 1) * sizeof *r->begins);
  for (size_t i = 0; r->begins && i < r->count; i++) {
    r->begins[i] = at;
    at += cpb_onnx_rewrite_piece(r->rewrite, r->file, i).length;
  }
  return r->begins != NULL;
}

cpb_file *cpb_onnx_rewrite_open(const cpb_allocator *given, cpb_message_file *message, const cpb_onnx_rewrite *rewrite,
                                cpb_onnx_file file, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_allocator a = cpb_allocator_or_default(given);
  if (message && !cpb_message_file_check(message, error)) return NULL;
  rewritten *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return cpb_fail_memory(error), NULL;
  *r = (rewritten){.allocator = a, .message = message, .rewrite = rewrite, .file = file};
  cpb_input_init(&r->input);
  if (!find_begins(r)) {
    close(r);
    return cpb_fail_memory(error), NULL;
  }
  const cpb_source source = {.struct_size = sizeof source, .user = r, .read = read, .size = size_of, .close = close};
  cpb_file *made = cpb_file_open_source(&a, &source, error);
  if (made) cpb_file_keep_codes(made);
  return made;
}
