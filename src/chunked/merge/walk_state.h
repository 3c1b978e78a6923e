/* The state of a walk over the chunks: what the merged message consists of so far.
 *
 *     range    of a chunk: content of a target
 *     patch    a field in a range that is rewritten because its target is patched
 *     insert   something new in a target: a created field, or a whole range whose
 *              fields all have one number
 *
 * A message with several ranges is their concatenation. A created field, and a range whose fields
 * all have one number, is inserted next to the fields of that number (cpb_place): so a message whose
 * fields were in order before it was split comes back byte for byte. */
#ifndef CPB_CHUNKED_MERGE_WALK_STATE_H
#define CPB_CHUNKED_MERGE_WALK_STATE_H

#include "chunked/merge/targets.h"
#include "chunked/read/chunk_store.h"
#include "proto/wire.h"

#define CPB_LITERAL UINT32_MAX

typedef struct cpb_walk_range {
  uint64_t begin, end; /* in the chunk */
  uint32_t chunk;      /* or CPB_LITERAL */
  uint32_t next;       /* of the same target */
  uint32_t first_patch, last_patch;
} cpb_walk_range;

typedef struct cpb_patch {
  uint64_t begin, end; /* the field in the chunk, tag included */
  uint32_t target;     /* CPB_NONE: the field is left out */
  uint32_t next;       /* of the same range */
} cpb_patch;

/* By range. Numbers of items and chunks are stored plus 1: 0 is CPB_NONE or CPB_LITERAL. */
typedef struct cpb_range_columns {
  cpb_column begin, size, chunk, next, first_patch, last_patch;
} cpb_range_columns;

/* By patch; in the same way. */
typedef struct cpb_patch_columns {
  cpb_column begin, size, target, next;
} cpb_patch_columns;

/* A place between two fields of a target's ranges. */
typedef struct cpb_place {
  uint64_t offset; /* in the chunk */
  uint32_t range;  /* number of the range plus 1; 0: before all ranges */
} cpb_place;

typedef enum cpb_insert_kind {
  CPB_INSERT_TARGET, /* a created field: `what` is a target */
  CPB_INSERT_RANGE,  /* fields: `what` is a range */
  CPB_INSERT_VALUE   /* a field whose value is the range `what` */
} cpb_insert_kind;

typedef struct cpb_insert {
  uint64_t offset; /* its place */
  uint32_t range;
  uint32_t number : 30; /* field number */
  uint32_t kind : 2;    /* a cpb_insert_kind */
  uint32_t what;
  uint32_t next; /* of the same target */
} cpb_insert;

static inline cpb_place cpb_insert_place(const cpb_insert *i) { return (cpb_place){i->offset, i->range}; }

/* The places of the fields with one number. */
typedef struct cpb_number {
  cpb_place first; /* before the first */
  cpb_place last;  /* after the last */
  uint32_t number;
} cpb_number;

typedef struct cpb_number_list {
  cpb_number *items; /* sorted by number */
  size_t count, capacity;
  size_t open;  /* the last field met: its `last` is not yet known */
  bool crowded; /* there are more numbers than are kept */
} cpb_number_list;

/* The numbers of all targets: the place of each target's list, and the lists in a row. */
typedef struct cpb_number_columns {
  cpb_column list, count, capacity;
  cpb_column number, first_offset, first_range, last_offset, last_range;
  size_t used; /* of the row */
} cpb_number_columns;

/* A message that the scanner is in. */
typedef struct cpb_walk_frame {
  uint32_t target; /* CPB_NONE: irrelevant */
  uint32_t range;
  bool seeking_key;     /* a map entry whose key is not yet known: target and range still belong to the map */
  bool key_comes_late;  /* other fields came before the key */
  uint64_t begin, end;  /* of its content in the chunk */
  uint64_t field_begin; /* of the field that holds it */
  cpb_number_list numbers;
} cpb_walk_frame;

/* A range of a chunk to be walked as content of a target. */
typedef struct cpb_walk_job {
  uint64_t begin, end;
  uint32_t target, chunk;
} cpb_walk_job;

/* Unreadable chunks that others go into; see losses.c. */
typedef struct cpb_walk_losses cpb_walk_losses;

typedef enum cpb_op_taken { CPB_OP_TAKEN_NOT, CPB_OP_TAKEN, CPB_OP_TAKEN_FAILED } cpb_op_taken;

typedef struct cpb_merge_walk {
  cpb_allocator allocator;
  cpb_error *error;
  cpb_merge_tree *tree;
  cpb_chunk_store *store;
  uint32_t depth_limit;
  cpb_range_columns ranges;
  size_t num_ranges;
  cpb_patch_columns patches;
  size_t num_patches;
  cpb_insert *inserts;
  size_t num_inserts, inserts_capacity;
  cpb_column sizes; /* of the targets' merged content, once that is known (layout.c) */
  cpb_number_columns numbers;
  /* The work in progress. */
  size_t op;
  bool scanning;
  cpb_walk_job job;
  cpb_wire_scanner scanner;
  cpb_error scan_error;
  cpb_span in;
  cpb_walk_frame *frames;
  size_t depth, frames_capacity;
  cpb_walk_job *later; /* walked after the job */
  size_t num_later, later_capacity;
  bool reading_key;
  cpb_buffer key;      /* or the text of a number */
  cpb_buffer literals; /* numbers as fields; ranges of CPB_LITERAL */
  uint32_t *path;      /* room for cpb_walk_make_live */
  size_t path_capacity;
  cpb_walk_losses *losses; /* NULL: an unreadable chunk is an error */
} cpb_merge_walk;

#define CPB_LOSSES 100 /* more are an error */

struct cpb_walk_losses {
  uint32_t chunks[CPB_LOSSES];
  size_t count;
  cpb_error first; /* why the first of them is unreadable */

  /* Adds the chunk that made the walk fail, if one did. Functions of losses.c are called through pointers, so that
   * modules which do not keep damaged chunks do not link them. */
  bool (*add)(cpb_walk_losses *losses, cpb_merge_walk *w);
  /* After a failure on unverified bytes: whether the chunk must be read to decide. */
  bool (*doubts)(cpb_merge_walk *w);
  /* Carries out an operation that concerns such a chunk; CPB_OP_TAKEN_NOT: it is like any other. */
  cpb_op_taken (*take)(cpb_merge_walk *w, cpb_merge_op op);
};

#endif
