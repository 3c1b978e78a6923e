#include "model/onnx/model.h"

/* --- The model --------------------------------------------------------------------------- */

static void write_text(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  cpb_span text = cpb_get_bytes(message, number);
  if (text.size > 0) cpb_json_writer_span(a, key, text);
  else cpb_json_writer_null(a, key);
}

/* Long texts are not read. */
static void write_doc(cpb_viewed *m, const char *key, cpb_span message, uint32_t number) {
  cpb_span text = cpb_get_bytes(message, number);
  if (cpb_part_omits(m->view.part, text)) cpb_write_omitted(m->answer, key, m->view.part, text);
  else write_text(m->answer, key, message, number);
}

static void write_identity(cpb_viewed *m) {
  cpb_json_writer *a = m->answer;
  cpb_span model = m->view.part->message;
  cpb_json_writer_text(a, "kind", "onnx");
  cpb_json_writer_exact(a, "ir_version", (int64_t)cpb_get_number(model, MODEL_IR_VERSION));
  cpb_json_writer_open(a, "producer", '{');
  write_text(a, "name", model, MODEL_PRODUCER_NAME);
  write_text(a, "version", model, MODEL_PRODUCER_VERSION);
  cpb_json_writer_close(a, '}');
  write_text(a, "domain", model, MODEL_DOMAIN);
  cpb_json_writer_exact(a, "model_version", (int64_t)cpb_get_number(model, MODEL_VERSION));
  write_doc(m, "doc", model, MODEL_DOC);
}

/* The messages in a field, as a page. */
static void write_page(cpb_viewed *m, const char *key, cpb_span message, uint32_t number,
                       void (*write)(cpb_json_writer *a, cpb_span item)) {
  cpb_page page = cpb_viewed_page(m, key);
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN))
    if (cpb_page_has(&page)) write(m->answer, c.bytes);
  cpb_page_close(m->answer, &page);
}

/* --- The graph ----------------------------------------------------------------------------- */

/* Everything but the number of nodes is looked up in `rest`, the fields after the nodes. */

static bool add_initializer(void *user, const cpb_view_tensor *t) { return cpb_names_add(user, t->value, 0); }

/* Before IR version 4, initializers are also listed as inputs; they are left out, because callers need not pass
 * them. */
static void write_inputs(cpb_viewed *m, cpb_span graph) {
  cpb_names weights;
  cpb_names_init(&weights, &m->allocator);
  cpb_page page = cpb_viewed_page(m, "inputs");
  cpb_cursor c = cpb_cursor_of(graph);
  if (!cpb_onnx_each_initializer(&m->view, 0, add_initializer, &weights)) m->answer->failed = true;
  cpb_names_sort(&weights);
  while (cpb_cursor_find(&c, GRAPH_INPUT, CPB_WIRE_LEN)) {
    bool is_weight = cpb_names_find(&weights, cpb_get_bytes(c.bytes, VALUE_INFO_NAME)) != CPB_NO_NAME;
    if (!is_weight && cpb_page_has(&page)) cpb_onnx_write_value_info(m->answer, c.bytes);
  }
  cpb_page_close(m->answer, &page);
  cpb_names_free(&weights);
}

/* Null if the tensors were not read. */
static void write_tensor_count(cpb_viewed *m, const char *key, cpb_span graph, uint32_t field) {
  if (cpb_onnx_own_of(&m->view)->brief.unread.length > 0) cpb_json_writer_null(m->answer, key);
  else cpb_json_writer_unsigned(m->answer, key, cpb_count_bytes(graph, field));
}

static void write_graph(cpb_viewed *m) {
  cpb_json_writer *a = m->answer;
  cpb_span graph = m->view.graphs.items[0].rest;
  if (!graph.data) {
    cpb_json_writer_null(a, "graph");
    return;
  }
  cpb_json_writer_open(a, "graph", '{');
  write_text(a, "name", graph, GRAPH_NAME);
  write_doc(m, "doc", graph, GRAPH_DOC);
  cpb_json_writer_unsigned(a, "nodes", m->view.graphs.items[0].nodes);
  write_tensor_count(m, "initializers", graph, GRAPH_INITIALIZER);
  write_tensor_count(m, "sparse_initializers", graph, GRAPH_SPARSE_INITIALIZER);
  cpb_json_writer_unsigned(a, "value_infos", cpb_count_bytes(graph, GRAPH_VALUE_INFO));
  cpb_json_writer_unsigned(a, "quantization_annotations", cpb_count_bytes(graph, GRAPH_QUANTIZATION));
  write_page(m, "metadata", graph, GRAPH_METADATA, cpb_onnx_write_entry);
  cpb_json_writer_close(a, '}');
}

/* --- Training ----------------------------------------------------------------------------------- */

static uint64_t nodes_of(cpb_span training, uint32_t field) {
  return cpb_count_bytes(cpb_get_bytes(training, field), GRAPH_NODE);
}

static void write_training(cpb_json_writer *a, cpb_span training) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "initialization_nodes", nodes_of(training, TRAINING_INITIALIZATION));
  cpb_json_writer_unsigned(a, "algorithm_nodes", nodes_of(training, TRAINING_ALGORITHM));
  cpb_json_writer_unsigned(a, "initialization_bindings", cpb_count_bytes(training, TRAINING_INITIAL_BINDING));
  cpb_json_writer_unsigned(a, "update_bindings", cpb_count_bytes(training, TRAINING_UPDATE_BINDING));
  cpb_json_writer_close(a, '}');
}

/* --- The answer ------------------------------------------------------------------------------------ */

void cpb_onnx_overview(cpb_viewed *m) {
  cpb_span model = m->view.part->message, graph = m->view.graphs.items[0].rest;
  write_identity(m);
  write_page(m, "opset_imports", model, MODEL_OPSET, cpb_onnx_write_opset);
  write_inputs(m, graph);
  write_page(m, "outputs", graph, GRAPH_OUTPUT, cpb_onnx_write_value_info);
  cpb_viewed_write_counts(m);
  write_graph(m);
  if (cpb_onnx_own_of(&m->view)->brief.unread.length == 0) {
    cpb_viewed_write_parameters(m);
    cpb_viewed_write_files(m);
  }
  write_page(m, "metadata", model, MODEL_METADATA, cpb_onnx_write_entry);
  write_page(m, "training", model, MODEL_TRAINING, write_training);
}
