#include "model/onnx/ask/consumers.h"

#include "model/common/names.h"

typedef struct consumers {
  cpb_onnx_model *model;
  uint32_t graph;
  cpb_span name;   /* what is taken */
  cpb_names taken; /* its values: numbers of the outputs */
  cpb_page page;
} consumers;

/* --- What is taken ------------------------------------------------------------------------- */

static bool take_outputs(consumers *s, cpb_span node) {
  uint32_t number = 0;
  cpb_cursor c = cpb_cursor_of(node);
  for (; cpb_cursor_find(&c, NODE_OUTPUT, CPB_WIRE_LEN); number++) {
    if (c.bytes.size > 0 && !cpb_names_add(&s->taken, c.bytes, number)) return cpb_whole_fail_memory(&s->model->whole);
  }
  cpb_names_sort(&s->taken);
  return true;
}

/* The node of that name, with its operation. */
static bool find_node(consumers *s, cpb_span *node) {
  char label[CPB_ONNX_NUMBER];
  const cpb_onnx_graph *g = &s->model->graphs.items[s->graph];
  cpb_cursor c = cpb_cursor_of(g->message);
  for (uint64_t i = 0; cpb_cursor_find(&c, cpb_onnx_node_field(g), CPB_WIRE_LEN); i++) {
    *node = c.bytes;
    if (cpb_span_equal(cpb_onnx_node_label(cpb_get_bytes(c.bytes, NODE_NAME), i, label), s->name)) return true;
  }
  return false;
}

static bool makes(const consumers *s, cpb_span node) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_OUTPUT, CPB_WIRE_LEN)) {
    if (cpb_span_equal(c.bytes, s->name)) return true;
  }
  return false;
}

/* Whether a field of the graph gives the value: a node, an input, an initializer. */
static bool gives(const consumers *s, const cpb_onnx_graph *g, const cpb_cursor *c) {
  if (c->number == cpb_onnx_node_field(g)) return makes(s, c->bytes);
  if (g->kind == CPB_ONNX_FUNCTION) return c->number == FUNCTION_INPUT && cpb_span_equal(c->bytes, s->name);
  switch (c->number) {
    case GRAPH_INPUT: return cpb_span_equal(cpb_get_bytes(c->bytes, VALUE_INFO_NAME), s->name);
    case GRAPH_INITIALIZER: return cpb_span_equal(cpb_get_bytes(c->bytes, TENSOR_NAME), s->name);
    case GRAPH_SPARSE_INITIALIZER:
      return cpb_span_equal(cpb_get_bytes(cpb_get_bytes(c->bytes, SPARSE_VALUES), TENSOR_NAME), s->name);
    default: return false;
  }
}

static bool find_value(consumers *s) {
  const cpb_onnx_graph *g = &s->model->graphs.items[s->graph];
  cpb_cursor c = cpb_cursor_of(g->message);
  while (s->name.size > 0 && cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || !gives(s, g, &c)) continue;
    return cpb_names_add(&s->taken, s->name, 0) || cpb_whole_fail_memory(&s->model->whole);
  }
  return cpb_whole_not_found(&s->model->whole, "node or value", s->name);
}

/* --- Who takes it ---------------------------------------------------------------------------- */

/* Subgraphs take values of the graphs around them by name. */
static bool is_within(const consumers *s, uint32_t graph) {
  const cpb_onnx_graphs *g = &s->model->graphs;
  while (graph != s->graph && g->items[graph].kind == CPB_ONNX_SUBGRAPH) graph = g->items[graph].parent;
  return graph == s->graph;
}

static bool takes(const consumers *s, cpb_span node) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    if (cpb_names_find(&s->taken, c.bytes) != CPB_NO_NAME) return true;
  }
  return false;
}

static void write_input(const consumers *s, uint64_t number, cpb_span value) {
  cpb_json_writer *a = s->model->whole.answer;
  uint32_t index = cpb_names_find(&s->taken, value);
  if (index == CPB_NO_NAME) return;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "input", number);
  cpb_json_writer_span(a, "output", value);
  cpb_json_writer_unsigned(a, "index", index);
  cpb_json_writer_close(a, '}');
}

static void open(const consumers *s, const char *is, cpb_span name, uint32_t graph) {
  cpb_json_writer *a = s->model->whole.answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", is);
  cpb_json_writer_span(a, "name", name);
  cpb_onnx_write_graph_name(s->model, "function", graph);
}

static void write_node(const consumers *s, cpb_span node, uint64_t number, uint32_t graph) {
  char label[CPB_ONNX_NUMBER];
  cpb_json_writer *a = s->model->whole.answer;
  uint64_t input = 0;
  cpb_cursor c = cpb_cursor_of(node);
  open(s, "node", cpb_onnx_node_label(cpb_get_bytes(node, NODE_NAME), number, label), graph);
  cpb_json_writer_span(a, "op", cpb_get_bytes(node, NODE_OP));
  cpb_json_writer_open(a, "inputs", '[');
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) write_input(s, input++, c.bytes);
  cpb_json_writer_close(a, ']');
  cpb_json_writer_bool(a, "control", false);
  cpb_json_writer_close(a, '}');
}

/* A value that the graph returns. */
static void write_return(consumers *s, cpb_span value, uint64_t number, uint32_t graph) {
  cpb_json_writer *a = s->model->whole.answer;
  if (cpb_names_find(&s->taken, value) == CPB_NO_NAME || !cpb_page_has(&s->page)) return;
  open(s, "return", value, graph);
  cpb_json_writer_null(a, "op");
  cpb_json_writer_open(a, "inputs", '[');
  write_input(s, number, value);
  cpb_json_writer_close(a, ']');
  cpb_json_writer_bool(a, "control", false);
  cpb_json_writer_close(a, '}');
}

static void write_graph(consumers *s, uint32_t graph) {
  uint64_t number = 0, result = 0;
  const cpb_onnx_graph *g = &s->model->graphs.items[graph];
  const bool is_function = g->kind == CPB_ONNX_FUNCTION;
  cpb_cursor c = cpb_cursor_of(g->message);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == cpb_onnx_node_field(g)) {
      if (takes(s, c.bytes) && cpb_page_has(&s->page)) write_node(s, c.bytes, number, graph);
      number++;
    } else if (c.number == (is_function ? FUNCTION_OUTPUT : GRAPH_OUTPUT)) {
      write_return(s, is_function ? c.bytes : cpb_get_bytes(c.bytes, VALUE_INFO_NAME), result++, graph);
    }
  }
}

/* --- The answer --------------------------------------------------------------------------------- */

static void write_answer(consumers *s, cpb_span node, bool is_node) {
  cpb_json_writer *a = s->model->whole.answer;
  cpb_onnx_write_graph_name(s->model, "function", s->graph);
  cpb_json_writer_span(a, "node", s->name);
  if (is_node) cpb_json_writer_span(a, "op", cpb_get_bytes(node, NODE_OP));
  else cpb_json_writer_null(a, "op");
  s->page = cpb_onnx_open_page(s->model, "consumers");
  for (uint32_t i = 0; i < s->model->graphs.count; i++) {
    if (is_within(s, i)) write_graph(s, i);
  }
  cpb_page_close(a, &s->page);
}

void cpb_onnx_consumers(cpb_onnx_model *m) {
  cpb_span node = {NULL, 0};
  consumers s = {.model = m, .name = cpb_onnx_name(m)};
  if (!cpb_onnx_graph_named(m, cpb_onnx_scope(m), &s.graph)) return;
  cpb_names_init(&s.taken, &m->whole.allocator);
  bool is_node = find_node(&s, &node);
  if (is_node ? take_outputs(&s, node) : find_value(&s)) write_answer(&s, node, is_node);
  cpb_names_free(&s.taken);
}
