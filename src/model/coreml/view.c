#include "model/coreml/model.h"
#include "model/operators/operators.h"

/* --- Tensors ------------------------------------------------------------------------------------ */

static cpb_view_measure measure(const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_coreml_tensor one = cpb_coreml_tensor_of(v->part, t);
  cpb_view_measure m = {
      .has_elements = one.has_elements, .elements = one.elements, .bytes = one.bytes, .size = one.size};
  if (one.is_external) {
    m.file = cpb_coreml_file_of(one.location);
    m.offset = one.offset;
    if (!m.file.data) m.file = cpb_span_of("");
  }
  return m;
}

/* Whether this is a data input of an operation that decompresses a weight. */
static bool is_data(cpb_span role) {
  static const char *const data[] = {"data",       "indices", "indices_nonzero_data", "nonzero_data", "quantized_data",
                                     "source_val", NULL};
  return cpb_span_is_one_of(role, data);
}

/* The result is as large as the first output, which for sparse values is their mask, and has the type of the last
 * one. */
static void measure_result(cpb_span operation, cpb_view_measure *m) {
  cpb_cursor c = cpb_cursor_of(operation);
  cpb_span first = {NULL, 0}, last = {NULL, 0};
  while (cpb_cursor_find(&c, OPERATION_OUTPUT, CPB_WIRE_LEN)) {
    last = cpb_get_bytes(cpb_get_bytes(c.bytes, NAMED_TYPE), MIL_TENSOR);
    if (!first.data) first = last;
  }
  cpb_coreml_elements(first, &m->has_elements, &m->elements);
  m->bytes = m->has_elements ? cpb_coreml_bytes(cpb_get_number(last, TENSOR_TYPE), m->elements) : 0;
}

/* Excludes shapes, axes, indices and masks. */
static bool is_weight_like(const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_coreml_tensor one = cpb_coreml_tensor_of(v->part, t);
  const bool is_wide =
      (one.dtype >= MIL_INT16 && one.dtype <= MIL_INT64) || (one.dtype >= MIL_UINT16 && one.dtype <= MIL_UINT64);
  return one.rank > 0 && !is_wide && one.dtype != MIL_BOOL && one.dtype != MIL_STRING;
}

/* Weights of layers, and values in files, except for the parameters of their compression. */
static cpb_tensor_use use(const cpb_view *v, const cpb_view_tensor *t, const cpb_view_node *taker, cpb_span role,
                          uint64_t input, cpb_view_measure *m) {
  const cpb_span constexpr_ = cpb_span_of("constexpr_");
  const cpb_span op = taker ? taker->op : t->op, member = taker ? role : t->member;
  (void)input;
  if (t->rule) return CPB_TENSOR_WEIGHT;
  if (!cpb_span_begins(op, constexpr_))
    return m->file.data && is_weight_like(v, t) ? CPB_TENSOR_WEIGHT : CPB_TENSOR_CONSTANT;
  if (!is_data(member)) return m->file.data ? CPB_TENSOR_QUANTIZATION : CPB_TENSOR_CONSTANT;
  measure_result(taker ? taker->message : t->node, m);
  return CPB_TENSOR_WEIGHT;
}

/* --- Quantized numbers ------------------------------------------------------------------------- */

typedef struct argument {
  cpb_span name, immediate; /* one of them; both empty: it is not there */
} argument;

/* An argument is an input, or, in older programs, an attribute. */
static argument argument_of(const cpb_view_graph *g, const cpb_view_node *node, const char *role) {
  cpb_view_value value;
  cpb_view_values inputs = cpb_coreml_inputs(g, node->message);
  while (cpb_view_values_next(&inputs, &value))
    if (cpb_span_is(value.role, role)) return (argument){value.name, value.immediate};
  const cpb_span entry = cpb_get_entry(node->message, OPERATION_ATTRIBUTE, cpb_span_of(role));
  return (argument){{NULL, 0}, cpb_get_bytes(entry, MAP_VALUE)};
}

static void write_own_name(cpb_json_writer *a, const char *key, const cpb_view_node *node, const char *role) {
  const cpb_view_tensor own = {
      .of_node = true, .node_name = node->own_name, .node_number = node->number, .member = cpb_span_of(role)};
  cpb_buffer name;
  cpb_buffer_init(&name, &a->out.allocator);
  if (cpb_view_tensor_name(&own, &name)) cpb_json_writer_span(a, key, (cpb_span){name.data, name.size});
  else a->failed = true;
  cpb_buffer_free(&name);
}

/* A number, or the name of an array. */
static void write_argument(cpb_json_writer *a, const char *key, const cpb_view *v, const cpb_view_graph *g,
                           const cpb_view_node *node, const char *role) {
  const argument one = argument_of(g, node, role);
  const cpb_coreml_tensor tensor = cpb_coreml_tensor_of_value(v->part, one.immediate);
  if (one.name.data) cpb_json_writer_span(a, key, one.name);
  else if (one.immediate.data && !(tensor.is_tensor && cpb_coreml_write_single(a, NULL, key, &tensor)))
    write_own_name(a, key, node, role);
}

/* By the operation: the roles of the data, the scale, and what is subtracted first. */
static const struct decompression {
  const char *op, *data, *scale, *zero_point;
} decompressions[] = {{"constexpr_affine_dequantize", "quantized_data", "scale", "zero_point"},
                      {"constexpr_blockwise_shift_scale", "data", "scale", "offset"}};

static bool is_data_of(const struct decompression *d, const cpb_view_graph *g, const cpb_view_node *node,
                       cpb_span value, cpb_span member) {
  if (g->form != CPB_COREML_BLOCK || !cpb_span_is(node->op, d->op)) return false;
  return value.size > 0 ? cpb_span_equal(argument_of(g, node, d->data).name, value) : cpb_span_is(member, d->data);
}

static void write_quantized(cpb_json_writer *a, const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node,
                            cpb_span value, cpb_span member) {
  for (size_t i = 0; i < sizeof decompressions / sizeof *decompressions; i++) {
    const struct decompression *d = &decompressions[i];
    if (!is_data_of(d, g, node, value, member)) continue;
    cpb_json_writer_open(a, "quantized", '{');
    write_argument(a, "scale", v, g, node, d->scale);
    write_argument(a, "zero_point", v, g, node, d->zero_point);
    write_argument(a, "axis", v, g, node, "axis");
    cpb_json_writer_close(a, '}');
  }
}

/* --- In JSON ----------------------------------------------------------------------------------- */

static void write_tensor(cpb_json_writer *a, const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_coreml_tensor tensor = cpb_coreml_tensor_of(v->part, t);
  cpb_coreml_write_tensor(a, &tensor);
}

/* --- Attributes ------------------------------------------------------------------------------ */

static void open_attribute(cpb_json_writer *a, cpb_span name, const char *kind) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", name);
  cpb_json_writer_text(a, "kind", kind);
}

/* A graph within the node, as in ONNX: the number of its nodes. */
static void write_nodes_of(cpb_json_writer *a, const char *key, cpb_span graph, uint32_t field) {
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_null(a, "graph");
  cpb_json_writer_unsigned(a, "nodes", cpb_count_bytes(graph, field));
  cpb_json_writer_close(a, '}');
}

static void write_blocks(cpb_json_writer *a, cpb_span operation) {
  cpb_cursor c = cpb_cursor_of(operation);
  if (cpb_count_bytes(operation, OPERATION_BLOCK) == 0) return;
  open_attribute(a, cpb_span_of("block"), "graphs");
  cpb_json_writer_open(a, "value", '[');
  while (cpb_cursor_find(&c, OPERATION_BLOCK, CPB_WIRE_LEN)) write_nodes_of(a, NULL, c.bytes, BLOCK_OPERATION);
  cpb_json_writer_close(a, ']');
  cpb_json_writer_close(a, '}');
}

/* Writes the operation without its name. Immediate values among the arguments are attributes as well. */
static void write_operation(cpb_json_writer *a, const cpb_view *v, const cpb_view_graph *g, cpb_span operation) {
  cpb_view_value value;
  cpb_view_values arguments = cpb_coreml_inputs(g, operation);
  cpb_cursor c = cpb_cursor_of(operation);
  while (cpb_cursor_find(&c, OPERATION_ATTRIBUTE, CPB_WIRE_LEN)) {
    const cpb_span name = cpb_get_bytes(c.bytes, MAP_KEY);
    if (!cpb_span_is(name, "name")) cpb_coreml_write_attribute(a, v->part, name, cpb_get_bytes(c.bytes, MAP_VALUE));
  }
  while (cpb_view_values_next(&arguments, &value))
    if (value.immediate.data) cpb_coreml_write_attribute(a, v->part, value.role, value.immediate);
  write_blocks(a, operation);
}

typedef struct writing {
  cpb_json_writer *answer;
  const cpb_part *part;
} writing;

static bool write_weights(void *user, const cpb_view_tensor *c) {
  const writing *w = user;
  cpb_json_writer *a = w->answer;
  const cpb_coreml_tensor t = cpb_coreml_tensor_of(w->part, c);
  open_attribute(a, c->member, "tensor");
  cpb_json_writer_open(a, "value", '{');
  cpb_coreml_write_tensor(a, &t);
  cpb_json_writer_close(a, '}');
  cpb_json_writer_close(a, '}');
  return true;
}

static void write_inner(cpb_json_writer *a, cpb_span name, cpb_span graph, uint32_t field) {
  open_attribute(a, name, "graph");
  write_nodes_of(a, "value", graph, field);
  cpb_json_writer_close(a, '}');
}

/* The networks within a layer, by their fields, or its weights; then its settings. */
static void write_layer(cpb_json_writer *a, const cpb_view *v, uint32_t graph, const cpb_view_node *node) {
  writing w = {a, v->part};
  cpb_coreml_network networks[2];
  const size_t count = cpb_coreml_networks_of(node->message, networks);
  for (size_t i = 0; i < count; i++) write_inner(a, networks[i].name, networks[i].message, NETWORK_LAYER);
  if (count == 0) cpb_coreml_each_constant_of(v, graph, node, write_weights, &w);
  cpb_coreml_write_layer_settings(a, v->part, node->message);
}

/* The graphs of a model in a pipeline, for a program its functions; then its settings. */
static void write_model(cpb_json_writer *a, const cpb_view *v, const cpb_view_node *node) {
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(node->message, &content);
  cpb_cursor c = cpb_cursor_of(content);
  switch (cpb_coreml_form_of(type, &content)) {
    case CPB_COREML_NETWORK: write_inner(a, node->op, content, NETWORK_LAYER); break;
    case CPB_COREML_PIPELINE: write_inner(a, node->op, content, PIPELINE_MODEL); break;
    case CPB_COREML_BLOCK:
      while (cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN))
        write_inner(a, cpb_get_bytes(c.bytes, MAP_KEY), cpb_coreml_block_of(cpb_get_bytes(c.bytes, MAP_VALUE)),
                    BLOCK_OPERATION);
      break;
    default: break;
  }
  cpb_coreml_write_model_settings(a, v->part, node->message, NULL);
}

/* --- The view ------------------------------------------------------------------------------------ */

static void write_node(cpb_json_writer *a, const cpb_view *v, uint32_t graph, const cpb_view_node *node) {
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  cpb_json_writer_open(a, "attributes", '[');
  switch (g->form) {
    case CPB_COREML_BLOCK: write_operation(a, v, g, node->message); break;
    case CPB_COREML_NETWORK: write_layer(a, v, graph, node); break;
    default: write_model(a, v, node); break;
  }
  cpb_json_writer_close(a, ']');
}

static void write_graph(cpb_json_writer *a, const cpb_view *v, uint32_t graph) {
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  if (!g->function.data) return;
  cpb_json_writer_span(a, "opset", cpb_get_bytes(g->function, FUNCTION_OPSET));
  cpb_json_writer_unsigned(a, "specializations", cpb_count_bytes(g->function, FUNCTION_BLOCK));
}

static bool roles(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node, cpb_view_values *inputs) {
  if (g->form != CPB_COREML_BLOCK) return false;
  *inputs = cpb_coreml_values(v, g, node, false);
  return true;
}

static bool nodes_are_layers(const cpb_view *v, const cpb_view_graph *g) {
  (void)v;
  return g->form != CPB_COREML_BLOCK;
}

/* A model that can be trained on the device marks the layers, and of these the weights, that are. */
static bool trained(const cpb_view *v, const cpb_view_tensor *t) {
  if (!t) return cpb_get_number(v->part->message, MODEL_UPDATABLE) != 0;
  return t->rule && cpb_get_number(t->node, LAYER_UPDATABLE) != 0 && cpb_get_number(t->message, WEIGHTS_UPDATABLE) != 0;
}

/* Layers, models and operations with code from the model's author: by their class, or without one by their type. */
static const char *origin(const cpb_view *v, cpb_span domain, cpb_span op) {
  static const char *const types[] = {"custom", "customModel", "custom_layer", NULL};
  (void)v;
  return domain.size > 0 || cpb_span_is_one_of(op, types) ? "custom" : "coreml";
}

const cpb_view_kind cpb_coreml_view = {.next_node = cpb_coreml_next_node,
                                       .values = cpb_coreml_values,
                                       .roles = roles,
                                       .each_tensor = cpb_coreml_each_constant,
                                       .measure = measure,
                                       .use = use,
                                       .trained = trained,
                                       .nodes_are_layers = nodes_are_layers,
                                       .origin = origin,
                                       .write_quantized = write_quantized,
                                       .operators = cpb_operators_coreml,
                                       .write_type = cpb_coreml_write_value_type,
                                       .write_tensor = write_tensor,
                                       .write_node = write_node,
                                       .write_graph = write_graph};
