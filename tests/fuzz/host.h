/* What the targets of engines share: a host in memory, and bounds for the work. */
#ifndef CPB_TESTS_FUZZ_HOST_H
#define CPB_TESTS_FUZZ_HOST_H

#include <stdio.h>
#include <string.h>

#include "fuzz.h"

/* --- Input ---------------------------------------------------------------- */

/* What an engine was lent: a block of exactly that size, which is gone when the engine may no longer look
 * at it, so that a sanitizer sees it if it does. */
typedef struct fuzz_loan {
  uint8_t *block;
} fuzz_loan;

static inline void fuzz_return(fuzz_loan *loan) {
  free(loan->block);
  loan->block = NULL;
}

/* Supplies what `input` needs of `file`, at most `piece` bytes. */
static inline void fuzz_lend(fuzz_loan *loan, cpb_input *input, fuzz_in file, size_t piece) {
  cpb_need need;
  fuzz_return(loan);
  cpb_input_need(input, &need);
  fuzz_check(need.kind != CPB_NEED_NONE);
  cpb_input_end(input, file.size);
  if (need.kind != CPB_NEED_RANGE || need.offset >= file.size) return;
  size_t left = file.size - (size_t)need.offset, length = need.length < left ? need.length : left;
  fuzz_check(length > 0);
  if (length > piece) length = piece;
  loan->block = malloc(length);
  fuzz_check(loan->block != NULL);
  memcpy(loan->block, file.data + need.offset, length);
  cpb_input_supply(input, need.offset, loan->block, length);
}

/* --- Bytes ------------------------------------------------------------------ */

typedef struct fuzz_out {
  uint8_t *data;
  size_t size, capacity;
} fuzz_out;

/* Writes at `offset`, which is at most the size. */
static inline void fuzz_put_at(fuzz_out *out, uint64_t offset, const void *data, size_t size) {
  fuzz_check(offset <= out->size && size < 1 << 28);
  size_t end = (size_t)offset + size;
  if (end > out->capacity) {
    out->capacity = end + end / 2 + 64;
    out->data = realloc(out->data, out->capacity);
    fuzz_check(out->data != NULL);
  }
  if (size > 0) memcpy(out->data + offset, data, size);
  if (end > out->size) out->size = end;
}

static inline void fuzz_put(fuzz_out *out, const void *data, size_t size) { fuzz_put_at(out, out->size, data, size); }

static inline void fuzz_free(fuzz_out *out) {
  free(out->data);
  *out = (fuzz_out){NULL, 0, 0};
}

static inline fuzz_in fuzz_view(const fuzz_out *out) { return (fuzz_in){out->data, out->size}; }

static inline int fuzz_same(fuzz_in a, fuzz_in b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* A good error tells something, and is neither our misuse nor lack of memory. */
static inline void fuzz_error(const cpb_error *error) {
  fuzz_check(error->code != CPB_OK && error->message[0] != '\0');
  fuzz_check(error->code != CPB_E_USAGE && error->code != CPB_E_MEMORY && error->code != CPB_E_READ);
}

/* --- Work --------------------------------------------------------------------- */

/* The limits of all targets, with what was done counted in `work`. Few decoded bytes, so that no input takes
 * long. */
static inline cpb_limits fuzz_counted(cpb_work *work) {
  cpb_limits limits = fuzz_limits;
  limits.decoded = 1 << 20;
  limits.decoded_per_byte = 64;
  limits.work = work;
  return limits;
}

/* At most so much, and so much for each byte of input. */
typedef struct fuzz_bound {
  uint64_t most, per_byte;
} fuzz_bound;

typedef struct fuzz_bounds {
  fuzz_bound decoded, held, walked, entries, answer, index;
} fuzz_bounds;

static inline void fuzz_within(const char *name, uint64_t done, fuzz_bound bound, uint64_t size) {
  uint64_t most = bound.most + bound.per_byte * size;
  if (done <= most) return;
  fprintf(stderr, "work: %s is %llu for %llu bytes of input; expected at most %llu\n", name, (unsigned long long)done,
          (unsigned long long)size, (unsigned long long)most);
  abort();
}

/* `size`: of the input, for each time that it was gone through. */
static inline void fuzz_bounded(const cpb_work *work, const fuzz_bounds *bounds, uint64_t size) {
#define FUZZ_WITHIN(NAME, name, unit) fuzz_within(#name, work->name, bounds->name, size);
  CPB_WORKS(FUZZ_WITHIN)
#undef FUZZ_WITHIN
}

#endif
