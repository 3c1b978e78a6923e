/* Merging chunks in memory: [chunks 1] then for each [size 2][bytes], then the
 * index. Reading the whole and reading a byte at a time agree. */
#include <string.h>

#include "base/alloc.h"
#include "cpb/chunked.h"
#include "fuzz.h"

#define MOST 8

static int plan(cpb_merge *merge) {
  cpb_step step = cpb_merge_step(merge);
  fuzz_check(step == CPB_STEP_DONE || step == CPB_STEP_ERROR);
  return step == CPB_STEP_DONE;
}

/* Reads a range to `out`, which has room for it. */
static void read_range(cpb_merge *merge, uint64_t offset, uint64_t length, uint8_t *out) {
  fuzz_check(cpb_merge_read(merge, offset, length) == CPB_OK);
  size_t got = 0;
  cpb_step step;
  while ((step = cpb_merge_step(merge)) == CPB_STEP_DATA) {
    size_t n;
    const uint8_t *data = cpb_merge_data(merge, &n);
    fuzz_check(got + n <= length);
    memcpy(out + got, data, n);
    got += n;
  }
  fuzz_check(step == CPB_STEP_DONE && got == length);
}

static void check_ranges(cpb_merge *merge) {
  uint64_t size = cpb_merge_size(merge);
  if (size > 1 << 16) return;
  uint8_t *whole = malloc((size_t)size + 1), *part = malloc((size_t)size + 1);
  read_range(merge, 0, size, whole);
  for (uint64_t at = 0; at < size; at += 1 + size / 16) {
    uint64_t length = size - at < 5 ? size - at : 5;
    read_range(merge, at, length, part);
    fuzz_check(memcmp(whole + at, part, (size_t)length) == 0);
  }
  free(whole);
  free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  cpb_chunk_bytes chunks[MOST];
  size_t count = fuzz_number(&in, 1) % (MOST + 1);
  for (size_t i = 0; i < count; i++) {
    size_t length = fuzz_number(&in, 2);
    fuzz_in bytes = fuzz_bytes(&in, length);
    chunks[i] = (cpb_chunk_bytes){.data = bytes.data, .size = bytes.size};
  }
  cpb_error error = {0};
  cpb_index *index = cpb_index_from_metadata(NULL, &fuzz_limits, in.data, in.size, &error);
  if (index == NULL) {
    fuzz_check(error.code != CPB_OK);
    return 0;
  }
  cpb_merge_options options = {.struct_size = sizeof options, .plan_items = 10000, .limits = &fuzz_limits};
  cpb_merge *merge = cpb_merge_from_chunks(NULL, index, chunks, count, &options);
  fuzz_check(merge != NULL);
  if (plan(merge)) check_ranges(merge);
  else fuzz_check(cpb_merge_error(merge)->message[0] != '\0');
  cpb_merge_free(merge);
  cpb_index_free(index);
  return 0;
}
