#include "host/quantized.h"

#include <string.h>

#include "base/json_read.h"
#include "base/status.h"
#include "host/model_state.h"

#define DEPTH 1000 /* of an answer, which our own code wrote */

/* ONNX's operations on quantized numbers. The scale is the input after these, then the zero point. */
typedef struct rule {
  const char *op;
  uint64_t input;
  int axis;      /* by default; -1: the last */
  bool has_axis; /* its attribute `axis` may name another */
} rule;

static const rule rules[] = {
    {"DequantizeLinear", 0, 1, true}, {"QLinearConv", 3, 0, false}, {"QLinearMatMul", 3, -1, false}};

static bool is_text(yyjson_val *value, const char *text) {
  return yyjson_is_str(value) && strcmp(yyjson_get_str(value), text) == 0;
}

/* NULL with the reason in `error`, or without one if the graph has no such name. */
static yyjson_doc *ask(cpb_model_file *f, cpb_question_kind kind, cpb_span name, const cpb_values_options *how,
                       cpb_error *error) {
  size_t size;
  cpb_error own;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = kind,
                                 .name = (const char *)name.data,
                                 .name_size = name.size,
                                 .scope = how->scope,
                                 .scope_size = how->scope_size};
  const char *json = cpb_model_file_ask(f, &question, &size, &own);
  if (json) return cpb_json_read(&f->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, error);
  if (own.code != CPB_E_NOT_FOUND || cpb_is_of_reading(&own)) *error = own;
  return NULL;
}

/* --- The node -------------------------------------------------------------------------------------- */

static const rule *rule_of(yyjson_val *consumer) {
  uint64_t input;
  yyjson_val *uses = cpb_json_member(consumer, "inputs"), *use = yyjson_arr_get_first(uses);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (!is_text(cpb_json_member(consumer, "op"), rules[i].op)) continue;
    if (cpb_json_unsigned(cpb_json_member(use, "input"), &input) && input == rules[i].input) return &rules[i];
  }
  return NULL;
}

/* The first consumer that takes the array as quantized numbers. */
static yyjson_val *find_consumer(yyjson_doc *answer, const rule **found) {
  yyjson_val *page = answer ? cpb_json_member(yyjson_doc_get_root(answer), "consumers") : NULL, *consumer;
  yyjson_arr_iter all = yyjson_arr_iter_with(cpb_json_member(page, "items"));
  while ((consumer = yyjson_arr_iter_next(&all)) && !(*found = rule_of(consumer))) {}
  return consumer;
}

static int axis_of(yyjson_val *node, const rule *r) {
  size_t i, count;
  yyjson_val *attribute;
  yyjson_arr_foreach(cpb_json_member(node, "attributes"), i, count, attribute) {
    int64_t axis;
    const bool is_axis = r->has_axis && is_text(cpb_json_member(attribute, "name"), "axis");
    if (is_axis && cpb_json_signed(cpb_json_member(attribute, "value"), &axis)) return (int)axis;
  }
  return r->axis;
}

/* --- Its other inputs ------------------------------------------------------------------------------ */

static bool copy_name(const cpb_allocator *a, yyjson_val *node, uint64_t input, char **out) {
  yyjson_val *from = yyjson_arr_get(cpb_json_member(node, "from"), (size_t)input);
  cpb_span text;
  if (!cpb_json_text(cpb_json_member(from, "value"), &text) || text.size == 0) return true;
  *out = cpb_alloc(a, text.size + 1);
  if (*out) memcpy(*out, text.data, text.size), (*out)[text.size] = 0;
  return *out != NULL;
}

static void take(cpb_model_file *f, yyjson_val *node, const rule *r, uint32_t rank, cpb_quantized *out,
                 cpb_error *error) {
  int axis = axis_of(node, r);
  if (axis < 0) axis += (int)rank;
  out->axis = axis >= 0 && (uint32_t)axis < rank ? (uint32_t)axis + 1 : 0;
  if (!copy_name(&f->allocator, node, r->input + 1, &out->scale) ||
      !copy_name(&f->allocator, node, r->input + 2, &out->zero_point))
    cpb_fail_memory(error);
}

bool cpb_quantized_find(cpb_model_file *f, cpb_span name, const cpb_values_options *how, uint32_t rank,
                        cpb_quantized *out, cpb_error *error) {
  const rule *r = NULL;
  cpb_span node_name;
  *out = (cpb_quantized){.scale = NULL};
  if (f->kind != CPB_MODEL_ONNX) return true;
  yyjson_doc *consumers = ask(f, CPB_ASK_CONSUMERS, name, how, error);
  yyjson_val *consumer = find_consumer(consumers, &r);
  yyjson_doc *node = NULL;
  if (consumer && cpb_json_text(cpb_json_member(consumer, "name"), &node_name))
    node = ask(f, CPB_ASK_NODE, node_name, how, error);
  if (node) take(f, yyjson_doc_get_root(node), r, rank, out, error);
  yyjson_doc_free(consumers);
  yyjson_doc_free(node);
  return error->code == CPB_OK;
}

void cpb_quantized_free(const cpb_allocator *a, cpb_quantized *q) {
  cpb_release(a, q->scale);
  cpb_release(a, q->zero_point);
}
