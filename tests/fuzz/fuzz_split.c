/* Splitting a message: [type, layout and size 1][max chunk size 1][message]. What was
 * split must merge again, to as many bytes as a canonical message had; and it is a base for itself. */
#include <string.h>

#include "base/alloc.h"
#include "cpb/chunked.h"
#include "cpb/split.h"
#include "host.h"

static const char *const types[] = {"tensorflow.GraphDef", "tensorflow.SavedModel", "tensorflow.FunctionDef",
                                    "tensorflow.StructuredValue"};

/* The input is read again when a cut turns out wrong. */
static const fuzz_bounds bounds = {.held = {64 << 10, 512}, .walked = {4096, 64}, .entries = {1024, 64}};

static void answer(cpb_input *input, const uint8_t *data, size_t size) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, size);
  if (need.kind != CPB_NEED_RANGE) return;
  fuzz_check(need.offset < size);
  cpb_input_supply(input, need.offset, data + need.offset, size - (size_t)need.offset);
}

static void merge(const cpb_buffer *file) {
  cpb_index *index = cpb_index_new(NULL, NULL);
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) answer(cpb_index_input(index), file->data, file->size);
  fuzz_check(step == CPB_STEP_DONE);
  cpb_merge *merged = cpb_merge_new(NULL, index, NULL);
  while ((step = cpb_merge_step(merged)) == CPB_STEP_NEED) answer(cpb_merge_input(merged), file->data, file->size);
  fuzz_check(step == CPB_STEP_DONE);
  cpb_merge_free(merged);
  cpb_index_free(index);
}

/* Against itself: the file has each chunk that is not too small, but for the first one. */
static void share(const cpb_split_options *options, fuzz_in in, const cpb_buffer *file) {
  cpb_split_options how = *options;
  const cpb_split_base_options which = {.struct_size = sizeof which, .name = "base.cpb"};
  cpb_split_shared shared;
  cpb_split_chunk chunk;
  uint64_t may = 0;
  cpb_step step;
  how.limits = NULL;
  cpb_split *split = cpb_split_new(NULL, &how);
  while ((step = cpb_split_plan(split)) == CPB_STEP_NEED) answer(cpb_split_input(split), in.data, in.size);
  fuzz_check(step == CPB_STEP_DONE);
  for (size_t i = 1; cpb_split_chunk_at(split, i, &chunk); i++) may += chunk.size >= CPB_SHARE_LEAST;
  cpb_split_base *base = cpb_split_base_new(NULL, split, &which);
  while ((step = cpb_split_base_step(base)) == CPB_STEP_NEED)
    answer(cpb_split_base_input(base), file->data, file->size);
  fuzz_check(step == CPB_STEP_DONE && cpb_split_share(split, base) == CPB_OK);
  while ((step = cpb_split_step(split)) == CPB_STEP_NEED || step == CPB_STEP_OUTPUT)
    if (step == CPB_STEP_NEED) answer(cpb_split_input(split), in.data, in.size);
  cpb_split_get_shared(split, &shared);
  fuzz_check(step == CPB_STEP_DONE && shared.chunks == may);
  cpb_split_free(split);
  cpb_split_base_free(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  cpb_split_options options = {.struct_size = sizeof options,
                               .type_name = types[how & 3],
                               .layout = how & 4 ? CPB_LAYOUT_COMPAT : CPB_LAYOUT_REMOTE,
                               .max_chunk_size = (how & 8 ? CPB_SHARE_LEAST : 16) + fuzz_number(&in, 1),
                               .codec = {.codec = CPB_CODEC_NONE},
                               .limits = &counted};
  cpb_split *split = cpb_split_new(NULL, &options);
  fuzz_check(split != NULL);
  cpb_buffer file;
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_buffer_init(&file, &system);
  cpb_step step;
  while ((step = cpb_split_step(split)) == CPB_STEP_NEED || step == CPB_STEP_OUTPUT) {
    if (step == CPB_STEP_NEED) {
      answer(cpb_split_input(split), in.data, in.size);
      continue;
    }
    uint64_t offset;
    size_t length;
    const uint8_t *out = cpb_split_output(split, &offset, &length);
    fuzz_check(offset == file.size && cpb_buffer_append(&file, out, length));
  }
  if (step == CPB_STEP_DONE) {
    merge(&file);
    share(&options, in, &file);
  } else {
    fuzz_check(cpb_split_error(split)->message[0] != '\0');
  }
  cpb_buffer_free(&file);
  cpb_split_free(split);
  fuzz_bounded(&work, &bounds, in.size);
  return 0;
}
