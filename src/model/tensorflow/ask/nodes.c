/* Nodes of the graph or of a function; how often each operation is used. */
#include "model/tensorflow/ask/nodes.h"

#include <stdlib.h>

#include "model/common/uses.h"
#include "model/tensorflow/attributes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/functions.h"
#include "model/tensorflow/nodes.h"
#include "model/tensorflow/ops.h"
#include "model/tensorflow/outputs.h"
#include "model/tensorflow/tensors.h"

/* --- Nodes --------------------------------------------------------------------------- */

static void write_inputs(cpb_json_writer *a, const char *key, cpb_span node, bool controls) {
  cpb_cursor c = cpb_cursor_of(node);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    bool control;
    cpb_span name = cpb_node_of_input(c.bytes, &control);
    if (control == controls) cpb_json_writer_span(a, NULL, control ? name : c.bytes);
  }
  cpb_json_writer_close(a, ']');
}

void cpb_write_node(cpb_saved_model *m, cpb_span node) {
  cpb_json_writer *a = m->answer;
  cpb_span device = cpb_get_bytes(node, NODE_DEVICE);
  cpb_json_writer_span(a, "name", cpb_get_bytes(node, NODE_NAME));
  cpb_json_writer_span(a, "op", cpb_get_bytes(node, NODE_OP));
  if (device.size > 0) cpb_json_writer_span(a, "device", device);
  write_inputs(a, "inputs", node, false);
  write_inputs(a, "control_inputs", node, true);
  cpb_write_outputs(a, &m->graph_part, &m->graph, node);
  cpb_write_attrs(a, "attributes", &m->graph_part, node, NODE_ATTR);
}

static void note_damage(cpb_saved_model *m, const cpb_cursor *c, cpb_span of) {
  if (c->damaged && m->graph_part.damage.code == CPB_OK)
    cpb_problems_add_damage(&m->problems, cpb_part_where(&m->graph_part, of).offset,
                            "a graph cannot be parsed to its end");
}

void cpb_ask_nodes(cpb_saved_model *m) {
  uint32_t function, number;
  if (!cpb_saved_function(m, &function)) return;
  cpb_write_function_name(m, function);
  cpb_page page = cpb_saved_open_page(m, "nodes");
  cpb_cursor c = cpb_graph_nodes(&m->graph, function, &number);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    bool wanted = m->question.scope_size == 0 || cpb_span_begins(cpb_get_bytes(c.bytes, NODE_NAME), cpb_saved_scope(m));
    if (!wanted || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->answer, NULL, '{');
    cpb_write_node(m, c.bytes);
    cpb_json_writer_close(m->answer, '}');
  }
  cpb_page_close(m->answer, &page);
  if (function != CPB_MAIN_GRAPH) note_damage(m, &c, m->graph.functions[function].message);
}

/* --- Operations ----------------------------------------------------------------------------- */

typedef struct op_uses {
  cpb_saved_model *model;
  cpb_uses list;
} op_uses;

static bool add_use(void *user, cpb_span node, uint32_t function) {
  static const cpb_span no_domain = {NULL, 0};
  op_uses *uses = user;
  return cpb_uses_add(&uses->list, no_domain, cpb_get_bytes(node, NODE_OP), function == CPB_MAIN_GRAPH) ||
         cpb_saved_fail_memory(uses->model);
}

static const char *origin_of(const cpb_saved_model *m, cpb_span op) {
  if (cpb_graph_find(&m->graph, op) != CPB_NO_NAME) return "library";
  return cpb_is_tensorflow_op(op) ? "tensorflow" : "custom";
}

static void write_use(cpb_saved_model *m, const cpb_use *u) {
  cpb_json_writer_open(m->answer, NULL, '{');
  cpb_json_writer_span(m->answer, "op", u->op);
  cpb_json_writer_unsigned(m->answer, "count", u->graph + u->functions);
  cpb_json_writer_unsigned(m->answer, "in_graph", u->graph);
  cpb_json_writer_unsigned(m->answer, "in_functions", u->functions);
  cpb_json_writer_text(m->answer, "from", origin_of(m, u->op));
  cpb_json_writer_close(m->answer, '}');
}

/* These are looked for however rare they are: not only on the page. */
static void write_custom(cpb_saved_model *m, const cpb_uses *list) {
  uint64_t shown = 0;
  cpb_json_writer_open(m->answer, "custom", '[');
  for (size_t i = 0; i < list->count && shown < m->question.count; i++) {
    if (strcmp(origin_of(m, list->items[i].op), "custom") != 0) continue;
    cpb_json_writer_span(m->answer, NULL, list->items[i].op);
    shown++;
  }
  cpb_json_writer_close(m->answer, ']');
}

static uint64_t count_function_nodes(const cpb_graph *g) {
  uint64_t total = 0;
  for (size_t i = 0; i < g->num_functions; i++) total += g->functions[i].nodes;
  return total;
}

static void write_uses(cpb_saved_model *m, cpb_uses *list) {
  cpb_uses_join(list);
  cpb_page page = cpb_saved_open_page(m, "ops");
  for (size_t i = 0; i < list->count; i++) {
    if (cpb_page_has(&page)) write_use(m, &list->items[i]);
  }
  cpb_page_close(m->answer, &page);
  write_custom(m, list);
}

/* Of the one function that is named, or of all there is. */
void cpb_ask_ops(cpb_saved_model *m) {
  uint32_t function;
  op_uses uses = {.model = m};
  if (!cpb_saved_function(m, &function)) return;
  cpb_uses_init(&uses.list, &m->allocator);
  cpb_json_writer_unsigned(m->answer, "nodes", m->graph.nodes);
  cpb_json_writer_unsigned(m->answer, "functions", m->graph.num_functions);
  cpb_json_writer_unsigned(m->answer, "function_nodes", count_function_nodes(&m->graph));
  bool seen = function == CPB_MAIN_GRAPH ? cpb_graph_each_node(&m->graph, add_use, &uses)
                                         : cpb_graph_each_node_of(&m->graph, function, add_use, &uses);
  if (seen) write_uses(m, &uses.list);
  cpb_uses_free(&uses.list);
}
