/* A part of a model, read without its large values (cpb/outline.h). */
#ifndef CPB_MODEL_COMMON_PART_H
#define CPB_MODEL_COMMON_PART_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/outline.h"
#include "proto/outline_jumps.h"

typedef struct cpb_part {
  cpb_outline *outline; /* NULL: not begun */
  bool read;
  cpb_span message; /* what is there of it */
  cpb_error damage; /* why that is not all, or CPB_OK */
  uint64_t lost; /* bytes that cannot be read, of the fields that cpb_outline_lost_in() says; 0 where it ends early */
  struct cpb_part_whole *joined; /* a field that comes in several pieces, put together, or NULL */
  bool lacks_some;     /* what the host says is missing from the input, or lost, may have been in any of its fields */
  const char *missing; /* what follows where it ends early; NULL until that was looked for */
} cpb_part;

/* False when memory is short. The part must be empty. */
bool cpb_part_begin(cpb_part *part, const cpb_allocator *a, const cpb_message_type *type, const cpb_range *ranges,
                    size_t num_ranges, const cpb_outline_options *options);
void cpb_part_free(cpb_part *part); /* empties it */
/* Before the first step. */
void cpb_part_set_jumps(cpb_part *part, const cpb_outline_jumps *jumps, void *context);

/* CPB_STEP_NEED; CPB_STEP_DONE: it is read, perhaps up to damage; CPB_STEP_ERROR:
 * it is empty again. */
cpb_step cpb_part_step(cpb_part *part, cpb_error *error);

/* The submessage `field` of the message; put together if it comes in several pieces, as parsers merge them. NULL data
 * if there is none. Of one field only. False when memory is short. */
bool cpb_part_join(cpb_part *part, const cpb_allocator *a, uint32_t field, cpb_span *submessage);

/* Where in the input a value of the message lies: `value` as a cursor gave it. */
cpb_range cpb_part_where(const cpb_part *part, cpb_span value);
/* Where the submessages `field` of `message` lie: one may come in several pieces. False when
 * memory is short; `*ranges` is to be released then too. */
bool cpb_part_ranges(const cpb_part *part, const cpb_allocator *a, cpb_span message, uint32_t field, cpb_range **ranges,
                     size_t *count);
/* Whether that value is empty because it was left out. */
bool cpb_part_omits(const cpb_part *part, cpb_span value);

#endif
