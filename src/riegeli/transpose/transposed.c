#include "riegeli/transpose/transposed.h"

#include "base/alloc.h"

void cpb_transposed_free(cpb_transposed *transposed) {
  cpb_allocator a = transposed->values.allocator;
  cpb_buffer_free(&transposed->values);
  cpb_release(&a, transposed->ends);
  transposed->ends = NULL;
  transposed->num_records = 0;
}
