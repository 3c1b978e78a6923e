/* The record positions that an index names, in order: from them follows where
 * Riegeli chunks probably begin and end, before any of their headers is read. */
#ifndef CPB_CHUNKED_INDEX_POSITIONS_H
#define CPB_CHUNKED_INDEX_POSITIONS_H

#include "chunked/index/metadata.h"

typedef struct cpb_positions {
  cpb_allocator allocator;
  const cpb_metadata *metadata;
  uint64_t *sorted; /* each once; NULL: the index names them in this order */
  size_t count;
  size_t *files; /* by file: where its positions end in `sorted`, which may have unused places; NULL: there is only one
                  * file */
} cpb_positions;

/* False if memory is short. `metadata` must outlive the positions. */
bool cpb_positions_init(cpb_positions *p, const cpb_allocator *a, const cpb_metadata *metadata);
void cpb_positions_free(cpb_positions *p);

/* Records of one Riegeli chunk have consecutive positions. So the Riegeli chunk of the record at `position` begins at
 * the start of the run of consecutive positions around it. It ends, if the file holds nothing else, at the start of the
 * next run: `*end`, or CPB_NO_OFFSET after the last run. */
void cpb_positions_around(const cpb_positions *p, uint32_t file, uint64_t position, uint64_t *begin, uint64_t *end);

#endif
