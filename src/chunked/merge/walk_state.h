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

/* --- walk columns ----------------------------------------------------------------------------- */

/* The data of a walk's items, in columns, because there may be a million. */

/* False, with the error set, when memory is short. */
bool cpb_walk_set(cpb_merge_walk *w, cpb_column *column, size_t i, uint64_t value);

/* --- Ranges and patches ------------------------------------------------------ */

static inline uint32_t cpb_walk_item(const cpb_column *c, size_t i) { return (uint32_t)cpb_column_get(c, i) - 1; }

static inline cpb_walk_range cpb_walk_get_range(const cpb_merge_walk *w, uint32_t i) {
  const cpb_range_columns *c = &w->ranges;
  uint64_t begin = cpb_column_get(&c->begin, i);
  return (cpb_walk_range){begin,
                          begin + cpb_column_get(&c->size, i),
                          cpb_walk_item(&c->chunk, i),
                          cpb_walk_item(&c->next, i),
                          cpb_walk_item(&c->first_patch, i),
                          cpb_walk_item(&c->last_patch, i)};
}

static inline cpb_patch cpb_walk_get_patch(const cpb_merge_walk *w, uint32_t i) {
  const cpb_patch_columns *c = &w->patches;
  uint64_t begin = cpb_column_get(&c->begin, i);
  return (cpb_patch){begin, begin + cpb_column_get(&c->size, i), cpb_walk_item(&c->target, i),
                     cpb_walk_item(&c->next, i)};
}

/* Frees these, and inserts. */
void cpb_walk_free_items(cpb_merge_walk *w);

/* --- Numbers: `i` is a place in the row ---------------------------------------- */

static inline cpb_place cpb_walk_first_place(const cpb_merge_walk *w, size_t i) {
  const cpb_number_columns *c = &w->numbers;
  return (cpb_place){cpb_column_get(&c->first_offset, i), (uint32_t)cpb_column_get(&c->first_range, i)};
}

static inline cpb_place cpb_walk_last_place(const cpb_merge_walk *w, size_t i) {
  const cpb_number_columns *c = &w->numbers;
  return (cpb_place){cpb_column_get(&c->last_offset, i), (uint32_t)cpb_column_get(&c->last_range, i)};
}

bool cpb_walk_set_last_place(cpb_merge_walk *w, size_t i, cpb_place last);
bool cpb_walk_set_number(cpb_merge_walk *w, size_t i, cpb_number number);

/* Forgets the numbers of a target. */
void cpb_walk_clear_numbers(cpb_merge_walk *w, uint32_t target);

/* Frees the numbers of all targets. */
void cpb_walk_free_numbers(cpb_merge_walk *w);

/* --- items ------------------------------------------------------------------------------------ */

/* The ranges and patches that a walk finds, and which targets are live, that is, in the message.
 *
 * Items are referred to by number and not by pointer, because the arrays move when they grow; an item never changes its
 * number and is never freed. Clearing only unlinks items. So the arrays grow with the work done, and the meter, which
 * is charged for each item, bounds both. Each range is in the list of at most one target, each patch in that of one
 * range, in the order of the chunk. */

/* Each returns the new item's number, or CPB_NONE with the error set. */
uint32_t cpb_walk_new_range(cpb_merge_walk *w, uint32_t chunk, uint64_t begin, uint64_t end);
uint32_t cpb_walk_new_patch(cpb_merge_walk *w, uint32_t range, uint64_t begin, uint64_t end, uint32_t target);

/* Makes `next` follow the range in the list of a target. */
bool cpb_walk_link_range(cpb_merge_walk *w, uint32_t range, uint32_t next);

/* Gives a range to a target that is a whole chunk, before another range is added. */
bool cpb_walk_make_range(cpb_merge_walk *w, uint32_t target);
/* The size of that chunk, which was read when the target became the chunk. */
uint64_t cpb_walk_whole_size(cpb_merge_walk *w, const cpb_target *t);

void cpb_walk_set_live(cpb_merge_walk *w, uint32_t target);
/* Removes the target's content with all targets in it; the target itself stays live. Takes time proportional to the
 * live targets below it, without recursion. */
void cpb_walk_clear(cpb_merge_walk *w, uint32_t target);

/* --- numbers ---------------------------------------------------------------------------------- */

/* Where in a message the fields of each number are, and so where a new field
 * belongs. */

static inline bool cpb_place_before(cpb_place a, cpb_place b) {
  return a.range != b.range ? a.range < b.range : a.offset < b.offset;
}

/* A field begins at `place`; whichever came before it ended there. */
bool cpb_numbers_field(const cpb_allocator *a, cpb_number_list *list, uint32_t number, cpb_place place);
void cpb_numbers_end(cpb_number_list *list, cpb_place place);

/* Call it after a range of `target` was walked: adds it to the target's ranges, or, if its fields all have one number
 * and there are ranges already, makes it an insert. */
bool cpb_walk_add_range(cpb_merge_walk *w, uint32_t target, uint32_t range, const cpb_number_list *list);

/* The same for a range that was not walked: it comes last, whatever it contains, and so must all later ones. */
bool cpb_walk_append_range(cpb_merge_walk *w, uint32_t target, uint32_t range);

/* Whether the target's ranges have no field with a number above this. */
bool cpb_walk_ends_with(const cpb_merge_walk *w, uint32_t target, uint32_t number);

/* Adds an insert of field `number` to the message `target`. */
bool cpb_walk_insert(cpb_merge_walk *w, uint32_t target, uint32_t number, cpb_insert_kind kind, uint32_t what);

/* --- scan ------------------------------------------------------------------------------------- */

/* The walk of one job: finds the fields of a range of a chunk, and their targets. */

bool cpb_walk_begin_job(cpb_merge_walk *w, cpb_walk_job job);

/* Carries on with the job that was begun. */
cpb_have cpb_walk_run_job(cpb_merge_walk *w);

/* --- walk ------------------------------------------------------------------------------------- */

/* The walk over the chunks: carries out the operations of the tree. See walk.c. */

void cpb_merge_walk_init(cpb_merge_walk *w, const cpb_allocator *a, cpb_merge_tree *tree, cpb_chunk_store *store,
                         uint32_t depth_limit, cpb_error *error);
void cpb_merge_walk_free(cpb_merge_walk *w);
/* Frees the data that only walking needs; the data for the layout stays. */
void cpb_merge_walk_finish(cpb_merge_walk *w);

/* Creates the target, and the targets around it, if it is not in the message yet. */
bool cpb_walk_make_live(cpb_merge_walk *w, uint32_t target);

/* CPB_HAVE when all operations were carried out, CPB_WAIT, or CPB_FAILED with
 * the error set. */
cpb_have cpb_merge_walk_run(cpb_merge_walk *w);

#endif
