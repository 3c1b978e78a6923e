/* Repacking: [how 1][file]. The chunks, and the message that they are merged to, stay the same bytes, and
 * the output is the same when the input comes in pieces. */
#include "cpb/repack.h"

#include <string.h>

#include "cpb_file.h"
#include "mutate.h"

FUZZ_MUTATE_FILE(1)

enum { MOST_CHUNKS = 12 };

static const fuzz_bounds bounds = {
    .decoded = {4 << 20, 256}, .held = {256 << 10, 512}, .entries = {1000, 64}, .index = {0, 64}};

static cpb_error run(const cpb_repack_options *options, fuzz_in file, size_t piece, fuzz_out *out) {
  fuzz_loan loan = {NULL};
  cpb_repack *repack = cpb_repack_new(NULL, options);
  cpb_step step;
  while ((step = cpb_repack_step(repack)) > CPB_STEP_DONE) {
    uint64_t offset, done, total;
    size_t length;
    if (step == CPB_STEP_NEED) {
      fuzz_lend(&loan, cpb_repack_input(repack), file, piece);
    } else {
      const uint8_t *data = cpb_repack_output(repack, &offset, &length);
      fuzz_check(step == CPB_STEP_OUTPUT && length > 0);
      fuzz_put_at(out, offset, data, length);
    }
    cpb_repack_progress(repack, &done, &total);
    fuzz_check(done <= total);
  }
  fuzz_return(&loan);
  if (step == CPB_STEP_ERROR) fuzz_error(cpb_repack_error(repack));
  cpb_error error = *cpb_repack_error(repack);
  cpb_repack_free(repack);
  return error;
}

static void compare_chunks(fuzz_in before, fuzz_in after) {
  const cpb_limits limits = fuzz_counted(NULL);
  cpb_index *a = fuzz_open_index(before, SIZE_MAX, &limits), *b = fuzz_open_index(after, SIZE_MAX, NULL);
  fuzz_check(a != NULL && b != NULL && cpb_index_num_chunks(a) == cpb_index_num_chunks(b));
  fuzz_check(cpb_index_num_nodes(a) == cpb_index_num_nodes(b));
  for (uint64_t i = 0; i < cpb_index_num_chunks(a) && i < MOST_CHUNKS; i++) {
    fuzz_out x = {NULL, 0, 0}, y = {NULL, 0, 0};
    fuzz_check(fuzz_whole_chunk(b, after, CPB_VERIFY_FIRST, i, NULL, &y) == CPB_OK);
    if (fuzz_whole_chunk(a, before, CPB_VERIFY_FIRST, i, &limits, &x) == CPB_OK)
      fuzz_check(fuzz_same(fuzz_view(&x), fuzz_view(&y)));
    fuzz_free(&x);
    fuzz_free(&y);
  }
  cpb_index_free(a);
  cpb_index_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const cpb_codec codecs[] = {CPB_CODEC_DEFAULT, CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  fuzz_in in = {data, size};
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(NULL), counted = fuzz_counted(&work);
  uint32_t how = fuzz_number(&in, 1);
  cpb_repack_options options = {.struct_size = sizeof options,
                                .layout = (cpb_layout)(how & 1),
                                .codec = {.codec = codecs[how >> 1 & 3], .level = how & 8 ? 0 : 1},
                                .seekable = how >> 4 & 1,
                                .limits = &counted};
  fuzz_out out = {NULL, 0, 0}, again = {NULL, 0, 0}, before = {NULL, 0, 0}, after = {NULL, 0, 0};
  cpb_error whole = run(&options, in, SIZE_MAX, &out);
  fuzz_bounded(&work, &bounds, in.size);
  options.limits = &limits;
  cpb_error pieces = run(&options, in, 61, &again);
  fuzz_check(pieces.code == whole.code && pieces.offset == whole.offset);
  fuzz_check(strcmp(pieces.message, whole.message) == 0);
  if (whole.code == CPB_OK) {
    fuzz_check(fuzz_same(fuzz_view(&out), fuzz_view(&again)));
    compare_chunks(in, fuzz_view(&out));
    cpb_code merged = fuzz_merged(in, &limits, &before);
    if (merged == CPB_OK) {
      fuzz_check(fuzz_merged(fuzz_view(&out), NULL, &after) == CPB_OK);
      fuzz_check(fuzz_same(fuzz_view(&before), fuzz_view(&after)));
    }
  }
  fuzz_free(&out);
  fuzz_free(&again);
  fuzz_free(&before);
  fuzz_free(&after);
  return 0;
}
