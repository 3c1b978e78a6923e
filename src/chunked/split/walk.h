/* The first pass of a split: walks the input along the fields that may be cut, asks the splitters about each, and
 * reports to the plan. walk.c has the invariants between steps. */
#ifndef CPB_CHUNKED_SPLIT_WALK_H
#define CPB_CHUNKED_SPLIT_WALK_H

#include "base/input.h"
#include "chunked/split/plan.h"

typedef enum cpb_split_walk_kind {
  CPB_SPLIT_WALK_MESSAGE,
  CPB_SPLIT_WALK_ENTRY,
  CPB_SPLIT_WALK_GROUP
} cpb_split_walk_kind;

/* A message, map entry or group that the walk is in. */
typedef struct cpb_split_walk_frame {
  cpb_split_walk_kind kind;
  cpb_wire_field field;
  const cpb_message_type *type; /* MESSAGE */
  size_t seen;                  /* MESSAGE: its first in seen.fields */
  size_t edits;                 /* edits planned when it was entered */
  cpb_split_facts facts;        /* ENTRY: of the map */
  uint64_t key;                 /* ENTRY: hash of map and key */
  uint32_t num_fields;          /* ENTRY: so far */
  bool has_key;                 /* ENTRY: its key can be in a field tag */
} cpb_split_walk_frame;

/* Values with longer map keys are not cut. */
#define CPB_SPLIT_WALK_KEY_MAX 1024
/* Entered messages; the index nests twice as deep, and protobuf's parsers stop
 * at 100. */
#define CPB_SPLIT_WALK_DEPTH_MAX 40
/* Number of wrong cuts after which only the root is cut. */
#define CPB_SPLIT_WALK_AVOID_MAX 16

typedef struct cpb_split_walk {
  cpb_allocator allocator; /* the plan's */
  cpb_meter *meter;        /* charged with the bytes examined */
  cpb_error *error;
  cpb_plan *plan;
  const cpb_split_rules *rules;
  const cpb_message_type *type; /* of the root */
  uint64_t size, read_size;
  cpb_wire_scanner scanner;
  cpb_span in;
  bool records; /* the input begins like a .cpb file, so it is not a message */
  cpb_split_seen seen;
  cpb_split_walk_frame *frames;
  size_t depth, frames_capacity;
  uint64_t avoid[CPB_SPLIT_WALK_AVOID_MAX]; /* beginnings of fields that must not be cut */
  size_t num_avoid;
  /* the current field, until the bytes for the decision are there */
  bool pending, looked_up;
  cpb_split_facts facts;
  uint64_t index;
  cpb_split_decision decision;
  size_t have; /* of peek or key_bytes */
  uint8_t peek[CPB_SPLIT_PEEK_MAX];
  uint8_t key_bytes[CPB_SPLIT_WALK_KEY_MAX + 1]; /* the innermost entry's key, as text */
  cpb_tag key_tag;
} cpb_split_walk;

/* The targets of all pointers must outlive the walk. */
void cpb_split_walk_init(cpb_split_walk *w, cpb_plan *plan, const cpb_split_rules *rules, cpb_error *error);
void cpb_split_walk_free(cpb_split_walk *w);

/* CPB_STEP_NEED, CPB_STEP_DONE (the plan is finished) or CPB_STEP_ERROR. */
cpb_step cpb_split_walk_step(cpb_split_walk *w, cpb_input *input);

#endif
