/* A message that is written from front to back while the lengths of its submessages are unknown. They are noted, and
 * inserted at the end, in one pass from the back. */
#ifndef CPB_PROTO_OUTLINE_DRAFT_H
#define CPB_PROTO_OUTLINE_DRAFT_H

#include <stdbool.h>

#include "base/alloc.h"
#include "cpb/message.h"
#include "proto/wire.h"

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

#endif
