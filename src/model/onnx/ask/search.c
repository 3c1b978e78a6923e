#include "model/onnx/ask/search.h"

#include "model/onnx/ask/initializers.h"

typedef struct search {
  cpb_onnx_model *model;
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
  cpb_onnx_write_graph_name(s->model, "function", s->graph);
  cpb_json_writer_close(a, '}');
}

static void search_node(search *s, cpb_span node, uint64_t number) {
  char label[CPB_ONNX_NUMBER];
  cpb_span name = cpb_onnx_node_label(cpb_get_bytes(node, NODE_NAME), number, label);
  cpb_span op = cpb_get_bytes(node, NODE_OP);
  cpb_cursor c = cpb_cursor_of(node);
  if (is_in(s, name) || is_in(s, op)) found(s, "node", name, op);
  while (cpb_cursor_find(&c, NODE_OUTPUT, CPB_WIRE_LEN)) {
    if (is_in(s, c.bytes)) found(s, "value", c.bytes, (cpb_span){NULL, 0});
  }
}

static void search_field(search *s, const cpb_onnx_graph *g, const cpb_cursor *c, uint64_t *node) {
  static const cpb_span none = {NULL, 0};
  cpb_span name;
  if (c->number == cpb_onnx_node_field(g)) {
    search_node(s, c->bytes, (*node)++);
  } else if (g->kind == CPB_ONNX_FUNCTION) {
    if (c->number == FUNCTION_INPUT && is_in(s, c->bytes)) found(s, "input", c->bytes, none);
  } else if (c->number == GRAPH_INITIALIZER || c->number == GRAPH_SPARSE_INITIALIZER) {
    name = cpb_onnx_initializer_name(c->number, c->bytes);
    if (is_in(s, name)) found(s, "initializer", name, none);
  } else if (c->number == GRAPH_INPUT) {
    name = cpb_get_bytes(c->bytes, VALUE_INFO_NAME);
    if (is_in(s, name)) found(s, "input", name, none);
  }
}

static void search_graph(search *s, uint32_t graph) {
  uint64_t node = 0;
  const cpb_onnx_graph *g = &s->model->graphs.items[graph];
  cpb_cursor c = cpb_cursor_of(g->message);
  s->graph = graph;
  while (cpb_cursor_next(&c)) {
    if (c.type == CPB_WIRE_LEN) search_field(s, g, &c, &node);
  }
}

static void search_names(search *s) {
  cpb_json_writer *a = s->model->whole.answer;
  cpb_buffer name;
  cpb_buffer_init(&name, &s->model->whole.allocator);
  for (uint32_t i = 1; i < s->model->graphs.count; i++) {
    name.size = 0;
    if (!cpb_onnx_graph_name(&s->model->graphs, i, &name)) a->failed = true;
    cpb_span text = {name.data, name.size};
    if (!is_in(s, text) || !cpb_page_has(&s->page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_text(a, "is", s->model->graphs.items[i].kind == CPB_ONNX_FUNCTION ? "function" : "subgraph");
    cpb_json_writer_span(a, "name", text);
    cpb_json_writer_close(a, '}');
  }
  cpb_buffer_free(&name);
}

void cpb_onnx_search(cpb_onnx_model *m) {
  search s = {.model = m, .text = cpb_onnx_name(m), .page = cpb_onnx_open_page(m, "found")};
  search_names(&s);
  for (uint32_t i = 0; i < m->graphs.count; i++) search_graph(&s, i);
  cpb_page_close(m->whole.answer, &s.page);
}
