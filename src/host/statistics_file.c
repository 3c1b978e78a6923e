#include <string.h>

#include "base/limits.h"
#include "base/status.h"
#include "host/model_state.h"
#include "host/quantized.h"
#include "model/statistics/numbers.h"

/* --- Scales ----------------------------------------------------------------------------------------- */

static bool is_one_by_one(const cpb_values_info *info, const cpb_number_type *type) {
  return type->class && info->rank <= 1 && info->count > 0 && info->count <= CPB_STATISTICS_PARTS;
}

/* Reads the numbers that follow. */
static bool read_numbers(cpb_values_file *v, const cpb_number_type *type, double *out, uint64_t count,
                         cpb_error *error) {
  size_t size, held = 0;
  const uint8_t *data;
  uint8_t piece[CPB_NUMBER_MOST];
  while (count > 0 && (data = cpb_values_file_read(v, &size, error)) && size > 0) {
    for (; size > 0 && count > 0; size--) {
      piece[held++] = *data++;
      if (held < type->size) continue;
      *out++ = cpb_number_at(type, piece);
      held = 0;
      count--;
    }
  }
  return count == 0;
}

/* NULL with the reason in `error`, or without one if the array does not exist, or has no such numbers: another node may
 * compute the scales. */
static double *numbers_of(cpb_model_file *f, const char *name, const cpb_values_options *how, size_t *count,
                          cpb_error *error) {
  cpb_number_type type;
  cpb_error own;
  cpb_values_file *v = name ? cpb_model_file_values(f, name, strlen(name), how, &own) : NULL;
  if (name && !v && (own.code != CPB_E_NOT_FOUND || cpb_is_of_reading(&own))) *error = own;
  if (!v) return NULL;
  const cpb_values_info *info = cpb_values_file_info(v);
  cpb_number_type_of(info, &type);
  *count = is_one_by_one(info, &type) ? (size_t)info->count : 0;
  double *numbers = *count > 0 ? cpb_alloc(&f->allocator, *count * sizeof *numbers) : NULL;
  if (*count > 0 && !numbers) cpb_fail_memory(error);
  if (numbers && !read_numbers(v, &type, numbers, *count, error)) {
    cpb_release(&f->allocator, numbers);
    numbers = NULL;
  }
  cpb_values_file_close(v);
  return numbers;
}

typedef struct scales {
  double *scales, *zero_points;
  size_t count, num_zero_points;
  uint32_t axis;
} scales;

/* False with the reason in `error`; without scales if the model has none for the array. */
static bool find_scales(cpb_model_file *f, cpb_span name, uint32_t rank, const cpb_values_options *how, scales *out,
                        cpb_error *error) {
  cpb_quantized q;
  if (cpb_quantized_find(f, name, how, rank, &q, error)) {
    *out = (scales){.axis = q.axis};
    out->scales = numbers_of(f, q.scale, how, &out->count, error);
    out->zero_points = out->scales ? numbers_of(f, q.zero_point, how, &out->num_zero_points, error) : NULL;
  }
  cpb_quantized_free(&f->allocator, &q);
  if (out->zero_points && out->num_zero_points != out->count) {
    cpb_release(&f->allocator, out->zero_points);
    out->zero_points = NULL;
  }
  return error->code == CPB_OK;
}

/* --- The array -------------------------------------------------------------------------------------- */

static cpb_values_file *open_array(cpb_model_file *f, cpb_span name, int variable, const cpb_values_options *how,
                                   cpb_error *error) {
  return variable ? cpb_model_file_variable(f, (const char *)name.data, name.size, how, error)
                  : cpb_model_file_values(f, (const char *)name.data, name.size, how, error);
}

static bool has_axis(const cpb_values_info *info, uint32_t axis, cpb_error *error) {
  if (axis > info->rank)
    return cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "axis is %u; expected less than the array's %u dimensions",
                    (unsigned)axis - 1, (unsigned)info->rank) == CPB_OK;
  if (axis > 0 && info->shape[axis - 1] > CPB_STATISTICS_PARTS)
    return cpb_fail(error, CPB_E_LIMIT, CPB_NO_OFFSET, "dimension %u has %llu parts; at most %u of them have ranges",
                    (unsigned)axis - 1, (unsigned long long)info->shape[axis - 1],
                    (unsigned)CPB_STATISTICS_PARTS) == CPB_OK;
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

static bool read_all(cpb_model_file *f, cpb_values_file *v, const scales *by, uint32_t axis, cpb_error *error) {
  const cpb_statistics_options how = {.struct_size = sizeof how,
                                      .axis = by->count > 1 ? by->axis : axis,
                                      .scales = by->scales,
                                      .zero_points = by->zero_points,
                                      .num_scales = by->count};
  cpb_statistics *s = cpb_statistics_new(&f->allocator, cpb_values_file_info(v), &how);
  if (!s) return cpb_fail_memory(error) == CPB_OK;
  const bool done = add_all(s, v, error) && keep_answer(f, s, error);
  cpb_statistics_free(s);
  return done;
}

/* Opens the array twice if it has scales: only one may be open at a time. */
const char *cpb_model_file_statistics(cpb_model_file *f, const char *name, size_t name_size, int variable,
                                      uint32_t axis, const cpb_values_options *options, size_t *size,
                                      cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const cpb_span wanted = {(const uint8_t *)name, name_size};
  scales by = {.count = 0};
  cpb_values_options how;
  cpb_options_copy(&how, sizeof how, options);
  cpb_values_file *v = open_array(f, wanted, variable, &how, error);
  if (!v) return NULL;
  bool done = has_axis(cpb_values_file_info(v), axis, error);
  if (done && f->kind == CPB_MODEL_ONNX) {
    const uint32_t rank = cpb_values_file_info(v)->rank;
    cpb_values_file_close(v);
    v = find_scales(f, wanted, rank, &how, &by, error) ? open_array(f, wanted, variable, &how, error) : NULL;
  }
  done = done && v && read_all(f, v, &by, axis, error);
  cpb_values_file_close(v);
  cpb_release(&f->allocator, by.scales);
  cpb_release(&f->allocator, by.zero_points);
  *size = f->answer.size;
  return done ? (const char *)f->answer.data : NULL;
}
