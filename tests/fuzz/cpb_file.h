/* A .cpb file in memory, opened and read as the targets need it. Each function returns the engine's error
 * code. */
#ifndef CPB_TESTS_FUZZ_CPB_FILE_H
#define CPB_TESTS_FUZZ_CPB_FILE_H

#include "cpb/chunked.h"
#include "host.h"

enum { FUZZ_MOST_MERGED = 1 << 17 };

/* NULL if there is none. */
static inline cpb_index *fuzz_open_index(fuzz_in file, size_t piece, const cpb_limits *limits) {
  fuzz_loan loan = {NULL};
  cpb_index *index = cpb_index_new(NULL, limits);
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) fuzz_lend(&loan, cpb_index_input(index), file, piece);
  fuzz_return(&loan);
  if (step == CPB_STEP_DONE) return index;
  fuzz_error(cpb_index_error(index));
  cpb_index_free(index);
  return NULL;
}

/* Appends a range of a chunk to `out`. */
static inline cpb_code fuzz_read_chunk(cpb_chunk_reader *reader, fuzz_in file, size_t piece, uint64_t chunk,
                                       cpb_range range, fuzz_out *out) {
  fuzz_loan loan = {NULL};
  cpb_step step;
  fuzz_check(cpb_chunk_reader_read(reader, chunk, range.offset, range.length) == CPB_OK);
  while ((step = cpb_chunk_reader_step(reader)) > CPB_STEP_DONE) {
    size_t length;
    if (step == CPB_STEP_NEED) {
      fuzz_lend(&loan, cpb_chunk_reader_input(reader), file, piece);
    } else {
      const uint8_t *data = cpb_chunk_reader_data(reader, &length);
      fuzz_check(step == CPB_STEP_DATA && length > 0);
      fuzz_put(out, data, length);
    }
  }
  fuzz_return(&loan);
  if (step == CPB_STEP_ERROR) fuzz_error(cpb_chunk_reader_error(reader));
  return cpb_chunk_reader_error(reader)->code;
}

/* A whole chunk with a reader of its own. */
static inline cpb_code fuzz_whole_chunk(const cpb_index *index, fuzz_in file, cpb_verify verify, uint64_t chunk,
                                        const cpb_limits *limits, fuzz_out *out) {
  const cpb_chunk_reader_options how = {.struct_size = sizeof how, .verify = verify, .limits = limits};
  cpb_chunk_reader *reader = cpb_chunk_reader_new(NULL, index, &how);
  cpb_code code = fuzz_read_chunk(reader, file, SIZE_MAX, chunk, (cpb_range){0, UINT64_MAX}, out);
  cpb_chunk_reader_free(reader);
  return code;
}

/* Makes the plan. */
static inline cpb_code fuzz_plan(cpb_merge *merge, fuzz_in file, size_t piece) {
  fuzz_loan loan = {NULL};
  cpb_step step;
  while ((step = cpb_merge_step(merge)) == CPB_STEP_NEED) fuzz_lend(&loan, cpb_merge_input(merge), file, piece);
  fuzz_return(&loan);
  fuzz_check(step == CPB_STEP_DONE || step == CPB_STEP_ERROR);
  if (step == CPB_STEP_ERROR) fuzz_error(cpb_merge_error(merge));
  return cpb_merge_error(merge)->code;
}

/* Appends a range of the merged message to `out`. */
static inline cpb_code fuzz_read_merged(cpb_merge *merge, fuzz_in file, size_t piece, cpb_range range, fuzz_out *out) {
  fuzz_loan loan = {NULL};
  size_t before = out->size;
  cpb_step step;
  fuzz_check(cpb_merge_read(merge, range.offset, range.length) == CPB_OK);
  while ((step = cpb_merge_step(merge)) > CPB_STEP_DONE) {
    size_t length;
    if (step == CPB_STEP_NEED) {
      fuzz_lend(&loan, cpb_merge_input(merge), file, piece);
    } else {
      const uint8_t *data = cpb_merge_data(merge, &length);
      fuzz_check(step == CPB_STEP_DATA && length > 0 && length <= range.length - (out->size - before));
      fuzz_put(out, data, length);
    }
  }
  fuzz_return(&loan);
  if (step == CPB_STEP_DONE) fuzz_check(out->size - before == range.length);
  else fuzz_error(cpb_merge_error(merge));
  return cpb_merge_error(merge)->code;
}

/* The merged message, if it is not too large: then CPB_E_LIMIT. */
static inline cpb_code fuzz_merged(fuzz_in file, const cpb_limits *limits, fuzz_out *out) {
  cpb_index *index = fuzz_open_index(file, SIZE_MAX, limits);
  if (index == NULL) return CPB_E_FORMAT;
  const cpb_merge_options how = {.struct_size = sizeof how, .plan_items = 10000, .limits = limits};
  cpb_merge *merge = cpb_merge_new(NULL, index, &how);
  cpb_code code = fuzz_plan(merge, file, SIZE_MAX);
  if (code == CPB_OK && cpb_merge_size(merge) > FUZZ_MOST_MERGED) code = CPB_E_LIMIT;
  if (code == CPB_OK) code = fuzz_read_merged(merge, file, SIZE_MAX, (cpb_range){0, cpb_merge_size(merge)}, out);
  cpb_merge_free(merge);
  cpb_index_free(index);
  return code;
}

#endif
