#include "model/questions/questions.h"
#include "model/view/view.h"

/* A page decides only what is written. All nodes are walked in any case, since the answer has their number. `inputs`
 * and `parameters` leave out absent inputs in the same way, so the n-th elements of the two lists belong together. */

/* The names of the inputs; if known, also the parameters that they are bound to. */
static void write_inputs(cpb_viewed *m, uint32_t graph, const cpb_view_node *node) {
  cpb_view_value value;
  cpb_json_writer *a = m->answer;
  const cpb_view_graph *g = cpb_view_graph_of(&m->view, graph);
  cpb_view_values values = m->view.kind->values(&m->view, g, node, false);
  cpb_json_writer_open(a, "inputs", '[');
  while (cpb_view_values_next(&values, &value))
    if (value.name.data) cpb_json_writer_span(a, NULL, value.name);
  cpb_json_writer_close(a, ']');
  if (!m->view.kind->roles || !m->view.kind->roles(&m->view, g, node, &values)) return;
  cpb_json_writer_open(a, "parameters", '[');
  while (cpb_view_values_next(&values, &value))
    if (value.name.data) cpb_json_writer_span(a, NULL, value.role);
  cpb_json_writer_close(a, ']');
}

static void write_controls(cpb_viewed *m, uint32_t graph, const cpb_view_node *node) {
  cpb_view_value value;
  cpb_json_writer *a = m->answer;
  const cpb_view_kind *kind = m->view.kind;
  if (!kind->controls) return;
  cpb_view_values controls = kind->controls(&m->view, cpb_view_graph_of(&m->view, graph), node);
  cpb_json_writer_open(a, "control_inputs", '[');
  while (cpb_view_values_next(&controls, &value)) cpb_json_writer_span(a, NULL, value.name);
  cpb_json_writer_close(a, ']');
}

static void write_outputs(cpb_viewed *m, uint32_t graph, const cpb_view_types *types, const cpb_view_node *node) {
  cpb_view_value value;
  cpb_view_values values = m->view.kind->values(&m->view, cpb_view_graph_of(&m->view, graph), node, true);
  cpb_json_writer_open(m->answer, "outputs", '[');
  while (cpb_view_values_next(&values, &value)) cpb_view_write_value(m->answer, &m->view, types, &value);
  cpb_json_writer_close(m->answer, ']');
}

/* The function that is its operation: functions in attributes are listed separately. */
static bool write_call(void *user, cpb_span attribute, uint32_t graph) {
  if (!attribute.data) cpb_viewed_write_graph_name(user, "calls", graph);
  return !attribute.data;
}

void cpb_viewed_write_node(cpb_viewed *m, uint32_t graph, const cpb_view_types *types, const cpb_view_node *node) {
  cpb_json_writer *a = m->answer;
  const cpb_view_kind *kind = m->view.kind;
  cpb_json_writer_span(a, "name", node->name);
  cpb_json_writer_span(a, "op", node->op);
  if (kind->version && node->domain.size > 0) cpb_json_writer_span(a, "domain", node->domain);
  write_inputs(m, graph, node);
  write_controls(m, graph, node);
  write_outputs(m, graph, types, node);
  kind->write_node(a, &m->view, graph, node);
  if (kind->each_callee) kind->each_callee(&m->view, node, write_call, m);
}

static void write_nodes(cpb_viewed *m, uint32_t graph, const cpb_view_types *types) {
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(&m->view, graph);
  cpb_page page = cpb_viewed_page(m, "nodes");
  while (cpb_view_nodes_next(&nodes, &node)) {
    const bool is_wanted = m->question.scope_size == 0 || cpb_span_begins(node.name, cpb_viewed_scope(m));
    if (!is_wanted || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->answer, NULL, '{');
    cpb_viewed_write_node(m, graph, types, &node);
    cpb_json_writer_close(m->answer, '}');
  }
  cpb_page_close(m->answer, &page);
  if (nodes.cursor.damaged && !m->damage)
    cpb_problems_add_damage(&m->problems, cpb_part_where(m->view.part, nodes.graph->message).offset,
                            "a graph cannot be parsed to its end");
}

void cpb_question_nodes(cpb_viewed *m) {
  uint32_t graph;
  cpb_view_types types;
  if (!cpb_viewed_graph(m, cpb_viewed_name(m), &graph)) return;
  cpb_viewed_write_graph_name(m, "function", graph);
  if (cpb_view_types_build(&types, &m->allocator, &m->view, graph)) write_nodes(m, graph, &types);
  else cpb_viewed_fail_memory(m);
  cpb_view_types_free(&types);
}
