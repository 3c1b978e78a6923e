#include "model/coreml/ask/consumers.h"

#include "model/common/names.h"
#include "model/coreml/nodes.h"

typedef struct consumers {
  cpb_coreml_model *model;
  uint32_t graph;
  cpb_span name;   /* what is taken */
  cpb_names taken; /* its values: numbers of the outputs */
  cpb_page page;
} consumers;

/* --- What is taken ------------------------------------------------------------------------- */

static bool has_value(cpb_coreml_values values, cpb_span name) {
  cpb_coreml_value value;
  while (cpb_coreml_values_next(&values, &value)) {
    if (cpb_span_equal(value.name, name)) return true;
  }
  return false;
}

static bool take_outputs(consumers *s, const cpb_coreml_graph *g, cpb_span node) {
  uint32_t number = 0;
  cpb_coreml_value value;
  cpb_coreml_values outputs = cpb_coreml_outputs(g, node);
  for (; cpb_coreml_values_next(&outputs, &value); number++) {
    if (value.name.size > 0 && !cpb_names_add(&s->taken, value.name, number))
      return cpb_whole_fail_memory(&s->model->whole);
  }
  cpb_names_sort(&s->taken);
  return true;
}

/* A node of that name, which `nodes` is at then; else a value. */
static bool find_node(const consumers *s, cpb_coreml_nodes *nodes, cpb_coreml_node *node) {
  while (cpb_coreml_nodes_next(nodes, node)) {
    if (cpb_span_equal(node->name, s->name)) return true;
  }
  return false;
}

static bool find_value(consumers *s, const cpb_coreml_graph *g) {
  cpb_coreml_node node;
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(g);
  bool found = has_value(cpb_coreml_graph_inputs(g), s->name);
  while (!found && cpb_coreml_nodes_next(&nodes, &node))
    found = has_value(cpb_coreml_outputs(g, node.message), s->name);
  if (!found || s->name.size == 0) return cpb_whole_not_found(&s->model->whole, "node or value", s->name);
  return cpb_names_add(&s->taken, s->name, 0) || cpb_whole_fail_memory(&s->model->whole);
}

/* --- Who takes it ---------------------------------------------------------------------------- */

/* Blocks and networks within nodes take values of the graphs around them by name; models of a pipeline do not. */
static bool is_within(const consumers *s, uint32_t graph) {
  const cpb_coreml_graph *items = s->model->graphs.items;
  while (graph != s->graph && items[graph].is_within && !items[graph].model.data) graph = items[graph].parent;
  return graph == s->graph;
}

static void write_input(const consumers *s, uint64_t number, cpb_span value) {
  cpb_json_writer *a = s->model->whole.answer;
  uint32_t index = value.data ? cpb_names_find(&s->taken, value) : CPB_NO_NAME;
  if (index == CPB_NO_NAME) return;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "input", number);
  cpb_json_writer_span(a, "output", value);
  cpb_json_writer_unsigned(a, "index", index);
  cpb_json_writer_close(a, '}');
}

static bool takes(const consumers *s, cpb_coreml_values values) {
  cpb_coreml_value value;
  while (cpb_coreml_values_next(&values, &value)) {
    if (value.name.data && cpb_names_find(&s->taken, value.name) != CPB_NO_NAME) return true;
  }
  return false;
}

static void open(const consumers *s, const char *is, cpb_span name, uint32_t graph, cpb_span op) {
  cpb_json_writer *a = s->model->whole.answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", is);
  cpb_json_writer_span(a, "name", name);
  cpb_coreml_write_graph_name(s->model, "function", graph);
  if (op.data) cpb_json_writer_span(a, "op", op);
  else cpb_json_writer_null(a, "op");
  cpb_json_writer_open(a, "inputs", '[');
}

static void close(const consumers *s) {
  cpb_json_writer *a = s->model->whole.answer;
  cpb_json_writer_close(a, ']');
  cpb_json_writer_bool(a, "control", false);
  cpb_json_writer_close(a, '}');
}

/* Inputs are numbered as the node's names of values are. */
static void write_node(const consumers *s, const cpb_coreml_graph *g, const cpb_coreml_node *node, uint32_t graph) {
  uint64_t input = 0;
  cpb_coreml_value value;
  cpb_coreml_values inputs = cpb_coreml_inputs(g, node->message);
  open(s, "node", node->name, graph, node->op);
  while (cpb_coreml_values_next(&inputs, &value)) {
    if (value.name.data) write_input(s, input++, value.name);
  }
  close(s);
}

static void write_graph(consumers *s, uint32_t graph) {
  const cpb_coreml_graph *g = &s->model->graphs.items[graph];
  cpb_coreml_node node;
  cpb_coreml_value value;
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(g);
  cpb_coreml_values results = cpb_coreml_graph_outputs(g);
  while (cpb_coreml_nodes_next(&nodes, &node)) {
    if (takes(s, cpb_coreml_inputs(g, node.message)) && cpb_page_has(&s->page)) write_node(s, g, &node, graph);
  }
  for (uint64_t i = 0; cpb_coreml_values_next(&results, &value); i++) {
    if (cpb_names_find(&s->taken, value.name) == CPB_NO_NAME || !cpb_page_has(&s->page)) continue;
    open(s, "return", value.name, graph, (cpb_span){NULL, 0});
    write_input(s, i, value.name);
    close(s);
  }
}

/* --- The answer --------------------------------------------------------------------------------- */

static void write_answer(consumers *s, const cpb_coreml_node *node) {
  cpb_json_writer *a = s->model->whole.answer;
  cpb_coreml_write_graph_name(s->model, "function", s->graph);
  cpb_json_writer_span(a, "node", s->name);
  if (node) cpb_json_writer_span(a, "op", node->op);
  else cpb_json_writer_null(a, "op");
  s->page = cpb_coreml_open_page(s->model, "consumers");
  for (uint32_t i = 0; i < s->model->graphs.count; i++) {
    if (is_within(s, i)) write_graph(s, i);
  }
  cpb_page_close(a, &s->page);
}

void cpb_coreml_ask_consumers(cpb_coreml_model *m) {
  cpb_coreml_node node;
  consumers s = {.model = m, .name = cpb_coreml_name(m)};
  if (!cpb_coreml_graph_named(m, cpb_coreml_scope(m), &s.graph)) return;
  const cpb_coreml_graph *g = &m->graphs.items[s.graph];
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(g);
  cpb_names_init(&s.taken, &m->whole.allocator);
  const bool is_node = find_node(&s, &nodes, &node);
  if (is_node ? take_outputs(&s, g, node.message) : find_value(&s, g)) write_answer(&s, is_node ? &node : NULL);
  cpb_names_free(&s.taken);
}
