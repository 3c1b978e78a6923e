/* A transposed Riegeli chunk: [number of records 1][decoded size 2][data]. No
 * block is ever much larger than the limits. */
#include "base/bytes.h"
#include "fuzz.h"
#include "riegeli/transpose/transpose.h"

#define MOST ((size_t)8 << 20)

static void *capped_allocate(void *user, size_t size) {
  (void)user;
  fuzz_check(size <= MOST);
  return malloc(size);
}

static void *capped_resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  fuzz_check(new_size <= MOST);
  return realloc(block, new_size);
}

static void capped_release(void *user, void *block) {
  (void)user;
  free(block);
}

static void check_records(const cpb_transposed *out, uint64_t num_records, uint64_t decoded_size) {
  uint64_t begin = 0;
  fuzz_check(out->num_records == num_records && out->values.size == decoded_size);
  for (size_t i = 0; i < out->num_records; i++) {
    fuzz_check(out->ends[i] >= begin);
    begin = out->ends[i];
  }
  fuzz_check(begin == decoded_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const cpb_allocator a = {NULL, capped_allocate, capped_resize, capped_release};
  fuzz_in in = {data, size};
  const uint64_t num_records = fuzz_number(&in, 1), decoded_size = fuzz_number(&in, 2);
  cpb_transposed out;
  cpb_error error = {.code = CPB_OK};
  const cpb_span chunk = {in.data, in.size};
  if (cpb_transpose_decode(&a, &fuzz_limits, chunk, num_records, decoded_size, &out, &error)) {
    check_records(&out, num_records, decoded_size);
    cpb_transposed_free(&out);
  } else {
    fuzz_check(error.code != CPB_OK);
  }
  return 0;
}
