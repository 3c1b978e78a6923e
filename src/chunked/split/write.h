/* The second pass: copies the planned chunks into a Riegeli file and ends it
 * with the index. */
#ifndef CPB_CHUNKED_SPLIT_WRITE_H
#define CPB_CHUNKED_SPLIT_WRITE_H

#include "base/input.h"
#include "chunked/split/plan.h"
#include "chunked/split/sample.h"
#include "cpb/split.h"

typedef enum cpb_split_write_state {
  CPB_SPLIT_WRITE_CODEC, /* of the next chunk */
  CPB_SPLIT_WRITE_BEGIN,
  CPB_SPLIT_WRITE_COPY,
  CPB_SPLIT_WRITE_END,
  CPB_SPLIT_WRITE_INDEX_CODEC,
  CPB_SPLIT_WRITE_BEGIN_INDEX,
  CPB_SPLIT_WRITE_INDEX,
  CPB_SPLIT_WRITE_FINISH
} cpb_split_write_state;

typedef struct cpb_split_write {
  cpb_allocator allocator;
  cpb_error *error;
  cpb_plan *plan;
  const cpb_split_options *options;
  cpb_record_writer *writer;
  cpb_split_sample sample;
  cpb_split_write_state state;
  size_t chunk;
  cpb_plan_cursor cursor;
  cpb_plan_piece piece;
  bool piece_open;  /* not all of `piece` was written */
  bool drain;       /* the writer may have output */
  cpb_codec codec;  /* that the writer uses */
  uint64_t copied;  /* bytes of the input */
  cpb_buffer index; /* serialized */
  size_t read_size;
} cpb_split_write;

/* What the pointers lead to must outlive it. Nothing is allocated yet. */
void cpb_split_write_init(cpb_split_write *w, const cpb_allocator *a, cpb_plan *plan, const cpb_split_options *options,
                          cpb_error *error);
void cpb_split_write_free(cpb_split_write *w);

/* CPB_STEP_NEED, CPB_STEP_OUTPUT (at the writer), CPB_STEP_DONE, CPB_STEP_ERROR. */
cpb_step cpb_split_write_step(cpb_split_write *w, cpb_input *input);

#endif
