/* The overview of a graph that stands alone. */
#include "model/tensorflow/ask/graph_overview.h"

#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/shapes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/nodes.h"
#include "model/tensorflow/weights.h"

static void write_versions(cpb_saved_model *m) {
  cpb_span versions = cpb_get_bytes(m->graph.message, GRAPH_VERSIONS);
  cpb_json_writer_open(m->viewed.answer, "versions", '{');
  cpb_json_writer_unsigned(m->viewed.answer, "producer", cpb_get_number(versions, VERSIONS_PRODUCER));
  cpb_json_writer_unsigned(m->viewed.answer, "min_consumer", cpb_get_number(versions, VERSIONS_MIN_CONSUMER));
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* What is fed: name, dtype and shape. */
static void write_inputs(cpb_saved_model *m, const cpb_nodes *nodes) {
  cpb_page page = cpb_viewed_page(&m->viewed, "inputs");
  for (size_t i = 0; i < nodes->count; i++) {
    cpb_span node = nodes->items[i];
    if (!cpb_node_is_placeholder(node) || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", cpb_get_bytes(node, NODE_NAME));
    cpb_write_dtype(m->viewed.answer, "dtype", cpb_get_number(cpb_node_attr(node, "dtype"), ATTR_TYPE));
    cpb_write_shape(m->viewed.answer, "shape", cpb_get_bytes(cpb_node_attr(node, "shape"), ATTR_SHAPE));
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_page_close(m->viewed.answer, &page);
}

static void mark_used(const cpb_nodes *nodes, cpb_span node, uint8_t *used) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    bool control;
    uint32_t i = cpb_names_find(&nodes->names, cpb_node_of_input(c.bytes, &control));
    if (i != CPB_NO_NAME) used[i] = 1;
  }
}

/* Nodes that no other node uses. */
static void write_outputs(cpb_saved_model *m, const cpb_nodes *nodes) {
  uint8_t *used = cpb_alloc_zeroed(&m->viewed.allocator, nodes->count);
  if (!used) {
    cpb_viewed_fail_memory(&m->viewed);
    return;
  }
  for (size_t i = 0; i < nodes->count; i++) mark_used(nodes, nodes->items[i], used);
  cpb_page page = cpb_viewed_page(&m->viewed, "outputs");
  for (size_t i = 0; i < nodes->count; i++) {
    cpb_span node = nodes->items[i], op = cpb_get_bytes(node, NODE_OP);
    if (used[i] || cpb_node_is_placeholder(node) || cpb_span_is(op, "Const") || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", cpb_get_bytes(node, NODE_NAME));
    cpb_json_writer_span(m->viewed.answer, "op", op);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_page_close(m->viewed.answer, &page);
  cpb_release(&m->viewed.allocator, used);
}

void cpb_write_placeholders(cpb_saved_model *m) {
  cpb_nodes nodes;
  if (cpb_nodes_build(&nodes, &m->graph)) write_inputs(m, &nodes);
  else cpb_viewed_fail_memory(&m->viewed);
  cpb_nodes_free(&nodes);
}

void cpb_ask_graph_overview(cpb_saved_model *m) {
  cpb_nodes nodes;
  cpb_json_writer_text(m->viewed.answer, "kind", "graph_def");
  write_versions(m);
  cpb_json_writer_unsigned(m->viewed.answer, "nodes", m->graph.graphs->items[0].nodes);
  cpb_json_writer_unsigned(m->viewed.answer, "functions", cpb_graph_num_functions(&m->graph));
  cpb_viewed_write_parameters(&m->viewed);
  if (cpb_nodes_build(&nodes, &m->graph)) {
    write_inputs(m, &nodes);
    write_outputs(m, &nodes);
  } else {
    cpb_viewed_fail_memory(&m->viewed);
  }
  cpb_nodes_free(&nodes);
}
