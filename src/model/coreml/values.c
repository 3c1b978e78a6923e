#include "model/common/tensor/values.h"
#include "base/status.h"
#include "model/coreml/model.h"
#include "model/questions/values.h"

/* --- constants -------------------------------------------------------------------------------- */

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

enum { LAYER_LSTM = 420, LAYER_BIDIRECTIONAL_LSTM = 430 };

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
  for (size_t i = 0; i < NUM_WEIGHTS; i++)
    if (weights[i].layer == layer && weights[i].within == within && !visit_weights(v, &weights[i], message))
      return false;
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
    /* the rows of one message are adjacent: on to the next message */
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
  while (cpb_view_nodes_next(&nodes, &node))
    if (!cpb_coreml_each_constant_of(view, graph, &node, call, user)) return false;
  return true;
}

/* --- values ----------------------------------------------------------------------------------- */

/* A constant, by its name in the graph of the scope. In a file of weights, the 64 bytes before its values describe
 * their type and place. */

#define SHOWN 80

typedef struct reader {
  cpb_viewed_values common;
  cpb_tensor_layout layout;
  bool begun; /* the values: their place is known */
  cpb_coreml_tensor constant;
  uint8_t description[64]; /* the description in a file, before the values */
  size_t has;              /* number of its bytes read so far */
} reader;

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (r) cpb_viewed_values_init(&r->common, &cpb_coreml_view, a, meter, name, options);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  const cpb_allocator a = r->common.allocator;
  cpb_viewed_values_free(&r->common);
  cpb_release(&a, r);
}

static void take(cpb_viewed_values *common, const cpb_view_tensor *t) {
  ((reader *)common)->constant = cpb_coreml_tensor_of(&common->part, t);
}

/* --- Where its values are ---------------------------------------------------------------------- */

static cpb_have refuse(reader *r, cpb_code code, const char *what) {
  char text[SHOWN];
  cpb_quote(text, sizeof text, r->common.name.data, r->common.name.size);
  return cpb_fail(&r->common.error, code, CPB_NO_OFFSET, "\"%s\" %s", text, what), CPB_FAILED;
}

static cpb_have check_constant(reader *r) {
  const cpb_coreml_tensor *t = &r->constant;
  if (!t->is_tensor || (!t->is_external && t->number == 0)) return refuse(r, CPB_E_UNSUPPORTED, "is no tensor");
  if (!t->has_elements) return refuse(r, CPB_E_DAMAGED, "has no size: its shape is not known, or too large");
  if (t->wrong) return refuse(r, CPB_E_DAMAGED, t->wrong);
  if (t->type.format) return CPB_HAVE;
  cpb_fail(&r->common.error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "values of type %s%s%s are not supported", t->type.name,
           t->field ? " in " : "", t->field ? t->field : "");
  return CPB_FAILED;
}

static bool begin(reader *r) {
  const cpb_coreml_tensor *t = &r->constant;
  const cpb_range description = {t->offset, sizeof r->description};
  const cpb_tensor_known known = {.type = t->type,
                                  .shape = t->shape,
                                  .rank = t->rank,
                                  .message = cpb_part_where(&r->common.part, t->message),
                                  /* for a file, take_description() replaces this range by the one of the values */
                                  .content = t->is_external  ? description
                                             : t->is_content ? t->values
                                                             : (cpb_range){0, 0},
                                  .file = t->is_external ? cpb_coreml_file_of(t->location) : (cpb_span){NULL, 0}};
  r->layout = (cpb_tensor_layout){.strings = t->number,
                                  .shape_name = "the shape",
                                  .content_name = t->is_external ? "what is stored there" : t->field,
                                  .strings_name = "strings"};
  r->common.found = true;
  const uint64_t size = cpb_outline_input(r->common.part.outline)->size;
  if (size != CPB_NO_OFFSET) cpb_input_end(&r->common.input, size);
  return cpb_tensor_values_init_known(&r->common.tensor, &r->common.allocator, r->common.meter, &r->layout,
                                      &r->common.input, &r->common.error, &known, r->common.options->exact_texts != 0);
}

/* Takes the description in a file: a mark, the type, the size and the place. */
static cpb_have take_description(reader *r) {
  enum { MARK = 0, TYPE = 4, SIZE = 8, OFFSET = 16 };
  const uint8_t *d = r->description;
  const uint32_t type = cpb_load32(d + TYPE), expected = cpb_coreml_blob_dtype(r->constant.dtype);
  if (cpb_load32(d + MARK) != 0xdeadbeef)
    return refuse(r, CPB_E_DAMAGED, "has no values at its offset in the file: expected the mark 0xDEADBEEF there");
  if (type != expected) {
    cpb_fail(&r->common.error, CPB_E_DAMAGED, CPB_NO_OFFSET,
             "mil_dtype is %u in the file of weights; expected %u, of %s", (unsigned)type, (unsigned)expected,
             r->constant.type.name);
    return CPB_FAILED;
  }
  r->common.tensor.content = (cpb_range){cpb_load64(d + OFFSET), cpb_load64(d + SIZE)};
  if (r->common.tensor.content.offset > INT64_MAX || r->common.tensor.content.length > INT64_MAX)
    return refuse(r, CPB_E_DAMAGED, "has values beyond 2^63 bytes of the file");
  return CPB_HAVE;
}

static cpb_have read_description(reader *r) {
  cpb_tensor_turn_to_external(&r->common.tensor);
  while (r->has < sizeof r->description) {
    cpb_span bytes;
    const cpb_range left = {r->constant.offset + r->has, sizeof r->description - r->has};
    const cpb_have have = cpb_tensor_span(&r->common.tensor, left, (size_t)left.length, &bytes);
    if (have != CPB_HAVE) return have;
    memcpy(r->description + r->has, bytes.data, bytes.size);
    r->has += bytes.size;
  }
  return take_description(r);
}

/* --- Steps -------------------------------------------------------------------------------- */

/* Values in a file of weights take three reads: the outline of the model, which gives an offset; the 64 bytes there,
 * which give the place of the values; and the values. `found` and `begun` say which of these are done, so that a
 * step that waited continues with the right one. */

/* The place of a program's Value may be known already. */
static cpb_have find_at(reader *r) {
  cpb_viewed_values *c = &r->common;
  if (c->options->tensor_size > INT64_MAX || c->options->tensor_offset > INT64_MAX) {
    cpb_fail(&c->error, CPB_E_USAGE, CPB_NO_OFFSET, "tensor_offset or tensor_size is 2^63 or more");
    return CPB_FAILED;
  }
  cpb_have have = cpb_viewed_values_read(c, &cpb_view_coreml_value);
  if (have == CPB_HAVE) r->constant = cpb_coreml_tensor_of_value(&c->part, c->part.message);
  return have;
}

static cpb_have find_named(reader *r) {
  cpb_viewed_values *c = &r->common;
  cpb_have have = cpb_viewed_values_read(c, &cpb_view_coreml);
  if (have != CPB_HAVE) return have;
  if (!cpb_coreml_graphs_build(&c->view, &c->problems, c->meter, &c->error)) return CPB_FAILED;
  return cpb_viewed_values_find(c, "constant", take);
}

static cpb_have find(reader *r) {
  cpb_viewed_values *c = &r->common;
  cpb_have have = c->options->tensor_size > 0 ? find_at(r) : find_named(r);
  if (have == CPB_HAVE) have = check_constant(r);
  if (have != CPB_HAVE) return have;
  if (r->constant.is_external && r->constant.offset > INT64_MAX)
    return refuse(r, CPB_E_DAMAGED, "has an offset of 2^63 or more");
  return begin(r) ? CPB_HAVE : cpb_viewed_values_fail_memory(c);
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->common.found ? CPB_HAVE : find(r);
  if (have == CPB_HAVE && !r->begun && r->constant.is_external) have = read_description(r);
  if (have != CPB_HAVE) return have;
  r->begun = true;
  return cpb_tensor_values_next(&r->common.tensor, info, data);
}

const cpb_values_reader cpb_coreml_values_reader = {create, destroy, next, cpb_viewed_values_input,
                                                    cpb_viewed_values_error};
