#include "base/checked.h"
#include "model/onnx/model.h"

/* ONNX does not tell weights from other tensors. The operation that takes a tensor tells scales, zero points and
 * settings; else its type and rank tell shapes, axes and scalars. */

/* --- Nodes ---------------------------------------------------------------------------------------- */

cpb_span cpb_onnx_input_of(const cpb_view_node *node, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(node->message);
  for (uint32_t i = 0; cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN); i++)
    if (i == number) return c.bytes;
  return (cpb_span){NULL, 0};
}

static int64_t attribute_of(cpb_span node, const char *name, int64_t otherwise) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_ATTRIBUTE, CPB_WIRE_LEN))
    if (cpb_span_is(cpb_get_bytes(c.bytes, ATTRIBUTE_NAME), name))
      return (int64_t)cpb_get_number(c.bytes, ATTRIBUTE_INT);
  return otherwise;
}

/* --- Numbers with a scale ------------------------------------------------------------------------- */

enum { NO_INPUT = 0xff };

/* An operation takes or makes quantized numbers: the inputs with the numbers, their scale and their zero point; and the
 * dimension for a list of scales. */
static const struct quantized {
  char op[24];
  uint8_t data, scale, zero_point;
  int8_t axis;
} quantized_ops[] = {{"QuantizeLinear", NO_INPUT, 1, 2, 1},
                     {"DequantizeLinear", 0, 1, 2, 1},
                     {"QLinearConv", 0, 1, 2, -1},
                     {"QLinearConv", 3, 4, 5, 0},
                     {"QLinearConv", NO_INPUT, 6, 7, -1},
                     {"QLinearMatMul", 0, 1, 2, -1},
                     {"QLinearMatMul", 3, 4, 5, -1},
                     {"QLinearMatMul", NO_INPUT, 6, 7, -1},
                     {"ConvInteger", NO_INPUT, 2, 3, 0},
                     {"MatMulInteger", NO_INPUT, 2, 3, -1},
                     {"QLinearAdd", 3, 4, 5, -1},
                     {"QLinearMul", 3, 4, 5, -1},
                     {"QGemm", 3, 4, 5, -1},
                     {"QAttention", 1, 4, 7, -1},
                     {"MatMulIntegerToFloat", 1, 3, 5, -1},
                     {"DynamicQuantizeMatMul", 1, 2, 3, -1},
                     {"DynamicQuantizeLSTM", 1, 8, 9, 0},
                     {"DynamicQuantizeLSTM", 2, 10, 11, 0}};
#define NUM_QUANTIZED (sizeof quantized_ops / sizeof *quantized_ops)

static bool is_quantization(cpb_span op, uint64_t input) {
  for (size_t i = 0; i < NUM_QUANTIZED; i++) {
    const struct quantized *q = &quantized_ops[i];
    if ((input == q->scale || input == q->zero_point) && cpb_span_is(op, q->op)) return true;
  }
  return false;
}

void cpb_onnx_write_quantized(cpb_json_writer *a, const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node,
                              cpb_span value, cpb_span member) {
  (void)v, (void)g, (void)member;
  size_t i = 0;
  const struct quantized *q = quantized_ops;
  while (i < NUM_QUANTIZED &&
         !(cpb_span_is(node->op, q[i].op) && cpb_span_equal(cpb_onnx_input_of(node, q[i].data), value)))
    i++;
  if (i == NUM_QUANTIZED || value.size == 0) return;
  const cpb_span zero_point = cpb_onnx_input_of(node, q[i].zero_point);
  const int64_t block = attribute_of(node->message, "block_size", 0);
  cpb_json_writer_open(a, "quantized", '{');
  cpb_json_writer_span(a, "scale", cpb_onnx_input_of(node, q[i].scale));
  if (zero_point.size > 0) cpb_json_writer_span(a, "zero_point", zero_point);
  cpb_json_writer_signed(a, "axis", attribute_of(node->message, "axis", q[i].axis));
  if (block > 0) cpb_json_writer_signed(a, "block_size", block);
  cpb_json_writer_close(a, '}');
}

/* --- Known inputs ----------------------------------------------------------------------------------- */

#define INPUTS 16 /* that a set has room for */

/* Inputs whose type suggests another use: settings, biases of integers, and the weights of operations of ONNX Runtime
 * (com.microsoft, docs/ContribOperators.md in its repository), which pack weights of a few bits into bytes, in an order
 * of their own. */
static const struct known {
  char op[24];
  uint16_t inputs; /* a set, a bit each */
  cpb_tensor_use use;
  const char *bits; /* packed weights: the attribute with the bits of one, by default 4; else NULL */
} known_inputs[] = {{"Clip", 1 << 1 | 1 << 2, CPB_TENSOR_CONSTANT, NULL},
                    {"Dropout", 1 << 1, CPB_TENSOR_CONSTANT, NULL},
                    {"NonMaxSuppression", 1 << 3 | 1 << 4, CPB_TENSOR_CONSTANT, NULL},
                    {"OneHot", 1 << 2, CPB_TENSOR_CONSTANT, NULL},
                    {"Pad", 1 << 2, CPB_TENSOR_CONSTANT, NULL},
                    {"Resize", 1 << 1 | 1 << 2 | 1 << 3, CPB_TENSOR_CONSTANT, NULL},
                    {"Upsample", 1 << 1, CPB_TENSOR_CONSTANT, NULL},
                    {"DequantizeLinear", 1 << 0, CPB_TENSOR_WEIGHT, NULL},
                    {"QGemm", 1 << 6, CPB_TENSOR_WEIGHT, NULL},
                    {"QLinearConv", 1 << 8, CPB_TENSOR_WEIGHT, NULL},
                    {"GatherBlockQuantized", 1 << 0, CPB_TENSOR_WEIGHT, "bits"},
                    {"GatherBlockQuantized", 1 << 2 | 1 << 3, CPB_TENSOR_QUANTIZATION, NULL},
                    {"MatMulBnb4", 1 << 1, CPB_TENSOR_WEIGHT, ""},
                    {"MatMulBnb4", 1 << 2, CPB_TENSOR_QUANTIZATION, NULL},
                    {"MatMulNBits", 1 << 1, CPB_TENSOR_WEIGHT, "bits"},
                    {"MatMulNBits", 1 << 2 | 1 << 3 | 1 << 4, CPB_TENSOR_QUANTIZATION, NULL},
                    {"QMoE", 1 << 2 | 1 << 5 | 1 << 8, CPB_TENSOR_WEIGHT, "expert_weight_bits"},
                    {"QMoE", 1 << 3 | 1 << 6 | 1 << 9 | 7 << 11, CPB_TENSOR_QUANTIZATION, NULL}};

static const struct known *known_of(cpb_span op, uint64_t input) {
  for (size_t i = 0; input < INPUTS && i < sizeof known_inputs / sizeof *known_inputs; i++)
    if (known_inputs[i].inputs >> input & 1 && cpb_span_is(op, known_inputs[i].op)) return &known_inputs[i];
  return NULL;
}

/* Counts as many weights as the bytes have room for, or fewer if a product says so, as it fills up its last blocks. A
 * tensor of a type of less than a byte counts itself. */
static void measure_packed(const char *name, cpb_span node, cpb_view_measure *m) {
  const uint64_t bits = (uint64_t)attribute_of(node, name, 4);
  const uint64_t rows = (uint64_t)attribute_of(node, "N", 0), columns = (uint64_t)attribute_of(node, "K", 0);
  uint64_t all, own;
  if (!m->has_elements || m->bytes < m->elements || bits == 0 || !cpb_mul_u64(m->bytes, 8, &all)) return;
  m->elements = all / bits;
  if (rows > 0 && columns > 0 && cpb_mul_u64(rows, columns, &own)) m->elements = cpb_min_u64(m->elements, own);
}

/* --- Members of nodes ------------------------------------------------------------------------------- */

static const char classical[] = "ai.onnx.ml";

/* Other lists are settings, such as kernel_params, or tables, such as keys_floats; nodes_hitrates only tells how the
 * data was. Lists of double precision are tensors, whose names end so. */
bool cpb_onnx_is_learned(cpb_span domain, cpb_span name) {
  static const char *const learned[] = {"base_values",
                                        "class_weights",
                                        "coefficients",
                                        "imputed_value_floats",
                                        "intercepts",
                                        "leaf_weights",
                                        "membership_values",
                                        "nodes_splits",
                                        "nodes_values",
                                        "offset",
                                        "prob_a",
                                        "prob_b",
                                        "rho",
                                        "scale",
                                        "support_vectors",
                                        "target_weights",
                                        NULL};
  return cpb_span_is(domain, classical) && cpb_span_is_one_of(cpb_span_without_end(name, "_as_tensor"), learned);
}

/* --- Uses ------------------------------------------------------------------------------------------- */

/* Whether the node makes the scale of a result of MatMulInteger or ConvInteger. */
static bool is_scale_of_a_result(const cpb_view *v, const cpb_view_node *node) {
  cpb_cursor c = cpb_cursor_of(node->message);
  return cpb_span_is(node->op, "Mul") && cpb_cursor_find(&c, NODE_OUTPUT, CPB_WIRE_LEN) &&
         cpb_names_find(&cpb_onnx_own_of(v)->result_scales, c.bytes) != CPB_NO_NAME;
}

/* Whether a single number is a setting there. That of a product or a sum may be learned. */
static bool is_setting(const cpb_view_node *taker, const cpb_view_measure *m) {
  static const char *const ops[] = {"Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual",
                                    "Max", "Min",   "Pow",     "Where",          NULL};
  return m->has_elements && m->elements == 1 && cpb_span_is_one_of(taker->op, ops);
}

static cpb_tensor_use use_by_taker(const cpb_view *v, const cpb_view_node *taker, uint64_t input, cpb_view_measure *m) {
  if (is_quantization(taker->op, input) || is_scale_of_a_result(v, taker)) return CPB_TENSOR_QUANTIZATION;
  if (is_setting(taker, m)) return CPB_TENSOR_CONSTANT;
  const struct known *known = known_of(taker->op, input);
  if (known && known->bits) measure_packed(known->bits, taker->message, m);
  return known ? known->use : CPB_TENSOR_UNKNOWN;
}

static bool is_scalar(const cpb_view_tensor *t) {
  if (cpb_onnx_is_attribute(t)) return t->field < ATTRIBUTE_FLOATS;
  return cpb_count_varints(t->message, cpb_onnx_is_sparse(t) ? SPARSE_DIMS : TENSOR_DIMS) == 0;
}

static cpb_tensor_use use_by_type(const cpb_view *v, const cpb_view_tensor *t) {
  const bool fills = t->of_node && cpb_span_is(t->op, "ConstantOfShape");
  const bool is_like = cpb_onnx_dtype_is_weight_like(cpb_onnx_stored(v->part, t).dtype);
  return is_like && !fills ? CPB_TENSOR_WEIGHT : CPB_TENSOR_CONSTANT;
}

cpb_tensor_use cpb_onnx_use(const cpb_view *v, const cpb_view_tensor *t, const cpb_view_node *taker, cpb_span role,
                            uint64_t input, cpb_view_measure *m) {
  (void)role;
  if (cpb_view_graph_of(v, t->graph)->role == CPB_GRAPH_TRAINING) return CPB_TENSOR_CONSTANT;
  const cpb_span domain = cpb_get_bytes(t->node, NODE_DOMAIN);
  if (cpb_span_is(domain, classical) && !cpb_onnx_is_learned(domain, t->member)) return CPB_TENSOR_CONSTANT;
  cpb_tensor_use use = taker ? use_by_taker(v, taker, input, m) : CPB_TENSOR_UNKNOWN;
  if (use == CPB_TENSOR_UNKNOWN) use = use_by_type(v, t);
  return use == CPB_TENSOR_WEIGHT && is_scalar(t) ? CPB_TENSOR_CONSTANT : use;
}
