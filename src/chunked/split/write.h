/* The second pass: copies the planned chunks into a Riegeli file and ends it
 * with the index. */
#ifndef CPB_CHUNKED_SPLIT_WRITE_H
#define CPB_CHUNKED_SPLIT_WRITE_H

#include <stdbool.h>

#include "base/input.h"
#include "chunked/split/chunked_writer.h"
#include "chunked/split/files.h"
#include "chunked/split/plan.h"
#include "cpb/split.h"

typedef enum cpb_split_write_state {
  CPB_SPLIT_WRITE_CODEC, /* of the next chunk */
  CPB_SPLIT_WRITE_GIVEN, /* Riegeli chunks that were encoded elsewhere */
  CPB_SPLIT_WRITE_TRANSPOSE,
  CPB_SPLIT_WRITE_BEGIN,
  CPB_SPLIT_WRITE_COPY,
  CPB_SPLIT_WRITE_END,
  CPB_SPLIT_WRITE_END_FILE,
  CPB_SPLIT_WRITE_NEXT_FILE,
  CPB_SPLIT_WRITE_MAKE_INDEX,
  CPB_SPLIT_WRITE_INDEX,
  CPB_SPLIT_WRITE_FLUSH, /* at the end of a part that is encoded separately */
  CPB_SPLIT_WRITE_DONE
} cpb_split_write_state;

typedef struct cpb_split_write {
  cpb_error *error;
  cpb_plan *plan;
  const cpb_split_options *options;
  cpb_chunked_writer out;
  cpb_split_files files;
  const cpb_split_sharing *share;
  cpb_split_others others;
  cpb_split_sample sample;
  cpb_split_write_state state;
  size_t chunk;
  size_t first, end; /* when encoding separately: the part's first chunk, and the chunk after the part; the plan
                      * belongs to another engine and does not change */
  bool apart;
  cpb_split_bytes bytes; /* of the chunk */
  uint64_t copied;       /* bytes of the input */
  cpb_metadata metadata; /* the index, while it is written */
  size_t read_size;
} cpb_split_write;

/* The targets of all pointers must outlive it. Allocates nothing yet. */
void cpb_split_write_init(cpb_split_write *w, const cpb_allocator *a, cpb_plan *plan, const cpb_split_sharing *share,
                          const cpb_split_options *options, cpb_error *error);
void cpb_split_write_free(cpb_split_write *w);

/* Divides the chunks into parts of at least `least` bytes; steps then return CPB_STEP_PART. */
bool cpb_split_write_cut(cpb_split_write *w, uint64_t least);

/* With `apart`, an engine encodes the last part begun, and is then finished with it. */
void cpb_split_write_part(cpb_split_write *w, size_t first, size_t end);

/* CPB_STEP_NEED, CPB_STEP_OUTPUT (at the writer), CPB_STEP_PART, CPB_STEP_DONE, CPB_STEP_ERROR. */
cpb_step cpb_split_write_step(cpb_split_write *w, cpb_input *input);

#endif
