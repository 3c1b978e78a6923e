#include "model/coreml/model.h"

/* --- Nodes ------------------------------------------------------------------------------ */

static const uint32_t node_fields[CPB_COREML_NUM_FORMS] = {
    [CPB_COREML_BLOCK] = BLOCK_OPERATION, [CPB_COREML_NETWORK] = NETWORK_LAYER, [CPB_COREML_PIPELINE] = PIPELINE_MODEL};

static cpb_span op_of(cpb_view_nodes *n, cpb_span node) {
  cpb_span content;
  switch (n->graph->form) {
    case CPB_COREML_BLOCK: return cpb_get_bytes(node, OPERATION_TYPE);
    case CPB_COREML_NETWORK: return cpb_coreml_layer_name(cpb_coreml_layer_of(node, &content), n->op);
    default: return cpb_coreml_type_name(cpb_coreml_type_of(node, &content), n->op);
  }
}

/* An operation's name is in its attributes; without one, it is named after its first output, as its consumers refer to
 * it. */
static cpb_span operation_name(cpb_span node) {
  cpb_span entry = cpb_get_entry(node, OPERATION_ATTRIBUTE, cpb_span_of("name"));
  cpb_span name = cpb_coreml_text_of(cpb_get_bytes(entry, MAP_VALUE));
  cpb_cursor c = cpb_cursor_of(node);
  if (name.size > 0 || !cpb_cursor_find(&c, OPERATION_OUTPUT, CPB_WIRE_LEN)) return name;
  return cpb_get_bytes(c.bytes, NAMED_NAME);
}

static cpb_span name_of(cpb_view_nodes *n, cpb_span node) {
  switch (n->graph->form) {
    case CPB_COREML_BLOCK: return operation_name(node);
    case CPB_COREML_NETWORK: return cpb_get_bytes(node, LAYER_NAME);
    default: return cpb_cursor_find(&n->names, PIPELINE_NAME, CPB_WIRE_LEN) ? n->names.bytes : (cpb_span){NULL, 0};
  }
}

bool cpb_coreml_next_node(cpb_view_nodes *n, cpb_view_node *node) {
  const uint32_t field = node_fields[n->graph->form];
  if (field == 0 || !cpb_cursor_find(&n->cursor, field, CPB_WIRE_LEN)) return false;
  node->message = n->cursor.bytes;
  node->own_name = name_of(n, node->message);
  node->op = op_of(n, node->message);
  node->is_constant = n->graph->form == CPB_COREML_BLOCK && cpb_span_is(node->op, "const");
  return true;
}

/* --- Values ----------------------------------------------------------------------------- */

static cpb_view_values features(cpb_span model, uint32_t field) {
  cpb_view_values v = cpb_view_messages_in(cpb_get_bytes(model, MODEL_DESCRIPTION), field, FEATURE_NAME, FEATURE_TYPE);
  v.is_feature = true;
  return v;
}

static bool next_result(cpb_view_values *v, cpb_view_value *value) {
  if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
  *value = (cpb_view_value){.name = cpb_get_bytes(v->cursor.bytes, FEATURE_NAME),
                            .type = cpb_get_bytes(v->cursor.bytes, FEATURE_TYPE),
                            .is_feature = true};
  if (cpb_span_equal(value->name, v->label)) value->source = v->probabilities;
  return true;
}

/* No layer gives a classifier's label: it is the class with the largest probability. */
static cpb_view_values results(cpb_span model) {
  const cpb_span description = cpb_get_bytes(model, MODEL_DESCRIPTION);
  cpb_view_values v = features(model, DESCRIPTION_OUTPUT);
  v.label = cpb_get_bytes(description, DESCRIPTION_PREDICTED);
  v.probabilities = cpb_get_bytes(description, DESCRIPTION_PROBABILITIES);
  if (v.label.size > 0 && v.probabilities.size > 0) v.next = next_result;
  return v;
}

static cpb_view_values named(cpb_span message, uint32_t field) {
  return cpb_view_messages_in(message, field, NAMED_NAME, NAMED_TYPE);
}

/* The next of the values that an operation's argument is bound to. */
static bool next_binding(cpb_view_values *v, cpb_view_value *value) {
  while (!cpb_cursor_find(&v->bindings, ARGUMENT_BINDING, CPB_WIRE_LEN)) {
    if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
    v->role = cpb_get_bytes(v->cursor.bytes, MAP_KEY);
    v->bindings = cpb_cursor_of(cpb_get_bytes(v->cursor.bytes, MAP_VALUE));
  }
  *value = (cpb_view_value){.name = cpb_get_bytes(v->bindings.bytes, BINDING_NAME),
                            .immediate = cpb_get_bytes(v->bindings.bytes, BINDING_VALUE),
                            .role = v->role};
  return true;
}

cpb_view_values cpb_coreml_inputs(const cpb_view_graph *g, cpb_span node) {
  if (g->form == CPB_COREML_PIPELINE) return features(node, DESCRIPTION_INPUT);
  if (g->form == CPB_COREML_NETWORK) return cpb_view_names_in(node, LAYER_INPUT);
  return (cpb_view_values){.next = next_binding,
                           .field = OPERATION_INPUT,
                           .cursor = cpb_cursor_of(node),
                           .bindings = cpb_cursor_of((cpb_span){NULL, 0})};
}

static cpb_view_values outputs_of(const cpb_view_graph *g, cpb_span node) {
  if (g->form == CPB_COREML_PIPELINE) return features(node, DESCRIPTION_OUTPUT);
  return g->form == CPB_COREML_NETWORK ? cpb_view_names_in(node, LAYER_OUTPUT) : named(node, OPERATION_OUTPUT);
}

static cpb_view_values graph_values(const cpb_view_graph *g, bool outputs) {
  if (g->form == CPB_COREML_NETWORK && outputs) return results(g->model);
  if (g->form != CPB_COREML_BLOCK) return features(g->model, outputs ? DESCRIPTION_OUTPUT : DESCRIPTION_INPUT);
  if (outputs) return cpb_view_names_in(g->message, BLOCK_OUTPUT);
  return g->function.data ? named(g->function, FUNCTION_INPUT) : named(g->message, BLOCK_INPUT);
}

cpb_view_values cpb_coreml_values(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node, bool outputs) {
  (void)v;
  if (!node) return graph_values(g, outputs);
  return outputs ? outputs_of(g, node->message) : cpb_coreml_inputs(g, node->message);
}
