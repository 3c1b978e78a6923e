/* The engine's side of cpb_input: the bytes that the host lent last, and what the engine waits
 * for.
 *
 * An input holds one run of lent bytes, never a copy: what the host supplies replaces what it
 * supplied before. They are the host's, and valid only until the step returns CPB_STEP_NEED,
 * CPB_STEP_DONE or CPB_STEP_ERROR. So a function that may return CPB_WAIT must be written to be
 * called again: it asks for the same bytes, and what it wants to keep it copies (cpb_input_gather).
 * After CPB_WAIT `need` says what is missing and no bytes are lent; after any other result it does
 * not matter. `size` is what the host said last, and may grow; `failure` is set once and stays, unless
 * an engine that can do without the bytes takes the loss. No function here allocates or loops, except
 * for cpb_input_gather(), which copies. */
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
  bool useless;      /* the host's last answer did not have the byte that is needed */
  cpb_error failure; /* from cpb_input_fail() or cpb_input_lose(), or what the host did wrong */
  cpb_range lost;    /* from cpb_input_lose(); its length is 0 if nothing is lost */
  bool lost_whole;
  uint32_t file;        /* that the bytes and the need are of: 0, or that of `other` */
  cpb_other_file other; /* while `file` is not 0 */
  uint64_t other_size;  /* of that file, or CPB_NO_OFFSET while unknown */
};

void cpb_input_init(cpb_input *input);

/* As cpb_input_fail_with(), with any code. */
void cpb_input_fail_as(cpb_input *input, const cpb_error *error);

/* Whether bytes that an engine wants are there. */
typedef enum cpb_have {
  CPB_HAVE,   /* they are */
  CPB_WAIT,   /* the step must return CPB_STEP_NEED: input->need is set */
  CPB_AT_END, /* the input ends at or before the byte asked for */
  CPB_FAILED  /* the host cannot get them: input->failure */
} cpb_have;

/* Turns to another file, or with `file` 0 back to the input itself. `other` and its size, or
 * CPB_NO_OFFSET, count only for another one. */
void cpb_input_turn(cpb_input *input, uint32_t file, const cpb_other_file *other, uint64_t size);

/* The size of the file that it is turned to, or CPB_NO_OFFSET. */
static inline uint64_t cpb_input_known_size(const cpb_input *input) {
  return input->file > 0 ? input->other_size : input->size;
}

/* Lent bytes from `offset` on: at least one, at most `length`. `ahead` is the hint
 * for cpb_need.ahead; less than `length` means `length`. */
cpb_have cpb_input_span(cpb_input *input, uint64_t offset, size_t length, uint64_t ahead, cpb_span *span);

/* Copies the bytes [offset, offset + length) to `out`, over several steps if they do
 * not come at once: `*have`, at first 0, counts those that are there. At CPB_AT_END
 * they are fewer than `length`. */
cpb_have cpb_input_gather(cpb_input *input, uint64_t offset, size_t length, uint8_t *out, size_t *have);

/* CPB_WAIT for Brotli's dictionary. */
cpb_have cpb_input_dictionary(cpb_input *input);

/* The size of the input. Where it is not known, CPB_NEED_SIZE asks for it, with `tail`
 * as need.length. */
cpb_have cpb_input_size(cpb_input *input, size_t tail, uint64_t *size);

/* What the host said to be lost since the last call, and why, which is then no failure any more. False
 * if it said nothing. */
bool cpb_input_take_loss(cpb_input *input, cpb_range *lost, bool *whole, cpb_error *why);

/* Forgets the lent bytes, as before a step returns CPB_STEP_NEED, CPB_STEP_DONE or
 * CPB_STEP_ERROR, after which the host may change them. */
void cpb_input_let_go(cpb_input *input);

#endif
