/* What operations do with the host, and note of what happens. */
#ifndef CPB_TESTS_OPERATION_HOST_H
#define CPB_TESTS_OPERATION_HOST_H

#include <stdlib.h>

#include "base/status.h"
#include "operations.h"

/* --- The host --------------------------------------------------------------- */

static inline size_t piece(const host *h, unsigned *state, size_t wanted) {
  if (h->max_piece == 0) return wanted;
  size_t most = h->max_piece;
  if (h->seed != 0) {
    *state = *state * 1103515245u + 12345u;
    most = 1 + (*state >> 16) % h->max_piece;
  }
  return most;
}

/* Whether this is a need that the host does not meet. */
static inline int refuses(const host *h, const cpb_need *need, cpb_input *input) {
  if (h->needs == NULL) return 0;
  size_t n = ++*h->needs;
  int fails = n == h->fail_at, ends = h->end_at != 0 && n >= h->end_at && need->kind == CPB_NEED_RANGE;
  if (fails) cpb_input_fail(input, CPB_E_READ, "the host gives up");
  if (ends) cpb_input_end(input, need->offset);
  return fails || ends;
}

static inline void answer(const host *h, unsigned *state, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (refuses(h, &need, input)) return;
  if (need.kind == CPB_NEED_SIZE || need.offset >= h->size) {
    cpb_input_end(input, h->size);
    return;
  }
  if (!h->grow) cpb_input_end(input, h->size);
  size_t left = h->size - (size_t)need.offset;
  size_t count = piece(h, state, need.length);
  cpb_input_supply(input, need.offset, h->data + need.offset, count < left ? count : left);
}

/* --- The log ---------------------------------------------------------------- */

static inline void note(outcome *out, const char *what, uint64_t a, uint64_t b) {
  char line[80];
  size_t n = cpb_format(line, sizeof line, "%s %llu %llu\n", what, (unsigned long long)a, (unsigned long long)b);
  if (!cpb_buffer_append(&out->log, line, n)) abort();
}

static inline void keep_bytes(outcome *out, const void *data, size_t size) {
  if (!cpb_buffer_append(&out->log, data, size)) abort();
}

static inline void keep_error(outcome *out, const cpb_error *error) { out->error = *error; }

static inline void no_memory(outcome *out) { cpb_fail_memory(&out->error); }

#endif
