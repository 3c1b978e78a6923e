/* What takes a node of the graph or of a function, or an argument of one: other nodes, and
 * what the function returns. */
#include "model/tensorflow/ask/consumers.h"

#include "model/tensorflow/fields.h"
#include "model/tensorflow/functions.h"
#include "model/tensorflow/nodes.h"

typedef struct consumers {
  cpb_saved_model *model;
  cpb_span name; /* what is taken */
  uint32_t function;
  cpb_page page;
} consumers;

/* --- What is taken of it ----------------------------------------------------------------- */

/* Takes the ":1" from the end of what follows the node in "a:1" and "a:output:1". */
uint64_t cpb_take_output_index(cpb_span *rest) {
  uint64_t index = 0;
  size_t begin = rest->size;
  while (begin > 0 && rest->data[begin - 1] >= '0' && rest->data[begin - 1] <= '9') begin--;
  if (begin == 0 || rest->data[begin - 1] != ':') return 0;
  for (size_t i = begin; i < rest->size && index <= UINT32_MAX; i++) index = index * 10 + rest->data[i] - '0';
  rest->size = begin - 1;
  return index;
}

/* In functions outputs have names, and each may be several tensors. */
static void write_output(cpb_json_writer *a, cpb_span input, cpb_span node) {
  cpb_span rest = cpb_span_from(input, node.size);
  uint64_t index = cpb_take_output_index(&rest);
  if (rest.size > 1) cpb_json_writer_span(a, "output", cpb_span_from(rest, 1));
  else cpb_json_writer_null(a, "output");
  cpb_json_writer_unsigned(a, "index", index);
}

static void write_input(cpb_json_writer *a, uint64_t number, cpb_span input, cpb_span node) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "input", number);
  write_output(a, input, node);
  cpb_json_writer_close(a, '}');
}

/* --- Nodes ---------------------------------------------------------------------------------- */

static bool takes(const consumers *s, cpb_span node) {
  bool control;
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    if (cpb_span_equal(cpb_node_of_input(c.bytes, &control), s->name)) return true;
  }
  return false;
}

static void open_consumer(const consumers *s, const char *is, cpb_span name) {
  cpb_json_writer *a = s->model->answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", is);
  cpb_json_writer_span(a, "name", name);
}

static void close_consumer(const consumers *s, bool control) {
  cpb_json_writer_close(s->model->answer, ']');
  cpb_json_writer_bool(s->model->answer, "control", control);
  cpb_json_writer_close(s->model->answer, '}');
}

static void write_node(const consumers *s, cpb_span node) {
  uint64_t number = 0;
  bool by_control = false;
  cpb_cursor c = cpb_cursor_of(node);
  open_consumer(s, "node", cpb_get_bytes(node, NODE_NAME));
  cpb_json_writer_span(s->model->answer, "op", cpb_get_bytes(node, NODE_OP));
  cpb_json_writer_open(s->model->answer, "inputs", '[');
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    bool control;
    cpb_span from = cpb_node_of_input(c.bytes, &control);
    bool found = cpb_span_equal(from, s->name);
    if (found && !control) write_input(s->model->answer, number, c.bytes, from);
    by_control = by_control || (found && control);
    number += !control;
  }
  close_consumer(s, by_control);
}

static void write_nodes(consumers *s) {
  uint32_t number;
  cpb_cursor c = cpb_graph_nodes(&s->model->graph, s->function, &number);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    if (takes(s, c.bytes) && cpb_page_has(&s->page)) write_node(s, c.bytes);
  }
}

/* --- What a function returns ------------------------------------------------------------------ */

static void write_return(const consumers *s, cpb_span name, cpb_span tensor, bool control) {
  cpb_json_writer *a = s->model->answer;
  open_consumer(s, "return", name);
  cpb_json_writer_null(a, "op");
  cpb_json_writer_open(a, "inputs", '[');
  if (!control) write_input(a, 0, tensor, s->name);
  close_consumer(s, control);
}

/* The entries of a map from what is returned to what of the body it is. */
static void write_returns(consumers *s, uint32_t field, bool control) {
  bool ignored;
  cpb_entries entries;
  if (!cpb_saved_entries(s->model, s->model->graph.functions[s->function].message, field, &entries)) return;
  for (size_t i = 0; i < entries.count; i++) {
    cpb_span value = entries.items[i].value;
    bool found = cpb_span_equal(cpb_node_of_input(value, &ignored), s->name);
    if (found && cpb_page_has(&s->page)) write_return(s, entries.items[i].key, value, control);
  }
  cpb_entries_free(&entries);
}

/* --- The answer --------------------------------------------------------------------------------- */

/* Finds the node, and its operation; an argument of the function has none. */
static bool find(const consumers *s, cpb_span *op) {
  uint32_t number;
  const cpb_graph *g = &s->model->graph;
  cpb_cursor c = cpb_graph_nodes(g, s->function, &number);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    *op = cpb_get_bytes(c.bytes, NODE_OP);
    if (cpb_span_equal(cpb_get_bytes(c.bytes, NODE_NAME), s->name)) return true;
  }
  *op = (cpb_span){NULL, 0};
  c = cpb_cursor_of(s->function == CPB_MAIN_GRAPH ? (cpb_span){NULL, 0} : g->functions[s->function].signature);
  while (cpb_cursor_find(&c, OP_INPUT, CPB_WIRE_LEN)) {
    if (cpb_span_equal(cpb_get_bytes(c.bytes, ARG_NAME), s->name)) return true;
  }
  return cpb_saved_not_found(s->model, "node", s->name);
}

void cpb_write_consumers(cpb_saved_model *m, uint32_t function, cpb_span name) {
  consumers s = {.model = m, .name = name, .function = function};
  s.page = cpb_saved_open_page(m, "consumers");
  write_nodes(&s);
  if (s.function != CPB_MAIN_GRAPH) write_returns(&s, FUNCTION_RETURN, false);
  if (s.function != CPB_MAIN_GRAPH) write_returns(&s, FUNCTION_CONTROL_RETURN, true);
  cpb_page_close(m->answer, &s.page);
}

void cpb_ask_consumers(cpb_saved_model *m) {
  cpb_span op;
  consumers s = {.model = m, .name = cpb_saved_name(m)};
  if (!cpb_saved_function_named(m, cpb_saved_scope(m), &s.function) || !find(&s, &op)) return;
  cpb_write_function_name(m, s.function);
  cpb_json_writer_span(m->answer, "node", s.name);
  if (op.data) cpb_json_writer_span(m->answer, "op", op);
  else cpb_json_writer_null(m->answer, "op");
  cpb_write_consumers(m, s.function, s.name);
}
