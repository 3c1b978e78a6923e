#include "model/coreml/ask/search.h"

#include "model/coreml/nodes.h"

typedef struct search {
  cpb_coreml_model *model;
  cpb_span text;
  cpb_page page;
  uint32_t graph; /* that is looked through */
} search;

static bool is_in(const search *s, cpb_span name) { return cpb_span_contains(name, s->text); }

static void found(search *s, const char *is, cpb_span name, cpb_span op) {
  cpb_json_writer *a = s->model->whole.answer;
  if (!cpb_page_has(&s->page)) return;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", is);
  cpb_json_writer_span(a, "name", name);
  if (op.data) cpb_json_writer_span(a, "op", op);
  cpb_coreml_write_graph_name(s->model, "function", s->graph);
  cpb_json_writer_close(a, '}');
}

static void search_values(search *s, const char *is, cpb_coreml_values values) {
  cpb_coreml_value value;
  while (cpb_coreml_values_next(&values, &value)) {
    if (is_in(s, value.name)) found(s, is, value.name, (cpb_span){NULL, 0});
  }
}

static void search_graph(search *s, uint32_t graph) {
  const cpb_coreml_graph *g = &s->model->graphs.items[graph];
  cpb_coreml_node node;
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(g);
  s->graph = graph;
  search_values(s, "input", cpb_coreml_graph_inputs(g));
  while (cpb_coreml_nodes_next(&nodes, &node)) {
    if (is_in(s, node.name) || is_in(s, node.op)) found(s, "node", node.name, node.op);
    search_values(s, "value", cpb_coreml_outputs(g, node.message));
  }
}

static void search_names(search *s) {
  cpb_json_writer *a = s->model->whole.answer;
  cpb_buffer name;
  cpb_buffer_init(&name, &s->model->whole.allocator);
  for (uint32_t i = 1; i < s->model->graphs.count; i++) {
    name.size = 0;
    if (!cpb_coreml_graph_name(&s->model->graphs, i, &name)) a->failed = true;
    const cpb_span text = {name.data, name.size};
    if (!is_in(s, text) || !cpb_page_has(&s->page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_text(a, "is", s->model->graphs.items[i].is_within ? "subgraph" : "function");
    cpb_json_writer_span(a, "name", text);
    cpb_json_writer_close(a, '}');
  }
  cpb_buffer_free(&name);
}

void cpb_coreml_ask_search(cpb_coreml_model *m) {
  search s = {.model = m, .text = cpb_coreml_name(m), .page = cpb_coreml_open_page(m, "found")};
  search_names(&s);
  for (uint32_t i = 0; i < m->graphs.count; i++) search_graph(&s, i);
  cpb_page_close(m->whole.answer, &s.page);
}
