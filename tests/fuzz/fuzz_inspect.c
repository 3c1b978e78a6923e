/* Any file, opened as `cpb inspect` does: what it is is guessed, and what a model of that kind can be asked is
 * asked. A model in a .cpb file gives the same answers as its merged message. */
#include "base/alloc.h"
#include "base/json_read.h"
#include "cpb/model.h"
#include "cpb_file.h"
#include "mutate.h"

FUZZ_MUTATE_FILE(0)

/* For each question. */
static const fuzz_bounds bounds = {.decoded = {1 << 20, 64},
                                   .held = {4 << 20, 512},
                                   .walked = {64 << 10, 1024},
                                   .entries = {4096, 64},
                                   .answer = {64 << 10, 512}};

/* The message, in memory, or merged from a file. */
typedef struct source {
  fuzz_in bytes;
  cpb_merge *merge; /* NULL: none */
  fuzz_in file;     /* that it is merged from */
  fuzz_loan loan;
} source;

/* False if it cannot be merged. */
static int supply(source *s, cpb_input *input) {
  cpb_need need;
  fuzz_out part = {NULL, 0, 0};
  if (s->merge == NULL) {
    fuzz_lend(&s->loan, input, s->bytes, SIZE_MAX);
    return 1;
  }
  uint64_t size = cpb_merge_size(s->merge);
  fuzz_return(&s->loan);
  cpb_input_need(input, &need);
  cpb_input_end(input, size);
  if (need.kind != CPB_NEED_RANGE || need.offset >= size) return 1;
  uint64_t left = size - need.offset, length = need.length < left ? need.length : left;
  cpb_code code = fuzz_read_merged(s->merge, s->file, SIZE_MAX, (cpb_range){need.offset, length}, &part);
  s->loan.block = part.data;
  if (code == CPB_OK) cpb_input_supply(input, need.offset, part.data, part.size);
  return code == CPB_OK;
}

/* CPB_E_READ if the message cannot be merged. */
static cpb_code ask(cpb_model *model, const cpb_question *question, source *s) {
  cpb_step step;
  cpb_model_ask(model, question);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED)
    if (!supply(s, cpb_model_input(model))) return CPB_E_READ;
  fuzz_return(&s->loan);
  if (step == CPB_STEP_DONE) return CPB_OK;
  const cpb_error *error = cpb_model_error(model);
  fuzz_check(error->message[0] != '\0' && error->code != CPB_E_MEMORY);
  return error->code;
}

static void check_json(const char *json, size_t size) {
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  yyjson_doc *doc = cpb_json_read(&a, (cpb_span){(const uint8_t *)json, size}, 1000, &error);
  fuzz_check(doc != NULL);
  yyjson_doc_free(doc);
}

/* Each question of both, if there are two. */
static void ask_all(cpb_model_kind kind, source *message, source *merged) {
  uint64_t questions = 0, size = message->bytes.size;
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(NULL), counted = fuzz_counted(&work);
  cpb_model_options how = {.struct_size = sizeof how, .max_memory = 4 << 20, .limits = &counted};
  cpb_model *a = cpb_model_new(NULL, kind, &how);
  how.limits = &limits;
  cpb_model *b = merged ? cpb_model_new(NULL, kind, &how) : NULL;
  for (int i = 1; cpb_question_name((cpb_question_kind)i); i++, questions++) {
    const cpb_question question = {.struct_size = sizeof question, .kind = (cpb_question_kind)i, .count = 20};
    size_t x, y;
    cpb_code code = ask(a, &question, message);
    const char *json = cpb_model_answer(a, &x);
    if (code == CPB_OK) check_json(json, x);
    cpb_code other = merged ? ask(b, &question, merged) : CPB_E_READ;
    fuzz_check(!merged || code == other);
    if (code == CPB_OK && other == CPB_OK) {
      const char *again = cpb_model_answer(b, &y);
      fuzz_check(x == y && memcmp(json, again, x) == 0);
    }
  }
  cpb_model_free(a);
  cpb_model_free(b);
  fuzz_bounded(&work, &bounds, size * questions);
}

/* The kind that it is by its ends; what is none has a sentence. */
static cpb_model_kind guess(fuzz_in file) {
  char text[256];
  const cpb_file_ends ends = {.struct_size = sizeof ends,
                              .begin = file.data,
                              .begin_size = file.size,
                              .end = file.data,
                              .end_size = file.size,
                              .size = file.size};
  const cpb_model_kind kind = cpb_model_guess(&ends);
  if (kind == 0) cpb_foreign_describe(&ends, text, sizeof text);
  fuzz_check(kind != 0 || (text[0] != '\0' && strlen(text) < sizeof text));
  return kind;
}

/* The message in a .cpb file, if it can be merged. */
static void look_into(cpb_index *index, fuzz_in file, const cpb_limits *limits) {
  fuzz_out whole = {NULL, 0, 0};
  const cpb_merge_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_NEVER, .plan_items = 10000, .limits = limits};
  source merged = {.merge = cpb_merge_new(NULL, index, &how), .file = file};
  cpb_code code = fuzz_plan(merged.merge, file, SIZE_MAX);
  if (code == CPB_OK && cpb_merge_size(merged.merge) <= FUZZ_MOST_MERGED) {
    const cpb_range all = {0, cpb_merge_size(merged.merge)};
    code = fuzz_read_merged(merged.merge, file, SIZE_MAX, all, &whole);
    source message = {.bytes = fuzz_view(&whole)};
    cpb_model_kind kind = guess(fuzz_view(&whole));
    if (code == CPB_OK && kind) ask_all(kind, &message, &merged);
    fuzz_return(&message.loan);
  }
  cpb_merge_free(merged.merge);
  fuzz_return(&merged.loan);
  fuzz_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const cpb_limits limits = fuzz_counted(NULL);
  const fuzz_in file = {data, size};
  cpb_index *index = fuzz_open_index(file, SIZE_MAX, &limits);
  if (index != NULL) {
    look_into(index, file, &limits);
  } else {
    source message = {.bytes = file};
    cpb_model_kind kind = guess(file);
    if (kind) ask_all(kind, &message, NULL);
    fuzz_return(&message.loan);
  }
  cpb_index_free(index);
  return 0;
}
