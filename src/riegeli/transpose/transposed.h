/* The records of a transposed chunk. */
#ifndef CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H
#define CPB_RIEGELI_TRANSPOSE_TRANSPOSED_H

#include "base/alloc.h"

typedef struct cpb_transposed {
  cpb_buffer values; /* their bytes, one record after the other */
  uint64_t *ends;    /* ends[i]: where record i ends in `values`; NULL if there are none */
  size_t num_records;
  uint64_t unpacked; /* bytes that were decompressed for them */
  uint8_t codec;     /* as in the file */
} cpb_transposed;

void cpb_transposed_free(cpb_transposed *transposed);

#endif
