/* The engine's side of cpb_input: the bytes that the host lent last, and what the engine waits
 * for.
 *
 * An input holds one run of lent bytes, never a copy: what the host supplies replaces what it
 * supplied before. They are the host's, and valid only until the step returns CPB_STEP_NEED,
 * CPB_STEP_DONE or CPB_STEP_ERROR. So a function that may return CPB_WAIT must be written to be
 * called again: it asks for the same bytes, and what it wants to keep it copies (cpb_input_gather).
 * After CPB_WAIT `need` says what is missing and no bytes are lent; after any other result it does
 * not matter. `size` is what the host said last, and may grow; `failure` is set once and stays. No
 * function here allocates or loops, except for cpb_input_gather(), which copies. */
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
  bool useless;      /* what was supplied last did not have the byte that is needed */
  cpb_error failure; /* from cpb_input_fail(), or what the host did wrong */
};

void cpb_input_init(cpb_input *input);

/* Whether bytes that an engine wants are there. */
typedef enum cpb_have {
  CPB_HAVE,   /* they are */
  CPB_WAIT,   /* the step must return CPB_STEP_NEED: input->need is set */
  CPB_AT_END, /* the input ends at or before the byte asked for */
  CPB_FAILED  /* the host cannot get them: input->failure */
} cpb_have;

/* Lent bytes from `offset` on: at least one, at most `length`. `ahead` is the hint
 * for cpb_need.ahead; less than `length` means `length`. */
cpb_have cpb_input_span(cpb_input *input, uint64_t offset, size_t length, uint64_t ahead, cpb_span *span);

/* Copies the bytes [offset, offset + length) to `out`, over several steps if they do
 * not come at once: `*have`, at first 0, counts those that are there. At CPB_AT_END
 * they are fewer than `length`. */
cpb_have cpb_input_gather(cpb_input *input, uint64_t offset, size_t length, uint8_t *out, size_t *have);

/* The size of the input. Where it is not known, CPB_NEED_SIZE asks for it, with `tail`
 * as need.length. */
cpb_have cpb_input_size(cpb_input *input, size_t tail, uint64_t *size);

/* Forgets the lent bytes, as before a step returns CPB_STEP_NEED, CPB_STEP_DONE or
 * CPB_STEP_ERROR, after which the host may change them. */
void cpb_input_let_go(cpb_input *input);

#endif
