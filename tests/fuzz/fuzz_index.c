/* The chunk index, and the property that what was decoded encodes to something
 * that decodes to the same. */
#include <string.h>

#include "chunked/metadata.h"
#include "fuzz.h"

static int decode(cpb_metadata *m, cpb_span bytes, cpb_error *error) {
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_metadata_init(m, &system);
  memset(error, 0, sizeof *error);
  return cpb_metadata_decode(m, bytes, &fuzz_limits, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cpb_metadata m, again;
  cpb_error error;
  int good = decode(&m, (cpb_span){data, size}, &error);
  fuzz_check(good == (error.code == CPB_OK));
  if (good) {
    cpb_buffer out, out2;
    cpb_buffer_init(&out, &m.allocator);
    cpb_buffer_init(&out2, &m.allocator);
    fuzz_check(cpb_metadata_encode(&m, &out, &error));
    fuzz_check(decode(&again, (cpb_span){out.data, out.size}, &error));
    fuzz_check(again.num_nodes == m.num_nodes && again.num_chunks == m.num_chunks);
    fuzz_check(cpb_metadata_encode(&again, &out2, &error));
    fuzz_check(out.size == out2.size && (out.size == 0 || memcmp(out.data, out2.data, out.size) == 0));
    cpb_metadata_free(&again);
    cpb_buffer_free(&out);
    cpb_buffer_free(&out2);
  }
  cpb_metadata_free(&m);
  return 0;
}
