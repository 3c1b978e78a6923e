/* The walk over the chunks that finds out what the merged message consists of.
 *
 * Operations are carried out one after the other. A chunk is read only if
 * something goes into it, or if its place among other parts of a message has to
 * be found; otherwise its size is enough. While a chunk is read, every target
 * on the way is met in the same pass:
 *
 *     part     a range of a chunk that is content of a target
 *     patch    a field in a part that is rewritten because its target is patched
 *     insert   something new in a target: a created field, or a whole part whose
 *              fields all have one number
 *
 * A message with several parts is their concatenation. So that a message in
 * canonical order comes back as it was, what has one field number is inserted
 * where that number belongs; see `place`. */
#ifndef CPB_CHUNKED_MERGE_WALK_H
#define CPB_CHUNKED_MERGE_WALK_H

#include "chunked/merge/tree.h"
#include "chunked/read/chunk_store.h"
#include "proto/wire.h"

#define CPB_LITERAL UINT32_MAX

typedef struct cpb_part {
  uint64_t begin, end; /* in the chunk */
  uint32_t chunk;      /* or CPB_LITERAL */
  uint32_t next;       /* of the same target */
  uint32_t first_patch, last_patch;
} cpb_part;

typedef struct cpb_patch {
  uint64_t begin, end; /* the field in the chunk, tag included */
  uint32_t target;
  uint32_t next; /* of the same part */
} cpb_patch;

/* A place between two fields of a target's parts. */
typedef struct cpb_place {
  uint64_t offset; /* in the chunk */
  uint32_t part;   /* its number plus 1; 0: before all parts */
} cpb_place;

typedef enum cpb_insert_kind {
  CPB_INSERT_TARGET, /* a created field: `what` is a target */
  CPB_INSERT_PART,   /* fields: `what` is a part */
  CPB_INSERT_VALUE   /* a field whose value is the part `what` */
} cpb_insert_kind;

typedef struct cpb_insert {
  cpb_place place;
  uint32_t number; /* field number */
  uint32_t what;
  uint32_t next; /* of the same target */
  cpb_insert_kind kind;
} cpb_insert;

/* Where the fields of one number are. */
typedef struct cpb_number {
  cpb_place first; /* before the first */
  cpb_place last;  /* after the last */
  uint32_t number;
} cpb_number;

typedef struct cpb_number_list {
  cpb_number *items; /* sorted by number */
  size_t count, capacity;
  size_t open;  /* the field met last: its `last` is not known yet */
  bool crowded; /* more numbers than are kept */
} cpb_number_list;

/* A message that the scanner is in. */
typedef struct cpb_walk_frame {
  uint32_t target; /* CPB_NONE: it does not matter */
  uint32_t part;
  bool seeking_key;     /* a map entry whose key is not known yet: target and
                           part are still those of the map */
  bool key_comes_late;  /* something stood before the key */
  uint64_t begin, end;  /* of its content in the chunk */
  uint64_t field_begin; /* of the field that it is the value of */
  cpb_number_list numbers;
} cpb_walk_frame;

/* A range of a chunk to be walked as content of a target. */
typedef struct cpb_walk_job {
  uint64_t begin, end;
  uint32_t target, chunk;
} cpb_walk_job;

typedef struct cpb_merge_walk {
  cpb_allocator allocator;
  cpb_error *error;
  cpb_merge_tree *tree;
  cpb_chunk_store *store;
  uint32_t depth_limit;
  cpb_part *parts;
  size_t num_parts, parts_capacity;
  cpb_patch *patches;
  size_t num_patches, patches_capacity;
  cpb_insert *inserts;
  size_t num_inserts, inserts_capacity;
  cpb_number *numbers;
  size_t num_numbers, numbers_capacity;
  /* what is going on */
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
  cpb_buffer literals; /* numbers as fields; parts of CPB_LITERAL */
  uint32_t *path;      /* room for make_live */
  size_t path_capacity;
} cpb_merge_walk;

void cpb_merge_walk_init(cpb_merge_walk *w, const cpb_allocator *a, cpb_merge_tree *tree, cpb_chunk_store *store,
                         uint32_t depth_limit, cpb_error *error);
void cpb_merge_walk_free(cpb_merge_walk *w);
/* Gives back what only walking needs. */
void cpb_merge_walk_finish(cpb_merge_walk *w);

/* CPB_HAVE when all operations were carried out, CPB_WAIT, or CPB_FAILED with
 * the error set. */
cpb_have cpb_merge_walk_run(cpb_merge_walk *w);

/* --- For the parts of the walk -------------------------------------------- */

/* Carries on with the job that was begun. */
bool cpb_walk_begin_job(cpb_merge_walk *w, cpb_walk_job job);
cpb_have cpb_walk_run_job(cpb_merge_walk *w);

/* Each returns the new item's number, or CPB_NONE with the error set. */
uint32_t cpb_walk_new_part(cpb_merge_walk *w, uint32_t chunk, uint64_t begin, uint64_t end);
uint32_t cpb_walk_new_patch(cpb_merge_walk *w, uint32_t part, uint64_t begin, uint64_t end, uint32_t target);

void cpb_walk_set_live(cpb_merge_walk *w, uint32_t target);
/* The target's content goes, and all that was in it. */
void cpb_walk_clear(cpb_merge_walk *w, uint32_t target);

/* The message that the target is a field of; for elements and entries that of
 * the repeated field. */
uint32_t cpb_target_owner(const cpb_merge_tree *tree, uint32_t target);
uint32_t cpb_target_number(const cpb_merge_tree *tree, uint32_t target);

#endif
