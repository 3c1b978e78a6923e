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
  cpb_span message; /* the bytes read so far */
  cpb_error damage; /* why `message` is incomplete, or CPB_OK */
  uint64_t lost;    /* unreadable bytes, of the fields that cpb_outline_lost_in() names; 0 if the part ends early */
  struct cpb_part_whole *joined; /* a field that comes in several pieces, put together, or NULL */
  bool lacks_some;     /* missing or lost ranges of the input, as the host reports them, may have been in any of its
                        * fields */
  const char *missing; /* the bytes where it ends early; NULL until they were examined */
} cpb_part;

/* False when memory is short. The part must be empty. */
bool cpb_part_begin(cpb_part *part, const cpb_allocator *a, const cpb_message_type *type, const cpb_range *ranges,
                    size_t num_ranges, const cpb_outline_options *options);
void cpb_part_free(cpb_part *part); /* empties it */
/* Before the first step. */
void cpb_part_set_jumps(cpb_part *part, const cpb_outline_jumps *jumps, void *context);

/* CPB_STEP_NEED; CPB_STEP_DONE: it is read, perhaps up to damage; CPB_STEP_ERROR: it is empty again. */
cpb_step cpb_part_step(cpb_part *part, cpb_error *error);

/* The submessage `field` of the message, or NULL data. If it comes in several pieces, they are merged as parsers do.
 * Works for one field only. False if memory is short. */
bool cpb_part_join(cpb_part *part, const cpb_allocator *a, uint32_t field, cpb_span *submessage);

/* The range of the input that holds `value`, a span of the message from a cursor. */
cpb_range cpb_part_where(const cpb_part *part, cpb_span value);
/* The ranges of the submessages `field` of `message`; one submessage may come in several pieces. False if memory is
 * short; release `*ranges` in any case. */
bool cpb_part_ranges(const cpb_part *part, const cpb_allocator *a, cpb_span message, uint32_t field, cpb_range **ranges,
                     size_t *count);
/* Whether the value is empty because it was left out. */
bool cpb_part_omits(const cpb_part *part, cpb_span value);

#endif
