#include "model/coreml/ask/nodes.h"

#include "model/coreml/tensor_json.h"
#include "model/coreml/types.h"

/* --- Values ------------------------------------------------------------------------------ */

/* The names of the values that go in; of an operation also the parameters that they are for. */
static void write_inputs(cpb_json_writer *a, const cpb_coreml_graph *g, cpb_span node) {
  cpb_coreml_value value;
  cpb_coreml_values values = cpb_coreml_inputs(g, node);
  cpb_json_writer_open(a, "inputs", '[');
  while (cpb_coreml_values_next(&values, &value)) {
    if (value.name.data) cpb_json_writer_span(a, NULL, value.name);
  }
  cpb_json_writer_close(a, ']');
  if (g->form != CPB_COREML_BLOCK) return;
  cpb_json_writer_open(a, "parameters", '[');
  for (values = cpb_coreml_inputs(g, node); cpb_coreml_values_next(&values, &value);) {
    if (value.name.data) cpb_json_writer_span(a, NULL, value.parameter);
  }
  cpb_json_writer_close(a, ']');
}

static void write_outputs(cpb_json_writer *a, const cpb_coreml_graph *g, cpb_span node) {
  cpb_coreml_value value;
  cpb_coreml_values values = cpb_coreml_outputs(g, node);
  cpb_json_writer_open(a, "outputs", '[');
  while (cpb_coreml_values_next(&values, &value)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "name", value.name);
    cpb_coreml_write_value_type(a, &value);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

/* --- Attributes ------------------------------------------------------------------------------ */

static void open_attribute(cpb_json_writer *a, cpb_span name, const char *kind) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", name);
  cpb_json_writer_text(a, "kind", kind);
}

/* A graph within the node, as of ONNX: how many nodes it has. */
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

/* All but its name; values that stand among the arguments are attributes, too. */
static void write_operation(cpb_coreml_model *m, const cpb_coreml_graph *g, cpb_span operation) {
  cpb_json_writer *a = m->whole.answer;
  cpb_coreml_value value;
  cpb_coreml_values arguments = cpb_coreml_inputs(g, operation);
  cpb_cursor c = cpb_cursor_of(operation);
  while (cpb_cursor_find(&c, OPERATION_ATTRIBUTE, CPB_WIRE_LEN)) {
    const cpb_span name = cpb_get_bytes(c.bytes, MAP_KEY);
    if (!cpb_span_is(name, "name"))
      cpb_coreml_write_attribute(a, &m->whole.part, name, cpb_get_bytes(c.bytes, MAP_VALUE));
  }
  while (cpb_coreml_values_next(&arguments, &value)) {
    if (value.immediate.data) cpb_coreml_write_attribute(a, &m->whole.part, value.parameter, value.immediate);
  }
  write_blocks(a, operation);
}

static bool write_weights(void *user, const cpb_coreml_constant *c) {
  cpb_coreml_model *m = user;
  cpb_json_writer *a = m->whole.answer;
  const cpb_coreml_tensor t = cpb_coreml_tensor_of(&m->whole.part, c);
  open_attribute(a, c->member, "tensor");
  cpb_json_writer_open(a, "value", '{');
  cpb_coreml_write_tensor(a, &t);
  cpb_json_writer_close(a, '}');
  cpb_json_writer_close(a, '}');
  return true;
}

static void write_graph(cpb_json_writer *a, cpb_span name, cpb_span graph, uint32_t field) {
  open_attribute(a, name, "graph");
  write_nodes_of(a, "value", graph, field);
  cpb_json_writer_close(a, '}');
}

/* The networks within a layer, under the names of their fields; the weights of any other. */
static void write_layer(cpb_coreml_model *m, const cpb_coreml_graph *g, const cpb_coreml_node *node) {
  cpb_json_writer *a = m->whole.answer;
  cpb_coreml_network networks[2];
  const size_t count = cpb_coreml_networks_of(node->message, networks);
  for (size_t i = 0; i < count; i++) write_graph(a, networks[i].name, networks[i].message, NETWORK_LAYER);
  if (count == 0) cpb_coreml_each_constant(g, node, write_weights, m);
}

/* A model's own graphs: of a program its functions. */
static void write_model(cpb_json_writer *a, const cpb_coreml_node *node) {
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(node->message, &content);
  cpb_cursor c = cpb_cursor_of(content);
  switch (cpb_coreml_form_of(type, &content)) {
    case CPB_COREML_NETWORK: write_graph(a, node->op, content, NETWORK_LAYER); break;
    case CPB_COREML_PIPELINE: write_graph(a, node->op, content, PIPELINE_MODEL); break;
    case CPB_COREML_BLOCK:
      while (cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN))
        write_graph(a, cpb_get_bytes(c.bytes, MAP_KEY), cpb_coreml_block_of(cpb_get_bytes(c.bytes, MAP_VALUE)),
                    BLOCK_OPERATION);
      break;
    default: break;
  }
}

/* --- The answer ---------------------------------------------------------------------------------- */

static void write_node(cpb_coreml_model *m, const cpb_coreml_graph *g, const cpb_coreml_node *node) {
  cpb_json_writer *a = m->whole.answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", node->name);
  cpb_json_writer_span(a, "op", node->op);
  write_inputs(a, g, node->message);
  write_outputs(a, g, node->message);
  cpb_json_writer_open(a, "attributes", '[');
  switch (g->form) {
    case CPB_COREML_BLOCK: write_operation(m, g, node->message); break;
    case CPB_COREML_NETWORK: write_layer(m, g, node); break;
    default: write_model(a, node); break;
  }
  cpb_json_writer_close(a, ']');
  cpb_json_writer_close(a, '}');
}

void cpb_coreml_ask_nodes(cpb_coreml_model *m) {
  uint32_t graph;
  cpb_coreml_node node;
  if (!cpb_coreml_graph_named(m, cpb_coreml_name(m), &graph)) return;
  const cpb_coreml_graph *g = &m->graphs.items[graph];
  cpb_coreml_write_graph_name(m, "function", graph);
  cpb_page page = cpb_coreml_open_page(m, "nodes");
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(g);
  while (cpb_coreml_nodes_next(&nodes, &node)) {
    const bool wanted = m->whole.question.scope_size == 0 || cpb_span_begins(node.name, cpb_coreml_scope(m));
    if (wanted && cpb_page_has(&page)) write_node(m, g, &node);
  }
  cpb_page_close(m->whole.answer, &page);
}
