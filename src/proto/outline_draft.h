/* A message as it is written down front to back, while the lengths of the messages
 * in it are not yet known. They are noted, and put in at the end in one go. */
#ifndef CPB_PROTO_OUTLINE_DRAFT_H
#define CPB_PROTO_OUTLINE_DRAFT_H

#include <stdbool.h>

#include "base/alloc.h"
#include "cpb/message.h"
#include "proto/wire.h"

typedef struct cpb_draft_length {
  size_t at;    /* in the bytes without lengths */
  size_t value; /* when its message is closed */
} cpb_draft_length;

/* Where the value at `at` came from. */
typedef struct cpb_draft_place {
  size_t at;
  cpb_range from;
} cpb_draft_place;

/* A message that is open, or the whole. */
typedef struct cpb_draft_level {
  uint32_t number; /* of the field */
  size_t length;   /* which, or SIZE_MAX for a group, which has none */
  size_t inserted; /* bytes of the lengths that belong in it */
} cpb_draft_level;

typedef struct cpb_draft {
  cpb_allocator allocator;
  cpb_error *error;
  uint64_t max_size;
  cpb_buffer bytes;          /* finished: the message */
  cpb_draft_length *lengths; /* in order of `at` */
  size_t num_lengths, lengths_capacity;
  cpb_draft_level *levels;
  size_t depth, levels_capacity; /* depth 1: the whole */
  cpb_omitted *omitted;          /* finished: `at` counts the lengths */
  size_t num_omitted, omitted_capacity;
  bool locate;             /* note places */
  cpb_draft_place *places; /* as `omitted` */
  size_t num_places, places_capacity;
  size_t whole;        /* where the last field begins */
  bool half;           /* it is not whole */
  uint64_t value_left; /* of a value that comes in pieces */
} cpb_draft;

/* `error` must outlive the draft; each function below that returns false has set
 * it: LIMIT or MEMORY. */
void cpb_draft_init(cpb_draft *draft, const cpb_allocator *a, uint64_t max_size, cpb_error *error);
void cpb_draft_free(cpb_draft *draft);

bool cpb_draft_put_number(cpb_draft *draft, const cpb_wire_field *field);
/* The head of a value whose bytes come next, in pieces. */
bool cpb_draft_begin_value(cpb_draft *draft, const cpb_wire_field *field);
bool cpb_draft_put(cpb_draft *draft, cpb_span bytes);
/* An empty value for the field, whose value is elsewhere. */
bool cpb_draft_omit(cpb_draft *draft, const cpb_wire_field *field);

/* A submessage or group: its fields come next. */
bool cpb_draft_open(cpb_draft *draft, const cpb_wire_field *field);
bool cpb_draft_close(cpb_draft *draft);

/* Drops a field that is not whole and closes what is open: what was put can be
 * finished after all. */
bool cpb_draft_cut(cpb_draft *draft);

/* Puts the lengths in; only reading and freeing it come after. */
bool cpb_draft_finish(cpb_draft *draft);

#endif
