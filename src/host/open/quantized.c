#include "host/open/model_file.h"

#include <string.h>

#include "base/decimal.h"
#include "base/json_read.h"
#include "base/status.h"

/* If other nodes compute the scales, the array counts as it is stored. A file with scales that cannot be read is an
 * error, because the stored numbers would be taken for the real ones. */

#define DEPTH 1000                       /* of an answer, which our own code wrote */
#define SCALES_MOST ((uint64_t)64 << 20) /* bytes of all scales of an array */

typedef cpb_code set_parameter(cpb_reals *reals, int64_t axis, uint64_t block, const cpb_values_info *info,
                               const void *data, size_t size);

typedef struct destination {
  cpb_reals *reals;
  set_parameter *set;
  int64_t axis, block;
} destination;

bool cpb_may_be_quantized(const cpb_model_file *f, const cpb_values_info *info) {
  const char *numpy = info->numpy;
  if (f->kind != CPB_MODEL_ONNX && f->kind != CPB_MODEL_COREML) return false;
  return numpy && (strchr("iu", numpy[1]) || strcmp(numpy, "|V1") == 0);
}

/* --- Parameters ------------------------------------------------------------------------------------ */

/* The array's bytes in `out`. */
static bool read_values(cpb_values_file *v, cpb_buffer *out, cpb_error *error) {
  size_t size;
  const uint8_t *data;
  while ((data = cpb_values_file_read(v, &size, error)) && size > 0)
    if (!cpb_buffer_append(out, data, size)) return cpb_fail_memory(error) == CPB_OK;
  return data != NULL;
}

static bool set_array(cpb_model_file *f, cpb_span name, const cpb_values_options *how, const destination *to,
                      cpb_error *error) {
  cpb_error own;
  cpb_buffer bytes;
  cpb_values_file *v = cpb_model_file_values(f, (const char *)name.data, name.size, how, &own);
  if (!v && (own.code != CPB_E_NOT_FOUND || cpb_is_of_reading(&own))) *error = own;
  if (!v) return error->code == CPB_OK;
  cpb_buffer_init(&bytes, &f->allocator);
  const cpb_values_info *info = cpb_values_file_info(v);
  bool done = true;
  if (info->size <= SCALES_MOST && (done = read_values(v, &bytes, error))) {
    const cpb_code code = to->set(to->reals, to->axis, (uint64_t)to->block, info, bytes.data, bytes.size);
    if (code == CPB_E_MEMORY) done = cpb_fail_memory(error) == CPB_OK;
  }
  cpb_values_file_close(v);
  cpb_buffer_free(&bytes);
  return done;
}

static void set_number(cpb_span text, const destination *to) {
  char digits[CPB_DECIMAL_TEXT_MAX];
  uint64_t bits;
  const cpb_values_info one = {
      .struct_size = sizeof one, .dtype = "float32", .numpy = "<f4", .item_size = 4, .count = 1, .size = 4};
  uint8_t bytes[4];
  if (text.size >= sizeof digits) return;
  memcpy(digits, text.data, text.size);
  digits[text.size] = 0;
  if (!cpb_decimal_read(digits, true, &bits)) return;
  cpb_store32(bytes, (uint32_t)bits);
  to->set(to->reals, 0, 0, &one, bytes, sizeof bytes);
}

/* --- The node -------------------------------------------------------------------------------------- */

static yyjson_val *find_quantized(yyjson_doc *answer) {
  yyjson_val *consumer, *found = NULL;
  yyjson_val *page = answer ? cpb_json_member(yyjson_doc_get_root(answer), "consumers") : NULL;
  yyjson_arr_iter all = yyjson_arr_iter_with(cpb_json_member(page, "items"));
  while (!found && (consumer = yyjson_arr_iter_next(&all))) found = cpb_json_member(consumer, "quantized");
  return found;
}

static yyjson_doc *ask_consumers(cpb_model_file *f, cpb_span name, const cpb_values_options *how, cpb_error *error) {
  size_t size;
  cpb_error own;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = CPB_ASK_CONSUMERS,
                                 .name = (const char *)name.data,
                                 .name_size = name.size,
                                 .scope = how->scope,
                                 .scope_size = how->scope_size};
  const char *json = cpb_model_file_ask(f, &question, &size, &own);
  if (json) return cpb_json_read(&f->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, error);
  if (own.code != CPB_E_NOT_FOUND || cpb_is_of_reading(&own)) *error = own;
  return NULL;
}

static bool set_member(cpb_model_file *f, yyjson_val *quantized, const char *key, const cpb_values_options *how,
                       cpb_reals *reals, set_parameter *set, cpb_error *error) {
  cpb_span text;
  destination to = {.reals = reals, .set = set};
  yyjson_val *value = cpb_json_member(quantized, key);
  cpb_json_signed(cpb_json_member(quantized, "axis"), &to.axis);
  cpb_json_signed(cpb_json_member(quantized, "block_size"), &to.block);
  if (cpb_json_number(value, &text)) set_number(text, &to);
  return !cpb_json_text(value, &text) || set_array(f, text, how, &to, error);
}

bool cpb_quantized_set(cpb_model_file *f, cpb_span name, const cpb_values_options *how, cpb_reals *reals,
                       cpb_error *error) {
  yyjson_doc *answer = ask_consumers(f, name, how, error);
  yyjson_val *quantized = find_quantized(answer);
  const bool done = error->code == CPB_OK &&
                    set_member(f, quantized, "scale", how, reals, cpb_reals_set_scales, error) &&
                    set_member(f, quantized, "zero_point", how, reals, cpb_reals_set_zero_points, error);
  yyjson_doc_free(answer);
  return done;
}
