/* SameDiff: [question 1][kind 1][name's size 1][name][file]. Where there is an answer, it is JSON and the same
 * from pieces; what `values` reads has the size that was told. */
#include <string.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "cpb/values.h"
#include "host.h"

static const cpb_question_kind kinds[] = {CPB_ASK_OVERVIEW, CPB_ASK_TAG,    CPB_ASK_NODES,    CPB_ASK_CONSTANTS,
                                          CPB_ASK_OPS,      CPB_ASK_SEARCH, CPB_ASK_CONSUMERS};

/* Of three times that the file is read. */
static const fuzz_bounds bounds = {.decoded = {1 << 20, 64},
                                   .held = {1 << 20, 512},
                                   .walked = {64 << 10, 1024},
                                   .entries = {4096, 64},
                                   .answer = {64 << 10, 512}};

static cpb_work work;

static void lend(cpb_input *input, fuzz_in file, size_t piece) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, file.size);
  if (need.kind != CPB_NEED_RANGE) return;
  fuzz_check(need.offset < file.size && need.length <= file.size - need.offset &&
             need.ahead <= file.size - need.offset);
  cpb_input_supply(input, need.offset, file.data + need.offset, need.length < piece ? need.length : piece);
}

static void check_json(const char *text, size_t size) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {.code = CPB_OK};
  yyjson_doc *doc = cpb_json_read(&a, (cpb_span){(const uint8_t *)text, size}, 1000, &error);
  fuzz_check(doc != NULL);
  yyjson_doc_free(doc);
}

static cpb_model *ask(cpb_model_kind kind, const cpb_question *question, fuzz_in file, size_t piece, cpb_step *step) {
  const cpb_limits counted = fuzz_counted(&work);
  const cpb_model_options options = {.struct_size = sizeof options, .max_memory = 4 << 20, .limits = &counted};
  cpb_model *model = cpb_model_new(NULL, kind, &options);
  cpb_model_ask(model, question);
  while ((*step = cpb_model_step(model)) == CPB_STEP_NEED) lend(cpb_model_input(model), file, piece);
  if (*step == CPB_STEP_ERROR) fuzz_check(cpb_model_error(model)->message[0] != '\0');
  return model;
}

static void question(cpb_model_kind kind, const cpb_question *q, fuzz_in file) {
  cpb_step step, again;
  cpb_model *whole = ask(kind, q, file, SIZE_MAX, &step), *pieces = ask(kind, q, file, 61, &again);
  fuzz_check(step == again);
  if (step == CPB_STEP_DONE) {
    size_t a, b;
    const char *x = cpb_model_answer(whole, &a), *y = cpb_model_answer(pieces, &b);
    fuzz_check(a == b && memcmp(x, y, a) == 0);
    check_json(x, a);
  } else {
    fuzz_check(cpb_model_error(whole)->code == cpb_model_error(pieces)->code);
  }
  cpb_model_free(whole);
  cpb_model_free(pieces);
}

static void values(cpb_model_kind kind, fuzz_in name, uint32_t state, fuzz_in file) {
  const cpb_limits counted = fuzz_counted(&work);
  const cpb_values_options options = {
      .struct_size = sizeof options, .state = state, .max_memory = 4 << 20, .limits = &counted};
  cpb_values *v = cpb_values_new(NULL, kind, (const char *)name.data, name.size, &options);
  uint64_t total = 0;
  cpb_step step;
  while ((step = cpb_values_step(v)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t size = 0;
    if (step == CPB_STEP_NEED) lend(cpb_values_input(v), file, SIZE_MAX);
    else cpb_values_data(v, &size);
    total += size;
  }
  const cpb_values_info *info = cpb_values_get_info(v);
  if (step == CPB_STEP_DONE) {
    fuzz_check(info && info->size == total);
    fuzz_check(info->item_size == 0 || info->count * info->item_size == total);
  } else {
    fuzz_check(cpb_values_error(v)->message[0] != '\0' && (!info || total <= info->size));
  }
  cpb_values_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t what = fuzz_number(&in, 1);
  cpb_model_kind kind = fuzz_number(&in, 1) & 1 ? CPB_MODEL_SAMEDIFF_ZIP : CPB_MODEL_SAMEDIFF_GRAPH;
  fuzz_in name = fuzz_bytes(&in, fuzz_number(&in, 1));
  cpb_question q = {
      .struct_size = sizeof q, .kind = kinds[what % (sizeof kinds / sizeof *kinds)], .count = 1 + what / 16};
  if (name.size > 0) {
    q.name = (const char *)name.data;
    q.name_size = name.size;
  }
  work = (cpb_work){0};
  question(kind, &q, in);
  values(kind, name, what / 6 % 4, in);
  fuzz_bounded(&work, &bounds, in.size);
  return 0;
}
