#include "riegeli/simple/sizes.h"

const char *cpb_simple_sizes_fault(cpb_span varints, const cpb_chunk_header *header) {
  static const uint8_t none; /* an empty span may have no address */
  const uint8_t *p = varints.size > 0 ? varints.data : &none;
  const uint8_t *end = p + varints.size;
  uint64_t left = header->decoded_data_size, size;
  for (uint64_t i = 0; i < header->num_records; i++) {
    p = cpb_record_size_read(p, end, &size);
    if (!p) return "there are fewer record sizes than records";
    if (size > left) return "the record sizes exceed the decoded size";
    left -= size;
  }
  if (p != end) return "there are more record sizes than records";
  return left == 0 ? NULL : "the record sizes fall short of the decoded size";
}
