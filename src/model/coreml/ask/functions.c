#include "model/coreml/ask/functions.h"

#include "model/coreml/nodes.h"
#include "model/coreml/types.h"

static const char *kind_name(const cpb_coreml_graph *g) {
  if (g->is_within) return g->model.data ? "model" : "subgraph";
  return g->function.data ? "function" : "graph";
}

/* --- The list ---------------------------------------------------------------------------------- */

static uint64_t count_values(cpb_coreml_values values) {
  uint64_t count = 0;
  cpb_coreml_value value;
  while (cpb_coreml_values_next(&values, &value)) count++;
  return count;
}

static void write_item(cpb_coreml_model *m, uint32_t graph) {
  cpb_json_writer *a = m->whole.answer;
  const cpb_coreml_graph *g = &m->graphs.items[graph];
  cpb_json_writer_open(a, NULL, '{');
  cpb_coreml_write_graph_name(m, "name", graph);
  cpb_json_writer_text(a, "is", kind_name(g));
  cpb_json_writer_unsigned(a, "inputs", count_values(cpb_coreml_graph_inputs(g)));
  cpb_json_writer_unsigned(a, "outputs", count_values(cpb_coreml_graph_outputs(g)));
  cpb_json_writer_unsigned(a, "nodes", g->nodes);
  cpb_json_writer_unsigned(a, "calls", 0);
  cpb_json_writer_unsigned(a, "called_by", 0);
  cpb_json_writer_close(a, '}');
}

/* Whether its name begins with the scope. */
static bool is_wanted(cpb_coreml_model *m, uint32_t graph) {
  cpb_buffer name;
  cpb_buffer_init(&name, &m->whole.allocator);
  if (m->whole.question.scope_size == 0) return true;
  if (!cpb_coreml_graph_name(&m->graphs, graph, &name)) m->whole.answer->failed = true;
  bool wanted = cpb_span_begins((cpb_span){name.data, name.size}, cpb_coreml_scope(m));
  cpb_buffer_free(&name);
  return wanted;
}

void cpb_coreml_ask_functions(cpb_coreml_model *m) {
  cpb_page page = cpb_coreml_open_page(m, "functions");
  for (uint32_t i = 1; i < m->graphs.count; i++) {
    if (is_wanted(m, i) && cpb_page_has(&page)) write_item(m, i);
  }
  cpb_page_close(m->whole.answer, &page);
}

/* --- One ----------------------------------------------------------------------------------------- */

static void write_values(cpb_json_writer *a, const char *key, cpb_coreml_values values) {
  cpb_coreml_value value;
  cpb_json_writer_open(a, key, '[');
  while (cpb_coreml_values_next(&values, &value)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "name", value.name);
    cpb_coreml_write_value_type(a, &value);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

void cpb_coreml_ask_function(cpb_coreml_model *m) {
  uint32_t graph;
  if (!cpb_coreml_graph_named(m, cpb_coreml_name(m), &graph)) return;
  cpb_json_writer *a = m->whole.answer;
  const cpb_coreml_graph *g = &m->graphs.items[graph];
  cpb_coreml_write_graph_name(m, "name", graph);
  cpb_json_writer_text(a, "is", kind_name(g));
  write_values(a, "inputs", cpb_coreml_graph_inputs(g));
  write_values(a, "outputs", cpb_coreml_graph_outputs(g));
  cpb_json_writer_unsigned(a, "nodes", g->nodes);
  if (g->function.data) {
    cpb_json_writer_span(a, "opset", cpb_get_bytes(g->function, FUNCTION_OPSET));
    cpb_json_writer_unsigned(a, "specializations", cpb_count_bytes(g->function, FUNCTION_BLOCK));
  }
  cpb_json_writer_open(a, "calls", '[');
  cpb_json_writer_close(a, ']');
  cpb_json_writer_open(a, "called_by", '[');
  cpb_json_writer_close(a, ']');
}
