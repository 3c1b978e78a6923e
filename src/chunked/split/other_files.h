/* The files that the index of a split refers to: those that the split writes, and those of a base. */
#ifndef CPB_CHUNKED_SPLIT_OTHER_FILES_H
#define CPB_CHUNKED_SPLIT_OTHER_FILES_H

#include "chunked/split/files.h"
#include "chunked/split/share.h"

typedef struct cpb_split_other {
  const char *name; /* in `text`, or the base's */
  size_t length;
  uint64_t size;   /* of a base's */
  uint32_t source; /* its number there */
  bool is_written; /* by this split */
} cpb_split_other;

typedef struct cpb_split_others {
  cpb_allocator allocator;
  cpb_split_other *items; /* in the order of their names */
  size_t count;
  char *text;
  cpb_column written, shared; /* by number of the source: the number in the index */
} cpb_split_others;

void cpb_split_others_init(cpb_split_others *o, const cpb_allocator *a);
void cpb_split_others_free(cpb_split_others *o);

/* Call it once both are planned. USAGE: a file to be written is one of the base's; DAMAGED, MEMORY. */
bool cpb_split_others_plan(cpb_split_others *o, const cpb_split_files *files, const cpb_split_sharing *share,
                           cpb_error *error);

/* Adds the files to the index, and to its chunks where they are, once all are written. */
bool cpb_split_others_describe(const cpb_split_others *o, const cpb_plan *plan, const cpb_split_files *files,
                               const cpb_split_sharing *share, cpb_metadata *m, cpb_error *error);

#endif
