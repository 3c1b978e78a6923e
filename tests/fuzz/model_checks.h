/* What the targets of models share: every question is answered with JSON or a clear error, and the same when
 * the input comes in pieces; and so are the values of an array. */
#ifndef CPB_TESTS_FUZZ_MODEL_CHECKS_H
#define CPB_TESTS_FUZZ_MODEL_CHECKS_H

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "cpb/model.h"
#include "cpb/values.h"
#include "host.h"

/* For each question. */
static const fuzz_bounds model_bounds = {
    .held = {4 << 20, 512}, .walked = {64 << 10, 1024}, .entries = {4096, 64}, .answer = {64 << 10, 512}};

static inline void model_lend(cpb_input *input, fuzz_in message, size_t piece) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, message.size);
  if (need.kind != CPB_NEED_NONE && need.file > 0) {
    cpb_input_fail(input, CPB_E_READ, "there is no other file");
    return;
  }
  if (need.kind != CPB_NEED_RANGE || need.offset >= message.size) return;
  size_t left = message.size - (size_t)need.offset, length = need.length < left ? need.length : left;
  cpb_input_supply(input, need.offset, message.data + need.offset, length < piece ? length : piece);
}

static inline cpb_step model_run(cpb_model *model, fuzz_in message, size_t piece) {
  cpb_step step;
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) model_lend(cpb_model_input(model), message, piece);
  return step;
}

static inline void model_check_json(const char *json, size_t size) {
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  yyjson_doc *doc = cpb_json_read(&a, (cpb_span){(const uint8_t *)json, size}, 1000, &error);
  fuzz_check(doc != NULL && cpb_json_member(yyjson_doc_get_root(doc), "problems") != NULL);
  yyjson_doc_free(doc);
}

/* What is cut out are bytes, and ranges that the message has; together a model again. */
static inline void model_check_cut(const cpb_model *model, fuzz_in message) {
  cpb_buffer out;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_buffer_init(&out, &a);
  for (size_t i = 0; i < cpb_model_num_pieces(model, CPB_CUT_SAVED_MODEL); i++) {
    cpb_model_piece piece = cpb_model_get_piece(model, CPB_CUT_SAVED_MODEL, i);
    fuzz_check(piece.bytes || (piece.offset <= message.size && piece.length <= message.size - piece.offset));
    cpb_buffer_append(&out, piece.bytes ? piece.bytes : message.data + piece.offset, (size_t)piece.length);
  }
  cpb_model *cut = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  cpb_model_ask(cut, &(cpb_question){.struct_size = sizeof(cpb_question), .kind = CPB_ASK_OVERVIEW});
  fuzz_check(out.size == 0 || model_run(cut, (fuzz_in){out.data, out.size}, SIZE_MAX) == CPB_STEP_DONE);
  cpb_model_free(cut);
  cpb_buffer_free(&out);
}

static inline void model_compare(cpb_model *whole, cpb_model *pieces, const cpb_question *question, fuzz_in message) {
  size_t size, again;
  cpb_model_ask(whole, question);
  cpb_model_ask(pieces, question);
  cpb_step step = model_run(whole, message, SIZE_MAX);
  fuzz_check(step == model_run(pieces, message, 7));
  if (step == CPB_STEP_ERROR) {
    fuzz_check(cpb_model_error(whole)->message[0] != '\0');
    fuzz_check(cpb_model_error(whole)->code == cpb_model_error(pieces)->code);
    return;
  }
  const char *json = cpb_model_answer(whole, &size), *other = cpb_model_answer(pieces, &again);
  model_check_json(json, size);
  model_check_cut(whole, message);
  fuzz_check(size == again && memcmp(json, other, size) == 0);
}

/* --- Values ------------------------------------------------------------------------ */

#define MOST_VALUES ((uint64_t)1 << 16) /* a few bytes may claim any number of them */

static inline uint64_t model_sum_of(const uint8_t *data, size_t size, uint64_t sum) {
  for (size_t i = 0; i < size; i++) sum = sum * 31 + data[i];
  return sum;
}

/* How it ends; CPB_STEP_DATA when there is too much. `sum` is of the first values. */
static inline cpb_step model_read_values(cpb_values *values, fuzz_in message, size_t piece, uint64_t *sum) {
  cpb_step step;
  uint64_t total = 0;
  *sum = 0;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED || (step == CPB_STEP_DATA && total < MOST_VALUES)) {
    size_t size = 0;
    const uint8_t *data = cpb_values_data(values, &size);
    if (step == CPB_STEP_NEED) model_lend(cpb_values_input(values), message, piece);
    else if (total < MOST_VALUES / 2)
      *sum = model_sum_of(data, (size_t)(size < MOST_VALUES / 2 - total ? size : MOST_VALUES / 2 - total), *sum);
    total += size;
  }
  if (step == CPB_STEP_DONE) fuzz_check(cpb_values_get_info(values)->size == total);
  if (step == CPB_STEP_ERROR) fuzz_check(cpb_values_error(values)->message[0] != '\0');
  return step;
}

static inline void model_compare_values(cpb_model_kind kind, fuzz_in name, bool in_function, fuzz_in message) {
  uint64_t sum, again;
  const cpb_values_options how = {.struct_size = sizeof how,
                                  .scope = in_function ? "f" : NULL,
                                  .scope_size = in_function,
                                  .max_memory = 4 << 20,
                                  .limits = &fuzz_limits};
  cpb_values *whole = cpb_values_new(NULL, kind, (const char *)name.data, name.size, &how);
  cpb_values *pieces = cpb_values_new(NULL, kind, (const char *)name.data, name.size, &how);
  cpb_step step = model_read_values(whole, message, SIZE_MAX, &sum);
  fuzz_check(step == model_read_values(pieces, message, 7, &again));
  fuzz_check(cpb_values_error(whole)->code == cpb_values_error(pieces)->code);
  if (step != CPB_STEP_ERROR) fuzz_check(sum == again);
  cpb_values_free(whole);
  cpb_values_free(pieces);
}

/* All questions, and the values of the array `name`, of a model in the bytes `in`. */
static inline void model_check(cpb_model_kind kind, uint32_t meta_graph, fuzz_in name, fuzz_in in) {
  uint64_t questions = 0;
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  const cpb_model_options options = {
      .struct_size = sizeof options, .max_value = 40, .max_memory = 4 << 20, .limits = &counted};
  cpb_model *whole = cpb_model_new(NULL, kind, &options), *pieces = cpb_model_new(NULL, kind, &options);
  for (int question = 1; cpb_question_name((cpb_question_kind)question); question++) {
    for (int named = 0; named < 3; named++) {
      cpb_question q = {.struct_size = sizeof q, .kind = (cpb_question_kind)question, .count = 30};
      if (named) q.name = (const char *)name.data, q.name_size = name.size;
      if (named) q.meta_graph = meta_graph;
      if (named == 2) q.scope = "f", q.scope_size = 1;
      model_compare(whole, pieces, &q, in);
      questions += 2;
    }
  }
  cpb_model_free(whole);
  cpb_model_free(pieces);
  fuzz_bounded(&work, &model_bounds, in.size * questions);
  for (int in_function = 0; in_function < 2; in_function++) model_compare_values(kind, name, in_function, in);
}

#endif
