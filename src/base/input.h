/* The engine's side of cpb_input: the window of bytes that the host lent. */
#ifndef CPB_BASE_INPUT_H
#define CPB_BASE_INPUT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/base.h"

struct cpb_input {
  const uint8_t *data; /* lent bytes [offset, offset + length) */
  uint64_t offset;
  size_t length;
  uint64_t size; /* of the whole input, or CPB_NO_OFFSET while unknown */
  cpb_need need;
  cpb_error failure; /* said by cpb_input_fail */
};

void cpb_input_init(cpb_input *input);

/* What an engine is told when it asks for bytes. */
typedef enum cpb_have {
  CPB_HAVE,   /* they are there */
  CPB_WAIT,   /* answer CPB_STEP_NEED: input->need is set */
  CPB_AT_END, /* the input ends at or before the byte asked for */
  CPB_FAILED  /* the host said so: input->failure */
} cpb_have;

/* Lent bytes from `offset` on: at least one, at most `length`, in `*span`.
 * `ahead` is the hint of cpb_need (at least `length` is assumed). */
cpb_have cpb_input_span(cpb_input *input, uint64_t offset, size_t length, uint64_t ahead, cpb_span *span);

/* Copies bytes [offset, offset + length) into `out`, of which the first
 * `*have` are already there from an earlier call. Fewer than `length` are there
 * at CPB_AT_END. */
cpb_have cpb_input_gather(cpb_input *input, uint64_t offset, size_t length, uint8_t *out, size_t *have);

/* The total size, asking for it if it was not said. `tail` is the hint. */
cpb_have cpb_input_size(cpb_input *input, size_t tail, uint64_t *size);

/* Forgets the lent bytes: the engine answers NEED, DONE or ERROR. */
void cpb_input_let_go(cpb_input *input);

#endif
