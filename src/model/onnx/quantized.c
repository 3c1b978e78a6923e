#include "base/checked.h"
#include "model/onnx/model.h"

/* ONNX does not tell weights from constants, or quantized weights from their scales. That an operation takes a tensor as
 * a scale or zero point is the only evidence. All else that is not for training counts as a weight. */

/* --- Nodes ---------------------------------------------------------------------------------------- */

/* Input `number` of the node; empty if the node has fewer. */
static cpb_span input_of(const cpb_view_node *node, uint32_t number) {
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
                     {"DynamicQuantizeLSTM", 1, 8, 9, -1},
                     {"DynamicQuantizeLSTM", 2, 10, 11, -1}};
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
  while (i < NUM_QUANTIZED && !(cpb_span_is(node->op, q[i].op) && cpb_span_equal(input_of(node, q[i].data), value)))
    i++;
  if (i == NUM_QUANTIZED || value.size == 0) return;
  const cpb_span zero_point = input_of(node, q[i].zero_point);
  const int64_t block = attribute_of(node->message, "block_size", 0);
  cpb_json_writer_open(a, "quantized", '{');
  cpb_json_writer_span(a, "scale", input_of(node, q[i].scale));
  if (zero_point.size > 0) cpb_json_writer_span(a, "zero_point", zero_point);
  cpb_json_writer_signed(a, "axis", attribute_of(node->message, "axis", q[i].axis));
  if (block > 0) cpb_json_writer_signed(a, "block_size", block);
  cpb_json_writer_close(a, '}');
}

/* --- Packed weights --------------------------------------------------------------------------------- */

/* Operations of ONNX Runtime (com.microsoft, docs/ContribOperators.md in its repository) take weights of a few bits as
 * bytes, in an order of their own. */
static const struct packed {
  char op[24];
  uint16_t weights, parameters; /* sets of inputs, a bit each: packed weights; their scales, zero points, groups */
  const char *bits;             /* the attribute; by default there are 4 */
} packed_ops[] = {{"MatMulNBits", 1 << 1, 1 << 2 | 1 << 3 | 1 << 4, "bits"},
                  {"MatMulBnb4", 1 << 1, 1 << 2, ""},
                  {"GatherBlockQuantized", 1 << 0, 1 << 2 | 1 << 3, "bits"},
                  {"QMoE", 1 << 2 | 1 << 5 | 1 << 8, 1 << 3 | 1 << 6 | 1 << 9 | 7 << 11, "expert_weight_bits"}};

static const struct packed *packed_of(cpb_span op) {
  for (size_t i = 0; i < sizeof packed_ops / sizeof *packed_ops; i++)
    if (cpb_span_is(op, packed_ops[i].op)) return &packed_ops[i];
  return NULL;
}

/* As many weights as the bytes have room for; a product says of how many there are fewer, as its last blocks are filled
 * up. A tensor of a type of less than a byte counts itself. */
static void measure_packed(const struct packed *p, cpb_span node, cpb_view_measure *m) {
  const uint64_t bits = (uint64_t)attribute_of(node, p->bits, 4);
  const uint64_t rows = (uint64_t)attribute_of(node, "N", 0), columns = (uint64_t)attribute_of(node, "K", 0);
  uint64_t all, own;
  if (!m->has_elements || m->bytes < m->elements || bits == 0 || !cpb_mul_u64(m->bytes, 8, &all)) return;
  m->elements = all / bits;
  if (rows > 0 && columns > 0 && cpb_mul_u64(rows, columns, &own)) m->elements = cpb_min_u64(m->elements, own);
}

/* --- Uses ------------------------------------------------------------------------------------------- */

cpb_tensor_use cpb_onnx_use(const cpb_view *v, const cpb_view_tensor *t, const cpb_view_node *taker, cpb_span role,
                            uint64_t input, cpb_view_measure *m) {
  (void)role;
  if (cpb_view_graph_of(v, t->graph)->role == CPB_GRAPH_TRAINING) return CPB_TENSOR_CONSTANT;
  if (!taker) return CPB_TENSOR_WEIGHT;
  if (is_quantization(taker->op, input)) return CPB_TENSOR_QUANTIZATION;
  const struct packed *p = input < 16 ? packed_of(taker->op) : NULL;
  if (p && p->parameters >> input & 1) return CPB_TENSOR_QUANTIZATION;
  if (p && p->weights >> input & 1) measure_packed(p, taker->message, m);
  return CPB_TENSOR_WEIGHT;
}
