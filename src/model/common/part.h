/* A part of a model, read without its large values (cpb/outline.h). */
#ifndef CPB_MODEL_COMMON_PART_H
#define CPB_MODEL_COMMON_PART_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/model.h"
#include "cpb/outline.h"
#include "proto/outline_state.h"

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

/* --- pieces ----------------------------------------------------------------------------------- */

/* A message put together of bytes of the input and of bytes of its own.
 *
 *     size_t message = cpb_pieces_open(p);
 *     cpb_pieces_number(p, 1, 7);
 *     cpb_pieces_copy(p, 3, range);
 *     cpb_pieces_close(p, 2, message);      field 2, with the two in it
 *
 * When memory is short the rest is ignored and `failed` says so at the end. */

typedef struct cpb_pieces {
  cpb_allocator allocator;
  struct cpb_piece_entry *items;
  size_t count, capacity;
  cpb_buffer literals;
  uint64_t size; /* of the message so far */
  bool failed;
} cpb_pieces;

void cpb_pieces_init(cpb_pieces *pieces, const cpb_allocator *a);
void cpb_pieces_free(cpb_pieces *pieces); /* empties them */
cpb_model_piece cpb_pieces_get(const cpb_pieces *pieces, size_t i);

/* Fields. */
void cpb_pieces_number(cpb_pieces *pieces, uint32_t number, uint64_t value);
void cpb_pieces_fixed(cpb_pieces *pieces, uint32_t number, uint64_t value, size_t size); /* 4 or 8 bytes */
void cpb_pieces_bytes(cpb_pieces *pieces, uint32_t number, cpb_span value);
/* A LEN field whose value is a range of the input; the range is not examined. */
void cpb_pieces_copy(cpb_pieces *pieces, uint32_t number, cpb_range value);

/* The same with a range of another file, by the caller's number from 1 on; and the number of the file that a piece
 * comes from. */
void cpb_pieces_copy_other(cpb_pieces *pieces, uint32_t number, uint32_t file, cpb_range value);
uint32_t cpb_pieces_file(const cpb_pieces *pieces, size_t i);

/* Raw bytes instead of fields: a range, and bytes in memory. */
void cpb_pieces_range(cpb_pieces *pieces, uint32_t file, cpb_range range);
void cpb_pieces_put(cpb_pieces *pieces, const void *data, size_t size);

/* A position in the message, to go back to. */
typedef struct cpb_pieces_mark {
  size_t count, literals;
  uint64_t size;
} cpb_pieces_mark;

/* Call it before cpb_pieces_open(): going back drops everything after it. */
cpb_pieces_mark cpb_pieces_here(const cpb_pieces *pieces);
void cpb_pieces_back_to(cpb_pieces *pieces, cpb_pieces_mark mark);

/* A LEN field that holds whatever is added before cpb_pieces_close(), which takes the return value. */
size_t cpb_pieces_open(cpb_pieces *pieces);
void cpb_pieces_close(cpb_pieces *pieces, uint32_t number, size_t opened);
/* Raw bytes within it. */
void cpb_pieces_varint(cpb_pieces *pieces, uint64_t value);

#endif
