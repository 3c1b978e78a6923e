/* Where to continue after damage: at the end of the damaged chunk, if its header is valid, else at the end of a chunk
 * according to the next valid block header. */
#ifndef CPB_RIEGELI_RECORDS_RECOVERY_H
#define CPB_RIEGELI_RECORDS_RECOVERY_H

#include "riegeli/chunk_source.h"

typedef struct cpb_recovery {
  cpb_resume how;
  uint64_t at;
  uint64_t begin, end; /* the region that is left out */
} cpb_recovery;

/* Clears the failure that is set in the source. The region that is left out begins at `begin`. */
void cpb_recovery_begin(cpb_recovery *r, cpb_chunk_source *s, uint64_t begin);

/* Makes the source go to the next chunk, or past the end of the input, and sets `end`. CPB_FAILED only if the host
 * fails. */
cpb_have cpb_recovery_find(cpb_recovery *r, cpb_chunk_source *s);

#endif
