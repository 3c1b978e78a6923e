/* Where reading can go on after damage. */
#ifndef CPB_RIEGELI_RECORDS_RECOVERY_H
#define CPB_RIEGELI_RECORDS_RECOVERY_H

#include "riegeli/chunk_source.h"

typedef struct cpb_recovery {
  cpb_resume how;
  uint64_t at;
  uint64_t begin, end; /* the region that is left out; `end` when it is found */
} cpb_recovery;

/* The failure that the source holds left out what is from `begin` on; the
 * failure itself is cleared. */
void cpb_recovery_begin(cpb_recovery *r, cpb_chunk_source *s, uint64_t begin);

/* Turns the source to the next chunk, or past the end of the input. CPB_WAIT,
 * CPB_FAILED (only when the host failed), or CPB_HAVE: `end` is set. */
cpb_have cpb_recovery_find(cpb_recovery *r, cpb_chunk_source *s);

#endif
