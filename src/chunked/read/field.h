/* The internals of a field reader, in the order of its work:
 *
 *     way    turns the path into steps: a field each, with its index or key
 *     plan   scans the index once for parts: the chunks with bytes of the field, in the order of a merge
 *     walk   scans each part for pieces: ranges of chunks, and new bytes, which together are the field
 *     read   returns the bytes of the pieces
 *
 * `on` counts how far a place agrees with the path: 2 for each step, 1 for a step's field without its index or key. */
#ifndef CPB_CHUNKED_READ_FIELD_H
#define CPB_CHUNKED_READ_FIELD_H

#include "base/meter.h"
#include "cpb/field_reader.h"
#include "cpb/find.h"
#include "cpb/message.h"
#include "cpb/pager.h"
#include "proto/descriptors.h"
#include "proto/wire.h"

#define CPB_NO_PART_CHUNK UINT32_MAX

typedef struct cpb_field_step {
  const cpb_path_tag *subscript; /* or NULL */
  uint32_t number;
  uint32_t tags;     /* of the path, up to and with this step */
  uint32_t type;     /* a cpb_field_type; 0: not known */
  uint32_t key_type; /* the same of a map's keys */
  bool map, repeated;
  /* A chunk is named without an index, and the type is not known: it is more of the only element, if there is one. */
  bool joins;
  uint64_t seen; /* elements so far */
} cpb_field_step;

/* A message's type: in the descriptors, in a schema, or not known. */
typedef struct cpb_field_scope {
  cpb_span described;
  const cpb_message_type *type;
} cpb_field_scope;

/* A field of it. */
typedef struct cpb_field_known {
  uint32_t number;
  uint32_t type; /* a cpb_field_type; 0: not known */
  bool repeated, map;
  cpb_field_scope message;
  const cpb_field *field; /* in a schema */
} cpb_field_known;

/* Returns the field's JSON instead of its bytes. */
typedef struct cpb_field_text {
  cpb_step (*step)(cpb_field_reader *r);
  void (*free)(cpb_field_reader *r);
} cpb_field_text;

typedef enum cpb_field_kind {
  CPB_PART_WAY,    /* a chunk of a message along the path, or of its end */
  CPB_PART_SLICE,  /* the same, without tags: more of the message around it */
  CPB_PART_BELOW,  /* a field inside the value, to be appended */
  CPB_PART_INNER,  /* the same in an element or entry, where appending is impossible */
  CPB_PART_BESIDE, /* not a chunk: `value` elements exist */
} cpb_field_kind;

typedef struct cpb_field_part {
  uint32_t chunk; /* or CPB_NO_PART_CHUNK */
  uint32_t on;
  uint32_t level; /* in the index */
  uint32_t kind;
  uint64_t value; /* BELOW: where its numbers are in `below`; BESIDE */
  uint32_t size;  /* BELOW: bytes of the numbers */
} cpb_field_part;

/* A message of the index that the plan is in, and its chunked fields. */
typedef struct cpb_field_family {
  uint32_t on, chunk;
  uint32_t num_tags;   /* of the field that is read */
  uint32_t field_on;   /* how far that is */
  uint32_t first;      /* part */
  uint32_t size, last; /* parts; the last in order */
  uint32_t prefix;     /* bytes of the numbers that lead here from the value */
  bool inner, is_slice;
  bool added;                           /* as a part */
  bool beside, field_inner, field_done; /* of the field that is read */
} cpb_field_family;

typedef struct cpb_field_piece {
  uint64_t length;
  uint64_t at;    /* in the chunk, or in `literal` */
  uint32_t chunk; /* or CPB_NO_PART_CHUNK: new bytes */
} cpb_field_piece;

typedef enum cpb_field_phase {
  CPB_FIELD_OPEN,
  CPB_FIELD_IDLE,
  CPB_FIELD_PLAN,
  CPB_FIELD_WALK,
  CPB_FIELD_READ,
  CPB_FIELD_FAILED
} cpb_field_phase;

struct cpb_field_reader {
  cpb_allocator outer, allocator; /* the second one counts */
  cpb_budget budget;
  cpb_meter meter;
  cpb_field_reader_options options;
  cpb_pager *pager;
  uint64_t memory; /* the most that was held */
  cpb_error error;
  cpb_field_phase phase;
  bool wanted, opened; /* there is a path to be read; the file is open */

  cpb_path *path;
  cpb_field_step *steps;
  uint32_t num_steps;
  cpb_field_scope type; /* of the value */
  cpb_found what;
  cpb_field_text *text; /* or NULL */

  /* Bytes of the index or of a chunk. */
  uint64_t source; /* a chunk; CPB_NO_CHUNK: the index */
  uint64_t next, window;
  bool asked;
  cpb_span in;
  cpb_wire_scanner scanner;
  bool scanning;
  cpb_error scan_error;

  /* plan */
  cpb_field_family *families;
  size_t depth, families_capacity;
  cpb_buffer tag, prefix, below;
  bool in_tag;
  cpb_field_part *parts;
  size_t num_parts, parts_capacity;

  /* walk */
  size_t part;
  bool entered;     /* the part's chunk is being opened */
  uint32_t level;   /* the step that is looked for */
  uint32_t groups;  /* that the scanner is in */
  bool entry;       /* it is in an entry of that step's map */
  bool key_matches; /* of the entry */
  bool value_met;   /* before its key */
  bool in_key;      /* which is compared */
  bool in_packed;   /* elements are counted */
  bool in_value;    /* a group that is the value */
  uint64_t element; /* where it begins */
  size_t key_at;
  uint32_t furthest; /* steps that were found */
  bool matched;
  cpb_field_piece *pieces;
  size_t num_pieces, pieces_capacity;
  cpb_buffer literal;
  cpb_field_place place;

  /* read */
  bool found;
  uint64_t at, left; /* of the field */
  cpb_span data;
};

/* --- field_way.c ------------------------------------------------------------ */

/* The steps of r->path, with the numbers and types that r->options know. False with the error set. */
bool cpb_field_way(cpb_field_reader *r);

/* The field that has this name, or where `name` is empty this number. */
bool cpb_field_in(const cpb_field_reader *r, cpb_field_scope scope, cpb_span name, uint64_t number,
                  cpb_field_known *out);

/* Whether a number on the wire is the key of the step's map. */
bool cpb_field_is_key(const cpb_field_step *step, const cpb_wire_field *field);

/* --- field_plan.c ----------------------------------------------------------- */

void cpb_field_plan_begin(cpb_field_reader *r);
/* CPB_HAVE: r->parts are there. */
cpb_have cpb_field_plan_run(cpb_field_reader *r);

/* --- field_walk.c ----------------------------------------------------------- */

void cpb_field_walk_begin(cpb_field_reader *r);
/* CPB_HAVE: r->pieces and r->place are there. */
cpb_have cpb_field_walk_run(cpb_field_reader *r);

/* --- field_reader.c --------------------------------------------------------- */

/* One step towards the bytes that were asked for. */
cpb_step cpb_field_step_bytes(cpb_field_reader *r);

/* Asks for these bytes of the field, which was found. */
void cpb_field_ask(cpb_field_reader *r, uint64_t offset, uint64_t size);

/* From now on each step fails. */
cpb_step cpb_field_fail(cpb_field_reader *r);

/* Fails with a text about the path up to `step`. Returns false. */
bool cpb_field_refuse(cpb_field_reader *r, cpb_code code, uint32_t step, const char *what);
bool cpb_field_no_memory(cpb_field_reader *r);

/* Turns to the index, or to a chunk. */
void cpb_field_turn(cpb_field_reader *r, uint64_t source);

/* The bytes at `pos` of it, of which `left` may be wanted, into r->in. */
cpb_have cpb_field_feed(cpb_field_reader *r, uint64_t pos, uint64_t left);

/* Opens the chunk it turned to: r->pager then knows its size and type. */
cpb_have cpb_field_open(cpb_field_reader *r);

/* `amount` bytes or entries are gone through. */
bool cpb_field_charge(cpb_field_reader *r, cpb_work_kind kind, uint64_t amount);

#endif
