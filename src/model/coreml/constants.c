
#include "model/coreml/model.h"

/* --- Layers ------------------------------------------------------------------------------- */

/* In the order of layers. The shapes follow NeuralNetwork.proto. */
static const cpb_coreml_weights weights[] = {
    {100, 0, 90, {1, 2, 20}, CPB_COREML_CONVOLUTION, "weights"},
    {100, 0, 91, {1}, CPB_COREML_SIZES, "bias"},
    {130, 25, 1, {0}, CPB_COREML_SIZES, "alpha"},
    {130, 71, 1, {0}, CPB_COREML_SIZES, "alpha"},
    {130, 71, 2, {0}, CPB_COREML_SIZES, "beta"},
    {140, 0, 20, {2, 1}, CPB_COREML_SIZES, "weights"},
    {140, 0, 21, {2}, CPB_COREML_SIZES, "bias"},
    {150, 0, 20, {2, 1}, CPB_COREML_SIZES, "weights"},
    {150, 0, 21, {2}, CPB_COREML_SIZES, "bias"},
    {160, 0, 15, {1}, CPB_COREML_SIZES, "gamma"},
    {160, 0, 16, {1}, CPB_COREML_SIZES, "beta"},
    {160, 0, 17, {1}, CPB_COREML_SIZES, "mean"},
    {160, 0, 18, {1}, CPB_COREML_SIZES, "variance"},
    {245, 0, 2, {1}, CPB_COREML_SIZES, "scale"},
    {245, 0, 5, {4}, CPB_COREML_SIZES, "bias"},
    {250, 0, 2, {1}, CPB_COREML_SIZES, "bias"},
    {290, 0, 2, {1}, CPB_COREML_SIZES, "data"},
    {400, 0, 30, {2, 1}, CPB_COREML_SIZES, "weightMatrix"},
    {400, 0, 31, {2, 2}, CPB_COREML_SIZES, "recursionMatrix"},
    {400, 0, 32, {2}, CPB_COREML_SIZES, "biasVector"},
    {410, 0, 30, {2, 1}, CPB_COREML_SIZES, "updateGateWeightMatrix"},
    {410, 0, 31, {2, 1}, CPB_COREML_SIZES, "resetGateWeightMatrix"},
    {410, 0, 32, {2, 1}, CPB_COREML_SIZES, "outputGateWeightMatrix"},
    {410, 0, 50, {2, 2}, CPB_COREML_SIZES, "updateGateRecursionMatrix"},
    {410, 0, 51, {2, 2}, CPB_COREML_SIZES, "resetGateRecursionMatrix"},
    {410, 0, 52, {2, 2}, CPB_COREML_SIZES, "outputGateRecursionMatrix"},
    {410, 0, 70, {2}, CPB_COREML_SIZES, "updateGateBiasVector"},
    {410, 0, 71, {2}, CPB_COREML_SIZES, "resetGateBiasVector"},
    {410, 0, 72, {2}, CPB_COREML_SIZES, "outputGateBiasVector"},
    {420, 20, 1, {2, 1}, CPB_COREML_SIZES, "inputGateWeightMatrix"},
    {420, 20, 2, {2, 1}, CPB_COREML_SIZES, "forgetGateWeightMatrix"},
    {420, 20, 3, {2, 1}, CPB_COREML_SIZES, "blockInputWeightMatrix"},
    {420, 20, 4, {2, 1}, CPB_COREML_SIZES, "outputGateWeightMatrix"},
    {420, 20, 20, {2, 2}, CPB_COREML_SIZES, "inputGateRecursionMatrix"},
    {420, 20, 21, {2, 2}, CPB_COREML_SIZES, "forgetGateRecursionMatrix"},
    {420, 20, 22, {2, 2}, CPB_COREML_SIZES, "blockInputRecursionMatrix"},
    {420, 20, 23, {2, 2}, CPB_COREML_SIZES, "outputGateRecursionMatrix"},
    {420, 20, 40, {2}, CPB_COREML_SIZES, "inputGateBiasVector"},
    {420, 20, 41, {2}, CPB_COREML_SIZES, "forgetGateBiasVector"},
    {420, 20, 42, {2}, CPB_COREML_SIZES, "blockInputBiasVector"},
    {420, 20, 43, {2}, CPB_COREML_SIZES, "outputGateBiasVector"},
    {420, 20, 60, {2}, CPB_COREML_SIZES, "inputGatePeepholeVector"},
    {420, 20, 61, {2}, CPB_COREML_SIZES, "forgetGatePeepholeVector"},
    {420, 20, 62, {2}, CPB_COREML_SIZES, "outputGatePeepholeVector"},
    {500, 0, 20, {0}, CPB_COREML_SIZES, "weights"},
    {1040, 0, 20, {2, 1}, CPB_COREML_SIZES, "weights"},
    {1040, 0, 21, {2}, CPB_COREML_SIZES, "bias"},
    {1045, 0, 8, {6, 5}, CPB_COREML_SIZES, "weights"},
    {1045, 0, 9, {6}, CPB_COREML_SIZES, "bias"},
    {1070, 0, 2, {1}, CPB_COREML_SIZES, "data"},
    {1350, 0, 3, {1}, CPB_COREML_SIZES, "gamma"},
    {1350, 0, 4, {1}, CPB_COREML_SIZES, "beta"},
    {1471, 0, 60, {1, 2, 20}, CPB_COREML_CONVOLUTION_3D, "weights"},
    {1471, 0, 61, {1}, CPB_COREML_SIZES, "bias"},
};
#define NUM_WEIGHTS (sizeof weights / sizeof *weights)

enum { LAYER_LSTM = 420, LAYER_BIDIRECTIONAL_LSTM = 430, LAYER_CUSTOM = 500 };

typedef struct visit {
  const cpb_view_node *node;
  cpb_view_visit *call;
  void *user;
  cpb_view_tensor like;
  cpb_span parameters;
  uint32_t element; /* its number in a repeated field, from 1, or 0 */
} visit;

static bool visit_weights(visit *v, const cpb_coreml_weights *w, cpb_span of) {
  cpb_cursor c = cpb_cursor_of(of);
  cpb_view_tensor found = v->like;
  found.member = cpb_span_of(w->name);
  found.element = v->element;
  found.parameters = v->parameters;
  found.rule = w;
  while (cpb_cursor_find(&c, w->field, CPB_WIRE_LEN)) {
    if (w->layer == LAYER_CUSTOM) found.element++;
    found.message = c.bytes;
    if (!v->call(v->user, &found)) return false;
  }
  return true;
}

/* All weights of a layer that are in the message; `within` is the message's field in the layer, or 0. */
static bool visit_message(visit *v, uint32_t layer, uint32_t within, cpb_span message) {
  for (size_t i = 0; i < NUM_WEIGHTS; i++) {
    if (weights[i].layer == layer && weights[i].within == within && !visit_weights(v, &weights[i], message))
      return false;
  }
  return true;
}

/* A bidirectional LSTM has the weights of a simple one twice. */
static bool visit_layer(visit *v, cpb_span layer) {
  const uint32_t type = cpb_coreml_layer_of(layer, &v->parameters);
  const uint32_t like = type == LAYER_BIDIRECTIONAL_LSTM ? LAYER_LSTM : type;
  if (type == 0 || !visit_message(v, like, 0, v->parameters)) return type == 0;
  cpb_cursor c = cpb_cursor_of(v->parameters);
  for (size_t i = 0; i < NUM_WEIGHTS; i++) {
    if (weights[i].layer != like || weights[i].within == 0) continue;
    while (cpb_cursor_next(&c)) {
      if (c.type != CPB_WIRE_LEN || c.number != weights[i].within) continue;
      if (type == LAYER_BIDIRECTIONAL_LSTM) v->element++;
      if (!visit_message(v, like, c.number, c.bytes)) return false;
    }
    c = cpb_cursor_of(v->parameters);
    while (i + 1 < NUM_WEIGHTS && weights[i + 1].layer == like && weights[i + 1].within == weights[i].within) i++;
  }
  return true;
}

/* --- Programs ---------------------------------------------------------------------------- */

/* A value in a file, or a tensor that is not a scalar. */
static bool is_large(cpb_span value) {
  const cpb_span type = cpb_get_bytes(cpb_get_bytes(value, VALUE_TYPE), MIL_TENSOR);
  if (cpb_get_bytes(value, VALUE_BLOB).data) return true;
  return cpb_get_bytes(cpb_get_bytes(value, VALUE_IMMEDIATE), IMMEDIATE_TENSOR).data &&
         cpb_get_bytes(type, TENSOR_DIMENSION).data;
}

static bool visit_attributes(visit *v) {
  cpb_cursor c = cpb_cursor_of(v->node->message);
  while (cpb_cursor_find(&c, OPERATION_ATTRIBUTE, CPB_WIRE_LEN)) {
    const cpb_span value = cpb_get_bytes(c.bytes, MAP_VALUE);
    cpb_view_tensor found = v->like;
    found.member = cpb_get_bytes(c.bytes, MAP_KEY);
    found.message = value;
    const bool is_own = v->node->is_constant && cpb_span_is(found.member, "val");
    if (is_own) {
      found.value = cpb_get_bytes(cpb_get_bytes(v->node->message, OPERATION_OUTPUT), NAMED_NAME);
      found.member = (cpb_span){NULL, 0};
    }
    if ((is_own || is_large(value)) && !v->call(v->user, &found)) return false;
  }
  return true;
}

/* Values that are given as arguments, as in newer programs. */
static bool visit_arguments(visit *v, const cpb_view_graph *graph) {
  cpb_view_values inputs = cpb_coreml_inputs(graph, v->node->message);
  cpb_view_value value;
  cpb_view_tensor found = v->like;
  while (cpb_view_values_next(&inputs, &value)) {
    const bool is_next = cpb_span_equal(found.member, value.role);
    found.member = value.role;
    found.element = is_next ? found.element + 1 : 0;
    found.message = value.immediate;
    if (value.immediate.data && is_large(value.immediate) && !v->call(v->user, &found)) return false;
  }
  return true;
}

bool cpb_coreml_each_constant_of(const cpb_view *view, uint32_t graph, const cpb_view_node *node, cpb_view_visit *call,
                                 void *user) {
  const cpb_view_graph *g = cpb_view_graph_of(view, graph);
  visit v = {.node = node, .call = call, .user = user};
  v.like = (cpb_view_tensor){.graph = graph,
                             .of_node = true,
                             .node_name = node->own_name,
                             .op = node->op,
                             .node_number = node->number,
                             .node = node->message};
  if (g->form == CPB_COREML_NETWORK) return visit_layer(&v, node->message);
  return g->form != CPB_COREML_BLOCK || (visit_attributes(&v) && visit_arguments(&v, g));
}

bool cpb_coreml_each_constant(const cpb_view *view, uint32_t graph, cpb_view_visit *call, void *user) {
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(view, graph);
  while (cpb_view_nodes_next(&nodes, &node)) {
    if (!cpb_coreml_each_constant_of(view, graph, &node, call, user)) return false;
  }
  return true;
}
