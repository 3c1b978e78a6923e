#include "model/tensorflow/ask/node.h"

#include "model/common/tensor/dtypes.h"
#include "model/tensorflow/ask/consumers.h"
#include "model/tensorflow/ask/nodes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/functions.h"
#include "model/tensorflow/nodes.h"
#include "model/tensorflow/outputs.h"

typedef struct search {
  cpb_saved_model *model;
  uint32_t function;
  cpb_nodes nodes;
  cpb_names arguments; /* of the function */
} search;

static cpb_cursor arguments_of(const search *s) {
  const cpb_graph *g = &s->model->graph;
  return cpb_cursor_of(s->function == CPB_MAIN_GRAPH ? (cpb_span){NULL, 0} : g->functions[s->function].signature);
}

/* False when memory is short. */
static bool build(search *s) {
  cpb_cursor c = arguments_of(s);
  cpb_names_init(&s->arguments, &s->model->allocator);
  if (!cpb_nodes_build_of(&s->nodes, &s->model->graph, s->function)) return false;
  for (uint32_t i = 0; cpb_cursor_find(&c, OP_INPUT, CPB_WIRE_LEN); i++) {
    if (!cpb_names_add(&s->arguments, cpb_get_bytes(c.bytes, ARG_NAME), i)) return false;
  }
  cpb_names_sort(&s->arguments);
  return true;
}

/* "node:1", or in a function "node:output:1". */
static void write_maker(const search *s, cpb_span node, cpb_span input, cpb_span name) {
  cpb_json_writer *a = s->model->answer;
  cpb_span rest = cpb_span_from(input, name.size);
  const uint64_t index = cpb_take_output_index(&rest);
  cpb_json_writer_text(a, "is", "node");
  cpb_json_writer_span(a, "name", name);
  cpb_json_writer_span(a, "op", cpb_get_bytes(node, NODE_OP));
  if (rest.size > 1) cpb_json_writer_span(a, "output", cpb_span_from(rest, 1));
  cpb_json_writer_unsigned(a, "index", index);
  cpb_write_output(a, &s->model->graph_part, &s->model->graph, node, index, rest.size > 1);
}

static void write_argument(const search *s, uint32_t number, cpb_span name) {
  cpb_json_writer *a = s->model->answer;
  cpb_cursor c = arguments_of(s);
  bool there = cpb_cursor_find(&c, OP_INPUT, CPB_WIRE_LEN);
  for (uint32_t i = 0; there && i < number; i++) there = cpb_cursor_find(&c, OP_INPUT, CPB_WIRE_LEN);
  const uint64_t type = there ? cpb_get_number(c.bytes, ARG_TYPE) : 0;
  cpb_json_writer_text(a, "is", "argument");
  cpb_json_writer_span(a, "name", name);
  if (type > 0) cpb_write_dtype(a, "dtype", type);
}

static void write_input(const search *s, cpb_span input, uint64_t number) {
  bool control;
  cpb_json_writer *a = s->model->answer;
  const cpb_span name = cpb_node_of_input(input, &control);
  const uint32_t node = cpb_names_find(&s->nodes.names, name), argument = cpb_names_find(&s->arguments, name);
  cpb_json_writer_open(a, NULL, '{');
  if (control) cpb_json_writer_bool(a, "control", true);
  else cpb_json_writer_unsigned(a, "input", number);
  cpb_json_writer_span(a, "value", control ? name : input);
  if (node != CPB_NO_NAME) write_maker(s, s->nodes.items[node], control ? name : input, name);
  else if (argument != CPB_NO_NAME) write_argument(s, argument, name);
  else cpb_json_writer_null(a, "is");
  cpb_json_writer_close(a, '}');
}

static void write_inputs(const search *s, cpb_span node) {
  cpb_cursor c = cpb_cursor_of(node);
  cpb_json_writer_open(s->model->answer, "from", '[');
  for (uint64_t i = 0; cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN);) {
    write_input(s, c.bytes, i);
    i += c.bytes.size == 0 || c.bytes.data[0] != '^';
  }
  cpb_json_writer_close(s->model->answer, ']');
}

static void write_answer(search *s) {
  cpb_saved_model *m = s->model;
  const uint32_t found = cpb_names_find(&s->nodes.names, cpb_saved_name(m));
  if (found == CPB_NO_NAME) {
    cpb_saved_not_found(m, "node", cpb_saved_name(m));
    return;
  }
  cpb_write_function_name(m, s->function);
  cpb_write_node(m, s->nodes.items[found]);
  write_inputs(s, s->nodes.items[found]);
  cpb_write_consumers(m, s->function, cpb_saved_name(m));
}

void cpb_ask_node(cpb_saved_model *m) {
  search s = {.model = m};
  if (!cpb_saved_function_named(m, cpb_saved_scope(m), &s.function)) return;
  if (build(&s)) write_answer(&s);
  else cpb_saved_fail_memory(m);
  cpb_nodes_free(&s.nodes);
  cpb_names_free(&s.arguments);
}
