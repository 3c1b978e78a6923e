/* The state of a cpb_outline. outline.c has the invariants between steps. */
#ifndef CPB_PROTO_OUTLINE_STATE_H
#define CPB_PROTO_OUTLINE_STATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/input.h"
#include "base/meter.h"
#include "cpb/message.h"
#include "cpb/outline.h"
#include "proto/wire.h"
#include "proto/wire_feed.h"

/* --- outline draft ---------------------------------------------------------------------------- */

/* A message that is written from front to back while the lengths of its submessages are unknown. They are noted, and
 * inserted at the end, in one pass from the back. */

typedef struct cpb_draft_length {
  size_t at;    /* where it belongs, in the bytes without lengths */
  size_t value; /* known when its message is closed */
} cpb_draft_length;

/* From where in the input the value at `at` came. */
typedef struct cpb_draft_place {
  size_t at;
  cpb_range from;
} cpb_draft_place;

/* A message that is open; level 0 is the whole one. */
typedef struct cpb_draft_level {
  uint32_t number; /* of the field */
  size_t begin;    /* where that begins */
  size_t length;   /* number of its length; SIZE_MAX for a group, which has none */
  size_t inserted; /* bytes of all lengths that will be inserted in it */
} cpb_draft_level;

typedef struct cpb_draft {
  cpb_allocator allocator;
  cpb_error *error;
  uint64_t max_size;
  cpb_buffer bytes;          /* without lengths; after cpb_draft_finish() the message */
  cpb_draft_length *lengths; /* in the order of `at` */
  size_t num_lengths, lengths_capacity;
  cpb_draft_level *levels;
  size_t depth, levels_capacity; /* depth 1: only the whole message */
  cpb_omitted *omitted;          /* `at` is right after cpb_draft_finish() */
  size_t num_omitted, omitted_capacity;
  bool locate;             /* whether places are noted */
  cpb_draft_place *places; /* in the order of `at`, which is as in `omitted` */
  size_t num_places, places_capacity;
  size_t whole;        /* where the last field begins */
  bool half;           /* that field is not complete */
  uint64_t value_left; /* bytes missing of a value that comes in pieces */
} cpb_draft;

/* `error` must outlive the draft. A function that returns false has set it: CPB_E_LIMIT or
 * CPB_E_MEMORY. */
void cpb_draft_init(cpb_draft *draft, const cpb_allocator *a, uint64_t max_size, cpb_error *error);
void cpb_draft_free(cpb_draft *draft);

bool cpb_draft_put_number(cpb_draft *draft, const cpb_wire_field *field);
/* Tag and length of a value whose bytes follow, in pieces. */
bool cpb_draft_begin_value(cpb_draft *draft, const cpb_wire_field *field);
bool cpb_draft_put(cpb_draft *draft, cpb_span bytes);
/* The field with an empty value, as its value is left out. */
bool cpb_draft_omit(cpb_draft *draft, const cpb_wire_field *field);

/* Begins a submessage or group: its fields come next. */
bool cpb_draft_open(cpb_draft *draft, const cpb_wire_field *field);
bool cpb_draft_close(cpb_draft *draft);

/* Removes an incomplete field, and messages that are open deeper than `depth` (0: the whole message is
 * not deeper). */
void cpb_draft_drop(cpb_draft *draft, size_t depth);

/* Removes an incomplete field and closes open messages, so that the part written so far can be finished. */
bool cpb_draft_cut(cpb_draft *draft);

/* Inserts the lengths. Nothing can be written afterwards. */
bool cpb_draft_finish(cpb_draft *draft);

/* --- outline jumps ---------------------------------------------------------------------------- */

/* For callers who know a later place at which a message continues: the bytes between are neither read nor reported as
 * left out. */

/* The state before a field with a length. */
typedef struct cpb_outline_place {
  cpb_input *input;
  cpb_error *error;
  bool is_damaged;      /* something of the input is known to be */
  size_t depth;         /* number of entered messages */
  uint32_t outermost;   /* and as which field the first of them */
  uint32_t number;      /* of the field */
  uint64_t begin;       /* of it, */
  uint64_t message_end; /* and the end of the message that has it; UINT64_MAX in a group */
} cpb_outline_place;

typedef struct cpb_outline_jumps {
  /* CPB_HAVE: `*next` is the place to continue, another field of the same message or its end. CPB_AT_END: no place is
   * known. CPB_WAIT: it reads from the input, and must be called again. CPB_FAILED: the error is set. */
  cpb_have (*find)(void *context, const cpb_outline_place *place, uint64_t *next);
} cpb_outline_jumps;

/* Before the first step. Both must outlive the outline. */
void cpb_outline_set_jumps(cpb_outline *o, const cpb_outline_jumps *jumps, void *context);

/* Between steps, where the scanner is before a field with a length. */
cpb_have cpb_outline_find_jump(cpb_outline *o, uint64_t *next);

/* --- outline state ---------------------------------------------------------------------------- */

#define CPB_OUTLINE_GAPS 100 /* more losses end an outline */

/* Bytes of the input that are lost. */
typedef struct cpb_outline_gap {
  uint64_t begin, end;
  bool whole; /* it is whole fields of one message, or the value of a field */
} cpb_outline_gap;

/* The functions of outline_loss.c. They are called through pointers, so that programs without losses do not link
 * them. */
typedef struct cpb_outline_losses {
  /* Notes the losses that the host has reported since the last step, as long as there is room for them. */
  void (*note)(cpb_outline *o);

  /* Between steps, when the byte at `offset` is needed: if it is lost, leaves out everything that cannot be read
   * without it, and continues after that. */
  bool (*pass)(cpb_outline *o, uint64_t offset);

  /* After an error of the scanner: the same for the damaged bytes. False if nothing more can be read. */
  bool (*pass_damage)(cpb_outline *o);

  /* Whether the value that was copied last can be parsed, if it is a message. */
  bool (*is_intact)(const cpb_outline *o);
} cpb_outline_losses;

typedef enum cpb_outline_state {
  CPB_OUTLINE_SIZE, /* asking for the size of the input, which is the message */
  CPB_OUTLINE_WALK, /* scanning the ranges */
  CPB_OUTLINE_JUMP, /* asking whether to skip the field and others after it */
  CPB_OUTLINE_COPY, /* copying the value of a field that is kept */
  CPB_OUTLINE_DONE
} cpb_outline_state;

struct cpb_outline {
  cpb_allocator outer, allocator; /* the second is the meter's */
  cpb_meter meter;
  cpb_outline_options options;
  cpb_error damage; /* the first problem skipped with keep_damaged, or CPB_OK */
  cpb_error error;
  cpb_input input;
  cpb_wire_feed feed;
  cpb_outline_state state;

  cpb_range *ranges;
  size_t num_ranges, range;
  cpb_wire_scanner scanner; /* of the current range; its offsets are those of the input */
  bool scanning;
  const cpb_message_type **types; /* by depth: of the entered messages; NULL: unknown */
  size_t types_capacity;
  cpb_range kept; /* CPB_OUTLINE_COPY: the rest to copy */
  cpb_draft draft;
  const struct cpb_outline_jumps *jumps; /* NULL: none */
  void *jumps_context;
  const cpb_outline_losses *losses;       /* NULL: losses are an error */
  cpb_outline_gap gaps[CPB_OUTLINE_GAPS]; /* the losses; they do not overlap */
  size_t num_gaps;
  bool placed; /* the fields around the first of them, from outside; 0: none */
  uint32_t lost_in[2];
};

#endif
