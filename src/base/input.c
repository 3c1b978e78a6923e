#include "base/input.h"

#include <errno.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"

void cpb_input_init(cpb_input *input) {
  memset(input, 0, sizeof *input);
  input->size = CPB_NO_OFFSET;
}

void cpb_input_need(const cpb_input *input, cpb_need *need) { *need = input->need; }

/* A host that answers without regard to the file would give bytes of another one. */
static bool refuse(cpb_input *input) {
  if (input->need.kind == CPB_NEED_NONE || input->need.file == 0) return false;
  if (input->failure.code == CPB_OK)
    cpb_fail(&input->failure, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "only one file can be read here, no others beside it");
  return true;
}

static bool is_lent(const cpb_input *input, uint64_t offset) {
  return offset >= input->offset && offset - input->offset < input->length;
}

static void supply(cpb_input *input, uint64_t offset, const void *data, size_t length) {
  input->data = data;
  input->offset = offset;
  input->length = length;
  input->useless = input->need.kind == CPB_NEED_RANGE && !is_lent(input, input->need.offset);
}

void cpb_input_supply(cpb_input *input, uint64_t offset, const void *data, size_t length) {
  if (!refuse(input) && input->file == 0) supply(input, offset, data, length);
}

void cpb_input_supply_other(cpb_input *input, uint32_t file, uint64_t offset, const void *data, size_t length) {
  if (file > 0 && file == input->file) supply(input, offset, data, length);
}

/* A known size does not satisfy the need of a byte before it. */
static void end(cpb_input *input, uint64_t *known, uint64_t size) {
  uint64_t wanted = input->need.offset;
  bool is_old = size == *known && wanted < size && !is_lent(input, wanted);
  *known = size;
  input->useless = input->need.kind == CPB_NEED_RANGE && is_old;
  if (size == CPB_NO_OFFSET) cpb_input_fail(input, CPB_E_READ, "no input has 2^64 - 1 bytes");
}

void cpb_input_end(cpb_input *input, uint64_t size) {
  if (!refuse(input)) end(input, &input->size, size);
}

void cpb_input_end_other(cpb_input *input, uint32_t file, uint64_t size) {
  if (file > 0 && file == input->file) end(input, &input->other_size, size);
}

void cpb_input_other(const cpb_input *input, cpb_other_file *other) { *other = input->other; }

void cpb_input_turn(cpb_input *input, uint32_t file, const cpb_other_file *other, uint64_t size) {
  if (file == input->file) return;
  cpb_input_let_go(input);
  input->useless = false;
  input->need.kind = CPB_NEED_NONE;
  input->file = file;
  input->other = file > 0 ? *other : (cpb_other_file){NULL, 0, 0};
  input->other_size = size;
}

void cpb_input_fail_as(cpb_input *input, const cpb_error *error) {
  if (input->failure.code != CPB_OK) return;
  uint64_t offset = input->need.kind == CPB_NEED_RANGE ? input->need.offset : CPB_NO_OFFSET;
  cpb_fail(&input->failure, error->code, offset, "%s", error->message);
  cpb_error_take_numbers(&input->failure, error);
}

static bool is_of_a_host(cpb_code code) {
  return code == CPB_E_CANCELLED || code == CPB_E_NOT_FOUND || code == CPB_E_DENIED || code == CPB_E_UNAVAILABLE ||
         code == CPB_E_MEMORY;
}

void cpb_input_fail_with(cpb_input *input, const cpb_error *error) {
  cpb_error failure = *error;
  if (!is_of_a_host(error->code)) failure.code = CPB_E_READ;
  if (error->code == CPB_E_NOT_FOUND && error->system == 0 && error->status == 0) failure.system = ENOENT;
  cpb_input_fail_as(input, &failure);
}

void cpb_input_fail(cpb_input *input, cpb_code code, const char *message) {
  cpb_error error;
  cpb_error_begin(&error, NULL);
  cpb_fail(&error, code == CPB_OK ? CPB_E_READ : code, CPB_NO_OFFSET, "%s", message);
  cpb_input_fail_with(input, &error);
}

void cpb_input_lose(cpb_input *input, uint64_t length, int whole, const char *message) {
  if (input->need.kind == CPB_NEED_RANGE) input->lost = (cpb_range){input->need.offset, length};
  input->lost_whole = whole != 0;
  cpb_fail(&input->failure, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s", message);
}

bool cpb_input_take_loss(cpb_input *input, cpb_range *lost, bool *whole, cpb_error *why) {
  if (input->lost.length == 0) return false;
  *lost = input->lost;
  *whole = input->lost_whole;
  *why = input->failure;
  input->lost.length = 0;
  input->failure.code = CPB_OK;
  return true;
}

void cpb_input_let_go(cpb_input *input) {
  input->data = NULL;
  input->length = 0;
}

/* A failure comes before the end, and the end before lent bytes: bytes that the host lent beyond the
 * size that it gave do not exist. */
cpb_have cpb_input_span(cpb_input *input, uint64_t offset, size_t length, uint64_t ahead, cpb_span *span) {
  if (input->failure.code != CPB_OK) return CPB_FAILED;
  const uint64_t size = cpb_input_known_size(input);
  if (offset >= size) return CPB_AT_END;
  if (length > size - offset) length = (size_t)(size - offset);
  if (is_lent(input, offset)) {
    size_t skip = (size_t)(offset - input->offset);
    span->data = input->data + skip;
    span->size = cpb_min_size(length, input->length - skip);
    input->need.kind = CPB_NEED_NONE;
    return CPB_HAVE;
  }
  if (input->useless && input->need.offset == offset) { /* it would wait forever */
    cpb_input_fail(input, CPB_E_READ, "the host answered without this byte; expected it, or the input's end");
    return CPB_FAILED;
  }
  cpb_input_let_go(input);
  input->need.kind = CPB_NEED_RANGE;
  input->need.file = input->file;
  input->need.offset = offset;
  input->need.length = length;
  input->need.ahead = cpb_max_u64(length, cpb_min_u64(ahead, size - offset));
  return CPB_WAIT;
}

cpb_have cpb_input_gather(cpb_input *input, uint64_t offset, size_t length, uint8_t *out, size_t *have) {
  while (*have < length) {
    cpb_span span;
    cpb_have got = cpb_input_span(input, offset + *have, length - *have, 0, &span);
    if (got != CPB_HAVE) return got;
    memcpy(out + *have, span.data, span.size);
    *have += span.size;
  }
  return CPB_HAVE;
}

cpb_have cpb_input_dictionary(cpb_input *input) {
  cpb_input_let_go(input);
  input->need = (cpb_need){.kind = CPB_NEED_DICTIONARY};
  return CPB_WAIT;
}

cpb_have cpb_input_size(cpb_input *input, size_t tail, uint64_t *size) {
  if (input->failure.code != CPB_OK) return CPB_FAILED;
  if (cpb_input_known_size(input) != CPB_NO_OFFSET) {
    *size = cpb_input_known_size(input);
    return CPB_HAVE;
  }
  cpb_input_let_go(input);
  input->need.kind = CPB_NEED_SIZE;
  input->need.file = input->file;
  input->need.offset = 0;
  input->need.length = tail;
  input->need.ahead = tail;
  return CPB_WAIT;
}
