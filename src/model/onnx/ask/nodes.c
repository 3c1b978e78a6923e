#include "model/onnx/ask/nodes.h"

#include "model/common/write.h"
#include "model/onnx/attributes.h"
#include "model/onnx/types.h"
#include "model/onnx/values_index.h"

void cpb_onnx_write_metadata(cpb_json_writer *a, cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  bool open = false;
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    if (!open) cpb_json_writer_open(a, "metadata", '[');
    open = true;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "key", cpb_get_bytes(c.bytes, ENTRY_KEY));
    cpb_json_writer_span(a, "value", cpb_get_bytes(c.bytes, ENTRY_VALUE));
    cpb_json_writer_close(a, '}');
  }
  if (open) cpb_json_writer_close(a, ']');
}

/* An output with what is known of it. */
static void write_outputs(cpb_json_writer *a, const cpb_onnx_types *types, cpb_span node) {
  cpb_cursor c = cpb_cursor_of(node);
  cpb_json_writer_open(a, "outputs", '[');
  while (cpb_cursor_find(&c, NODE_OUTPUT, CPB_WIRE_LEN)) {
    cpb_span type = cpb_onnx_type_of(types, c.bytes);
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "name", c.bytes);
    if (type.data) cpb_onnx_write_type(a, type);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static void write_some_text(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  cpb_span text = cpb_get_bytes(message, number);
  if (text.size > 0) cpb_json_writer_span(a, key, text);
}

/* Of a node that calls a function: which one. */
static void write_call(cpb_onnx_model *m, cpb_span node) {
  uint32_t callee = cpb_onnx_callee(&m->graphs, node);
  if (callee != CPB_NO_GRAPH) cpb_onnx_write_graph_name(m, "calls", callee);
}

static void write_node(cpb_onnx_model *m, const cpb_onnx_types *types, cpb_span node, uint64_t number) {
  char label[CPB_ONNX_NUMBER];
  cpb_json_writer *a = m->whole.answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", cpb_onnx_node_label(cpb_get_bytes(node, NODE_NAME), number, label));
  cpb_json_writer_span(a, "op", cpb_get_bytes(node, NODE_OP));
  write_some_text(a, "domain", node, NODE_DOMAIN);
  write_some_text(a, "overload", node, NODE_OVERLOAD);
  cpb_write_strings(a, "inputs", node, NODE_INPUT);
  write_outputs(a, types, node);
  cpb_onnx_write_attributes(a, "attributes", &m->whole.part, node, NODE_ATTRIBUTE);
  write_call(m, node);
  write_some_text(a, "doc", node, NODE_DOC);
  cpb_onnx_write_metadata(a, node, NODE_METADATA);
  cpb_json_writer_close(a, '}');
}

static void write_nodes(cpb_onnx_model *m, uint32_t graph, const cpb_onnx_types *types) {
  char label[CPB_ONNX_NUMBER];
  const cpb_onnx_graph *g = &m->graphs.items[graph];
  cpb_page page = cpb_onnx_open_page(m, "nodes");
  cpb_cursor c = cpb_cursor_of(g->message);
  for (uint64_t number = 0; cpb_cursor_find(&c, cpb_onnx_node_field(g), CPB_WIRE_LEN); number++) {
    cpb_span name = cpb_onnx_node_label(cpb_get_bytes(c.bytes, NODE_NAME), number, label);
    bool wanted = m->whole.question.scope_size == 0 || cpb_span_begins(name, cpb_onnx_scope(m));
    if (wanted && cpb_page_has(&page)) write_node(m, types, c.bytes, number);
  }
  cpb_page_close(m->whole.answer, &page);
}

void cpb_onnx_nodes(cpb_onnx_model *m) {
  uint32_t graph;
  cpb_onnx_types types;
  if (!cpb_onnx_graph_named(m, cpb_onnx_name(m), &graph)) return;
  cpb_onnx_write_graph_name(m, "function", graph);
  if (cpb_onnx_types_build(&types, &m->whole.allocator, &m->graphs.items[graph])) write_nodes(m, graph, &types);
  else cpb_whole_fail_memory(&m->whole);
  cpb_onnx_types_free(&types);
}
