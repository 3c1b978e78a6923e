/* The chunk reader: [how 1][file]. A chunk is the record at its position, or where
 * that is none's the next one, as in Riegeli; whole and in parts, however it is
 * verified; and the segments of the merged message are ranges of chunks. */
#include "cpb_file.h"
#include "mutate.h"

FUZZ_MUTATE_FILE(1)

enum { MOST_CHUNKS = 12, MOST_SEGMENTS = 40 };

static const fuzz_bounds bounds = {
    .decoded = {2 << 20, 128}, .held = {64 << 10, 256}, .walked = {4096, 64}, .entries = {100, 8}, .index = {0, 64}};

/* The record at a position, by a record reader. */
static cpb_code read_record(fuzz_in file, uint64_t position, const cpb_limits *limits, fuzz_out *out, uint64_t *found) {
  fuzz_loan loan = {NULL};
  const cpb_record_reader_options how = {.struct_size = sizeof how, .position = position, .limits = limits};
  cpb_record_reader *reader = cpb_record_reader_new(NULL, &how);
  cpb_step step;
  int records = 0;
  *found = 0;
  while ((step = cpb_record_reader_step(reader)) > CPB_STEP_DONE) {
    size_t length;
    if (step == CPB_STEP_NEED) fuzz_lend(&loan, cpb_record_reader_input(reader), file, SIZE_MAX);
    if (step == CPB_STEP_RECORD && records++ > 0) break;
    if (step == CPB_STEP_RECORD) *found = cpb_record_reader_record(reader)->position;
    if (step == CPB_STEP_RECORD && cpb_record_reader_record(reader)->size == 0) break;
    if (step != CPB_STEP_DATA) continue;
    const uint8_t *data = cpb_record_reader_data(reader, &length);
    fuzz_put(out, data, length);
    if (out->size == cpb_record_reader_record(reader)->size) break;
  }
  cpb_code code = cpb_record_reader_error(reader)->code;
  cpb_record_reader_free(reader);
  fuzz_return(&loan);
  return code;
}

static void compare_parts(const cpb_index *index, fuzz_in file, uint64_t chunk, fuzz_in whole, uint32_t how,
                          const cpb_limits *limits) {
  fuzz_out part = {NULL, 0, 0};
  const cpb_chunk_reader_options options = {
      .struct_size = sizeof options, .verify = (cpb_verify)(how % 3), .limits = limits};
  cpb_chunk_reader *reader = cpb_chunk_reader_new(NULL, index, &options);
  const cpb_range ranges[] = {
      {whole.size / 2, whole.size / 4 + 1}, {0, 3}, {whole.size / 3, UINT64_MAX}, {whole.size, 5}, {0, UINT64_MAX}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    part.size = 0;
    fuzz_check(fuzz_read_chunk(reader, file, how & 4 ? 61 : SIZE_MAX, chunk, ranges[i], &part) == CPB_OK);
    size_t begin = (size_t)ranges[i].offset, left = whole.size - begin;
    size_t length = ranges[i].length < left ? (size_t)ranges[i].length : left;
    fuzz_check(part.size == length && (length == 0 || memcmp(part.data, whole.data + begin, length) == 0));
    fuzz_check(cpb_chunk_reader_stored(reader)->size == whole.size);
  }
  cpb_chunk_reader_free(reader);
  fuzz_free(&part);
}

static void compare_chunk(const cpb_index *index, fuzz_in file, uint64_t chunk, uint32_t how,
                          const cpb_limits *limits) {
  fuzz_out by_reader = {NULL, 0, 0}, by_record = {NULL, 0, 0};
  cpb_chunk_info info;
  uint64_t found;
  fuzz_check(cpb_index_get_chunk(index, chunk, &info) == CPB_OK);
  cpb_code code = fuzz_whole_chunk(index, file, CPB_VERIFY_FIRST, chunk, limits, &by_reader);
  if (code == CPB_OK) {
    /* A Riegeli chunk within the data of another is found where the index says, but not by who walks there. */
    int walked = read_record(file, info.position, limits, &by_record, &found) == CPB_OK;
    if (walked && found == info.position) fuzz_check(fuzz_same(fuzz_view(&by_reader), fuzz_view(&by_record)));
    compare_parts(index, file, chunk, fuzz_view(&by_reader), how, limits);
  }
  fuzz_free(&by_reader);
  fuzz_free(&by_record);
}

/* Each segment of the merged message, of which the bytes are `whole`. */
static void compare_segments(const cpb_merge *merge, const cpb_index *index, fuzz_in file, fuzz_in whole,
                             const cpb_limits *limits) {
  fuzz_out part = {NULL, 0, 0};
  const cpb_chunk_reader_options how = {.struct_size = sizeof how, .limits = limits};
  uint64_t end = 0;
  for (size_t i = 0; i < cpb_merge_num_segments(merge); i++) {
    cpb_segment s;
    fuzz_check(cpb_merge_get_segment(merge, i, &s) == CPB_OK);
    fuzz_check(s.offset == end && s.length > 0 && cpb_merge_find_segment(merge, s.offset + s.length - 1) == i);
    end += s.length;
    fuzz_check(end <= whole.size && (s.chunk == CPB_NO_CHUNK) == (s.literal != NULL));
    if (s.literal) fuzz_check(memcmp(s.literal, whole.data + s.offset, (size_t)s.length) == 0);
    if (s.literal || i >= MOST_SEGMENTS) continue;
    part.size = 0;
    cpb_chunk_reader *reader = cpb_chunk_reader_new(NULL, index, &how);
    fuzz_check(fuzz_read_chunk(reader, file, SIZE_MAX, s.chunk, (cpb_range){s.chunk_offset, s.length}, &part) ==
               CPB_OK);
    fuzz_check(part.size == s.length && memcmp(part.data, whole.data + s.offset, part.size) == 0);
    cpb_chunk_reader_free(reader);
  }
  fuzz_check(end == whole.size);
  fuzz_free(&part);
}

static void compare_merge(const cpb_index *index, fuzz_in file, const cpb_limits *limits, const cpb_limits *counted) {
  fuzz_out whole = {NULL, 0, 0};
  const cpb_merge_options how = {.struct_size = sizeof how, .plan_items = 10000, .limits = counted};
  cpb_merge *merge = cpb_merge_new(NULL, index, &how);
  cpb_code code = fuzz_plan(merge, file, SIZE_MAX);
  if (code == CPB_OK && cpb_merge_size(merge) <= FUZZ_MOST_MERGED) {
    code = fuzz_read_merged(merge, file, SIZE_MAX, (cpb_range){0, cpb_merge_size(merge)}, &whole);
    if (code == CPB_OK) compare_segments(merge, index, file, fuzz_view(&whole), limits);
  }
  cpb_merge_free(merge);
  fuzz_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(NULL), counted = fuzz_counted(&work);
  uint32_t how = fuzz_number(&in, 1);
  cpb_index *index = fuzz_open_index(in, how & 4 ? 61 : SIZE_MAX, &counted);
  if (index == NULL) return 0;
  uint64_t chunks = 0;
  for (; chunks < cpb_index_num_chunks(index) && chunks < MOST_CHUNKS; chunks++)
    compare_chunk(index, in, chunks, how, &limits);
  compare_merge(index, in, &limits, &counted);
  cpb_index_free(index);
  fuzz_bounded(&work, &bounds, in.size);
  return 0;
}
