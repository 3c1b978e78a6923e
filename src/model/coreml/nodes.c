#include "model/coreml/nodes.h"

/* --- Nodes ------------------------------------------------------------------------------ */

static const uint32_t node_fields[CPB_COREML_NUM_FORMS] = {
    [CPB_COREML_BLOCK] = BLOCK_OPERATION, [CPB_COREML_NETWORK] = NETWORK_LAYER, [CPB_COREML_PIPELINE] = PIPELINE_MODEL};

cpb_coreml_nodes cpb_coreml_nodes_of(const cpb_coreml_graph *g) {
  return (cpb_coreml_nodes){
      .graph = g, .cursor = cpb_cursor_of(g->message), .names = cpb_cursor_of(g->message), .label = ""};
}

static cpb_span op_of(cpb_coreml_nodes *n, cpb_span node) {
  cpb_span content;
  switch (n->graph->form) {
    case CPB_COREML_BLOCK: return cpb_get_bytes(node, OPERATION_TYPE);
    case CPB_COREML_NETWORK: return cpb_coreml_layer_name(cpb_coreml_layer_of(node, &content), n->op);
    default: return cpb_coreml_type_name(cpb_coreml_type_of(node, &content), n->op);
  }
}

/* An operation has its name among its attributes; else it goes by that of its first output, as its users know it. */
static cpb_span operation_name(cpb_span node) {
  cpb_span entry = cpb_get_entry(node, OPERATION_ATTRIBUTE, cpb_span_of("name"));
  cpb_span name = cpb_coreml_text_of(cpb_get_bytes(entry, MAP_VALUE));
  cpb_cursor c = cpb_cursor_of(node);
  if (name.size > 0 || !cpb_cursor_find(&c, OPERATION_OUTPUT, CPB_WIRE_LEN)) return name;
  return cpb_get_bytes(c.bytes, NAMED_NAME);
}

static cpb_span name_of(cpb_coreml_nodes *n, cpb_span node) {
  switch (n->graph->form) {
    case CPB_COREML_BLOCK: return operation_name(node);
    case CPB_COREML_NETWORK: return cpb_get_bytes(node, LAYER_NAME);
    default: return cpb_cursor_find(&n->names, PIPELINE_NAME, CPB_WIRE_LEN) ? n->names.bytes : (cpb_span){NULL, 0};
  }
}

bool cpb_coreml_nodes_next(cpb_coreml_nodes *n, cpb_coreml_node *node) {
  const uint32_t field = node_fields[n->graph->form];
  if (field == 0 || !cpb_cursor_find(&n->cursor, field, CPB_WIRE_LEN)) return false;
  *node = (cpb_coreml_node){.message = n->cursor.bytes, .number = n->number++};
  node->name = name_of(n, node->message);
  if (node->name.size == 0) node->name = cpb_coreml_number(node->number, n->label);
  node->op = op_of(n, node->message);
  return true;
}

/* --- Values ----------------------------------------------------------------------------- */

static cpb_coreml_values features(cpb_span model, uint32_t field) {
  return (cpb_coreml_values){
      .field = field, .is_feature = true, .cursor = cpb_cursor_of(cpb_get_bytes(model, MODEL_DESCRIPTION))};
}

static cpb_coreml_values values_of(cpb_span message, uint32_t field, bool of_names) {
  return (cpb_coreml_values){.field = field, .of_names = of_names, .cursor = cpb_cursor_of(message)};
}

cpb_coreml_values cpb_coreml_inputs(const cpb_coreml_graph *g, cpb_span node) {
  if (g->form == CPB_COREML_PIPELINE) return features(node, DESCRIPTION_INPUT);
  cpb_coreml_values v =
      values_of(node, g->form == CPB_COREML_BLOCK ? OPERATION_INPUT : LAYER_INPUT, g->form == CPB_COREML_NETWORK);
  v.of_arguments = g->form == CPB_COREML_BLOCK;
  v.bindings = cpb_cursor_of((cpb_span){NULL, 0});
  return v;
}

cpb_coreml_values cpb_coreml_outputs(const cpb_coreml_graph *g, cpb_span node) {
  if (g->form == CPB_COREML_PIPELINE) return features(node, DESCRIPTION_OUTPUT);
  if (g->form == CPB_COREML_NETWORK) return values_of(node, LAYER_OUTPUT, true);
  return values_of(node, OPERATION_OUTPUT, false);
}

cpb_coreml_values cpb_coreml_graph_inputs(const cpb_coreml_graph *g) {
  if (g->function.data) return values_of(g->function, FUNCTION_INPUT, false);
  if (g->form == CPB_COREML_BLOCK) return values_of(g->message, BLOCK_INPUT, false);
  return features(g->model, DESCRIPTION_INPUT);
}

cpb_coreml_values cpb_coreml_graph_outputs(const cpb_coreml_graph *g) {
  if (g->form == CPB_COREML_BLOCK) return values_of(g->message, BLOCK_OUTPUT, true);
  return features(g->model, DESCRIPTION_OUTPUT);
}

/* The next of the values that an operation's argument is bound to. */
static bool next_binding(cpb_coreml_values *v, cpb_coreml_value *value) {
  while (!cpb_cursor_find(&v->bindings, ARGUMENT_BINDING, CPB_WIRE_LEN)) {
    if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
    v->parameter = cpb_get_bytes(v->cursor.bytes, MAP_KEY);
    v->bindings = cpb_cursor_of(cpb_get_bytes(v->cursor.bytes, MAP_VALUE));
  }
  *value = (cpb_coreml_value){.name = cpb_get_bytes(v->bindings.bytes, BINDING_NAME),
                              .immediate = cpb_get_bytes(v->bindings.bytes, BINDING_VALUE),
                              .parameter = v->parameter};
  return true;
}

/* NamedValueType and FeatureDescription have their names in the same field. */
bool cpb_coreml_values_next(cpb_coreml_values *v, cpb_coreml_value *value) {
  if (v->of_arguments) return next_binding(v, value);
  if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
  const cpb_span item = v->cursor.bytes;
  *value =
      (cpb_coreml_value){.name = v->of_names ? item : cpb_get_bytes(item, NAMED_NAME), .is_feature = v->is_feature};
  if (!value->name.data) value->name = (cpb_span){(const uint8_t *)"", 0};
  if (!v->of_names) value->type = cpb_get_bytes(item, v->is_feature ? FEATURE_TYPE : NAMED_TYPE);
  return true;
}
