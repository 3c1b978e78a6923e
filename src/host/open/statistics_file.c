#include <string.h>

#include "base/limits.h"
#include "base/status.h"
#include "host/open/model_file.h"
#include "model/diff/plain.h"
#include "model/statistics/reals.h"

#define DEPTH 1000 /* of an answer, which our own code wrote */

/* --- The array -------------------------------------------------------------------------------------- */

static cpb_values_file *open_array(cpb_model_file *f, cpb_span name, int variable, const cpb_values_options *how,
                                   cpb_error *error) {
  return variable ? cpb_model_file_variable(f, (const char *)name.data, name.size, how, error)
                  : cpb_model_file_values(f, (const char *)name.data, name.size, how, error);
}

static bool has_axis(const cpb_values_info *info, uint32_t axis, cpb_error *error) {
  if (axis > info->rank)
    return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "axis is %u; expected less than the array's %u dimensions",
                     (unsigned)axis - 1, (unsigned)info->rank);
  if (axis > 0 && info->shape[axis - 1] > CPB_STATISTICS_PARTS)
    return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET, "dimension %u has %llu parts; at most %u of them have ranges",
                     (unsigned)axis - 1, (unsigned long long)info->shape[axis - 1], (unsigned)CPB_STATISTICS_PARTS);
  return true;
}

/* All values; false with the error set. */
static bool add_all(cpb_statistics *s, cpb_values_file *v, cpb_error *error) {
  size_t size;
  const uint8_t *data;
  while ((data = cpb_values_file_read(v, &size, error)) && size > 0) cpb_statistics_add(s, data, size);
  return data != NULL;
}

static bool keep_answer(cpb_model_file *f, cpb_statistics *s, cpb_error *error) {
  size_t size;
  const char *json = cpb_statistics_answer(s, &size);
  f->answer.size = 0;
  return (json && cpb_buffer_append(&f->answer, json, size)) || cpb_fail_memory(error) == CPB_OK;
}

static bool read_all(cpb_model_file *f, cpb_values_file *v, cpb_reals *reals, uint32_t axis, cpb_error *error) {
  const uint32_t of_scales = reals ? cpb_reals_axis(reals) : 0;
  const cpb_statistics_options how = {
      .struct_size = sizeof how, .axis = of_scales > 0 ? of_scales : axis, .reals = reals};
  cpb_statistics *s = cpb_statistics_new(&f->allocator, cpb_values_file_info(v), &how);
  if (!s) return cpb_fail_memory(error) == CPB_OK;
  const bool done = add_all(s, v, error) && keep_answer(f, s, error);
  cpb_statistics_free(s);
  return done;
}

/* --- Its place -------------------------------------------------------------------------------------- */

/* The items with the name; NULL if the model has no such list, or if memory is short. */
static yyjson_doc *ask_list(cpb_model_file *f, cpb_question_kind kind, cpb_span name, const cpb_values_options *how,
                            cpb_error *error) {
  size_t size;
  cpb_error own;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = kind,
                                 .name = (const char *)name.data,
                                 .name_size = name.size,
                                 .scope = how->scope,
                                 .scope_size = how->scope_size,
                                 .meta_graph = how->meta_graph};
  if (!cpb_model_kind_answers(f->kind, kind)) return NULL;
  const char *json = cpb_model_file_ask(f, &question, &size, &own);
  yyjson_doc *doc = json ? cpb_json_read(&f->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &own) : NULL;
  if (!doc && own.code == CPB_E_MEMORY) *error = own;
  return doc;
}

/* The one of the model's own graph, or else the first. */
static yyjson_val *item_of(yyjson_doc *answer, const char *list) {
  yyjson_val *page = answer ? cpb_json_member(yyjson_doc_get_root(answer), list) : NULL;
  yyjson_val *items = cpb_json_member(page, "items"), *item;
  yyjson_arr_iter all = yyjson_arr_iter_with(items);
  while ((item = yyjson_arr_iter_next(&all)) && !yyjson_is_null(cpb_json_member(item, "function"))) {}
  return item ? item : yyjson_arr_get_first(items);
}

/* Adds the member to the answer. */
static bool add_item(cpb_model_file *f, yyjson_val *item, cpb_error *error) {
  cpb_json_writer w = {.failed = false};
  cpb_buffer_init(&w.out, &f->allocator);
  cpb_json_writer_begin(&w);
  cpb_diff_copy(&w, NULL, item);
  bool done = cpb_json_writer_ok(&w);
  if (done) f->answer.size--; /* the closing brace */
  done = done && cpb_buffer_append(&f->answer, ",\"listed\":", 10) &&
         cpb_buffer_append(&f->answer, w.out.data, w.out.size) && cpb_buffer_append(&f->answer, "}", 1);
  cpb_buffer_free(&w.out);
  return done || cpb_fail_memory(error) == CPB_OK;
}

static bool add_place(cpb_model_file *f, cpb_span name, int variable, const cpb_values_options *how, cpb_error *error) {
  yyjson_doc *answer = variable ? NULL : ask_list(f, CPB_ASK_CONSTANTS, name, how, error);
  yyjson_val *item = item_of(answer, "constants");
  if (!item) {
    yyjson_doc_free(answer);
    answer = ask_list(f, CPB_ASK_VARIABLES, name, how, error);
    item = item_of(answer, "variables");
  }
  const bool done = error->code == CPB_OK && (!item || add_item(f, item, error));
  yyjson_doc_free(answer);
  return done;
}

/* --- All -------------------------------------------------------------------------------------------- */

/* Opens the array twice if it may have scales: only one may be open at a time. */
static cpb_values_file *open_real(cpb_model_file *f, cpb_span name, int variable, const cpb_values_options *how,
                                  cpb_values_file *v, cpb_reals **reals, cpb_error *error) {
  *reals = cpb_reals_new(&f->allocator, cpb_values_file_info(v));
  cpb_values_file_close(v);
  if (!*reals) cpb_fail_memory(error);
  return *reals && cpb_quantized_set(f, name, how, *reals, error) ? open_array(f, name, variable, how, error) : NULL;
}

const char *cpb_model_file_statistics(cpb_model_file *f, const char *name, size_t name_size,
                                      const cpb_model_statistics_options *options, size_t *size,
                                      cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const cpb_span wanted = {(const uint8_t *)name, name_size};
  cpb_reals *reals = NULL;
  cpb_model_statistics_options of;
  cpb_values_options how;
  cpb_options_copy(&of, sizeof of, options);
  cpb_options_copy(&how, sizeof how, of.values);
  cpb_values_file *v = open_array(f, wanted, of.variable, &how, error);
  bool done = v && has_axis(cpb_values_file_info(v), of.axis, error);
  if (done && cpb_may_be_quantized(f, cpb_values_file_info(v)))
    v = open_real(f, wanted, of.variable, &how, v, &reals, error);
  done = done && v && read_all(f, v, reals, of.axis, error);
  cpb_values_file_close(v);
  cpb_reals_free(reals);
  done = done && add_place(f, wanted, of.variable, &how, error);
  *size = f->answer.size;
  return done ? (const char *)f->answer.data : NULL;
}
