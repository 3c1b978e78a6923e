/* The records of a transposed chunk, put together again. */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H

#include "base/alloc.h"

typedef struct cpb_transposed {
  cpb_buffer values; /* the records, one after the other */
  uint64_t *ends;    /* ends[i]: where record i ends in `values`; NULL without
                        records */
  size_t num_records;
  uint8_t codec; /* as in the file */
} cpb_transposed;

void cpb_transposed_free(cpb_transposed *transposed);

#endif
