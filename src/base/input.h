/* The engine's side of cpb_input: the bytes that the host lent last, and the request that the engine waits for.
 *
 * An input refers to one run of lent bytes and never copies them: the bytes that the host supplies replace the earlier
 * ones. They belong to the host, and are valid only until the step returns CPB_STEP_NEED, CPB_STEP_DONE or
 * CPB_STEP_ERROR. So a function that may return CPB_WAIT must expect to be called again: it asks for the same bytes
 * again, and copies the bytes that it wants to keep (cpb_input_gather). After CPB_WAIT `need` has the missing range,
 * and no bytes are lent; after any other result it is meaningless. `size` is the host's latest statement, and may grow;
 * `failure` is set once and stays, unless an engine that can do without the bytes takes the loss. No function here
 * allocates or loops, except for cpb_input_gather(), which copies. */
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
  bool useless;      /* the host's last answer lacked the needed byte */
  bool keeps_codes;  /* of the host's errors: the engine only passes bytes on */
  cpb_error failure; /* from cpb_input_fail() or cpb_input_lose(), or the host's mistake */
  cpb_range lost;    /* from cpb_input_lose(); its length is 0 if nothing is lost */
  bool lost_whole;
  uint32_t file;        /* of the bytes and the need: 0, or the number of `other` */
  cpb_other_file other; /* while `file` is not 0 */
  uint64_t other_size;  /* of that file, or CPB_NO_OFFSET while unknown */
};

void cpb_input_init(cpb_input *input);

/* Like cpb_input_fail_with(), with any code. */
void cpb_input_fail_as(cpb_input *input, const cpb_error *error);

/* The state of the bytes that an engine requested. */
typedef enum cpb_have {
  CPB_HAVE,   /* they are available */
  CPB_WAIT,   /* the step must return CPB_STEP_NEED: input->need is set */
  CPB_AT_END, /* the input ends at or before the byte asked for */
  CPB_FAILED  /* the host cannot get them: input->failure */
} cpb_have;

/* Switches to another file, or with `file` 0 back to the input itself. `other` and its size, or CPB_NO_OFFSET, count
 * only for another file. */
void cpb_input_turn(cpb_input *input, uint32_t file, const cpb_other_file *other, uint64_t size);

/* The size of the current file, or CPB_NO_OFFSET. */
static inline uint64_t cpb_input_known_size(const cpb_input *input) {
  return input->file > 0 ? input->other_size : input->size;
}

/* Lent bytes from `offset` on: at least one, at most `length`. `ahead` is the hint
 * for cpb_need.ahead; less than `length` means `length`. */
cpb_have cpb_input_span(cpb_input *input, uint64_t offset, size_t length, uint64_t ahead, cpb_span *span);

/* Copies the bytes [offset, offset + length) to `out`, over several steps if they do not come at once: `*have`,
 * initially 0, counts the available bytes. At CPB_AT_END there are fewer than `length`. */
cpb_have cpb_input_gather(cpb_input *input, uint64_t offset, size_t length, uint8_t *out, size_t *have);

/* CPB_WAIT for Brotli's dictionary. */
cpb_have cpb_input_dictionary(cpb_input *input);

/* The size of the input. If it is unknown, CPB_NEED_SIZE asks for it, with `tail` as need.length. */
cpb_have cpb_input_size(cpb_input *input, size_t tail, uint64_t *size);

/* Takes the range that the host has reported as lost since the last call, with the reason; the loss then no longer
 * counts as a failure. False without such a report. */
bool cpb_input_take_loss(cpb_input *input, cpb_range *lost, bool *whole, cpb_error *why);

/* Forgets the lent bytes. Called before a step returns CPB_STEP_NEED, CPB_STEP_DONE or CPB_STEP_ERROR, after which the
 * host may change them. */
void cpb_input_let_go(cpb_input *input);

#endif
