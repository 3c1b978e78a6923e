#include "model/questions/questions.h"
#include "model/view/view.h"

static const char *role_name(cpb_graph_role role) {
  static const char *const names[CPB_NUM_GRAPH_ROLES] = {"graph", "function", "subgraph", "model", "training"};
  return names[role];
}

/* --- The list ---------------------------------------------------------------------------------- */

/* The main graph, number 0, is not listed: it has no name, and questions without a name mean it. Inputs and outputs
 * are counted by walking them, since a view keeps no lists. */

static uint64_t count_values(cpb_view_values values) {
  uint64_t count = 0;
  cpb_view_value value;
  while (cpb_view_values_next(&values, &value)) count++;
  return count;
}

static void write_item(cpb_viewed *m, uint32_t graph) {
  size_t calls, callers;
  cpb_json_writer *a = m->answer;
  const cpb_view_graph *g = cpb_view_graph_of(&m->view, graph);
  cpb_calls_by(&m->view.graphs.calls, graph, &calls);
  cpb_calls_of(&m->view.graphs.calls, graph, &callers);
  cpb_json_writer_open(a, NULL, '{');
  cpb_viewed_write_graph_name(m, "name", graph);
  cpb_json_writer_text(a, "is", role_name(g->role));
  if (g->domain.size > 0) cpb_json_writer_span(a, "domain", g->domain);
  if (g->is_within) {
    char spare[CPB_VIEW_SPARE];
    cpb_viewed_write_graph_name(m, "within", g->parent);
    cpb_json_writer_span(a, "node", cpb_view_label(g->node_name, g->node_number, spare));
  }
  cpb_json_writer_unsigned(a, "inputs", count_values(m->view.kind->values(&m->view, g, NULL, false)));
  cpb_json_writer_unsigned(a, "outputs", count_values(m->view.kind->values(&m->view, g, NULL, true)));
  cpb_json_writer_unsigned(a, "nodes", g->nodes);
  cpb_json_writer_unsigned(a, "calls", calls);
  cpb_json_writer_unsigned(a, "called_by", callers);
  if (m->view.kind->write_listed) m->view.kind->write_listed(a, &m->view, graph);
  cpb_json_writer_close(a, '}');
}

/* Whether its name begins with the scope. */
static bool is_wanted(cpb_viewed *m, uint32_t graph) {
  cpb_buffer name;
  cpb_buffer_init(&name, &m->allocator);
  if (m->question.scope_size == 0) return true;
  if (!cpb_view_graph_name(&m->view.graphs, graph, &name)) m->answer->failed = true;
  bool wanted = cpb_span_begins((cpb_span){name.data, name.size}, cpb_viewed_scope(m));
  cpb_buffer_free(&name);
  return wanted;
}

void cpb_question_functions(cpb_viewed *m) {
  cpb_page page = cpb_viewed_page(m, "functions");
  for (uint32_t i = 1; i < m->view.graphs.count; i++)
    if (is_wanted(m, i) && cpb_page_has(&page)) write_item(m, i);
  cpb_page_close(m->answer, &page);
}

/* --- One ----------------------------------------------------------------------------------------- */

static void write_values(cpb_viewed *m, const char *key, const cpb_view_types *types, cpb_view_values values) {
  cpb_view_value value;
  cpb_json_writer_open(m->answer, key, '[');
  while (cpb_view_values_next(&values, &value)) cpb_view_write_value(m->answer, &m->view, types, &value);
  cpb_json_writer_close(m->answer, ']');
}

/* Each with the value that it is, where that has another name. */
static void write_returns(cpb_viewed *m, const cpb_view_graph *g, const cpb_entries *returns) {
  cpb_view_value value;
  cpb_json_writer *a = m->answer;
  cpb_view_values outputs = m->view.kind->values(&m->view, g, NULL, true);
  cpb_json_writer_open(a, "outputs", '[');
  while (cpb_view_values_next(&outputs, &value)) {
    const cpb_span is = cpb_entries_find(returns, value.name);
    cpb_json_writer_open(a, NULL, '{');
    cpb_view_write_named(a, &m->view, NULL, &value);
    if (is.data) cpb_json_writer_span(a, "tensor", is);
    else cpb_json_writer_null(a, "tensor");
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static void write_control_returns(cpb_viewed *m, const cpb_entries *returns) {
  cpb_json_writer *a = m->answer;
  cpb_json_writer_open(a, "control_outputs", '[');
  for (size_t i = 0; i < returns->count; i++) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "name", returns->items[i].key);
    cpb_json_writer_span(a, "node", returns->items[i].value);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static void write_outputs(cpb_viewed *m, uint32_t graph, const cpb_view_types *types) {
  cpb_entries returns, controls;
  const cpb_view_kind *kind = m->view.kind;
  const cpb_view_graph *g = cpb_view_graph_of(&m->view, graph);
  if (!kind->returns) {
    write_values(m, "outputs", types, kind->values(&m->view, g, NULL, true));
    return;
  }
  if (!cpb_viewed_returns(m, g, &returns, &controls)) return;
  write_returns(m, g, &returns);
  write_control_returns(m, &controls);
  cpb_entries_free(&returns);
  cpb_entries_free(&controls);
}

void cpb_viewed_write_calls(cpb_viewed *m, const char *key, uint32_t graph, bool callers) {
  size_t count;
  const cpb_calls *all = &m->view.graphs.calls;
  const cpb_call *calls = callers ? cpb_calls_of(all, graph, &count) : cpb_calls_by(all, graph, &count);
  cpb_json_writer_open(m->answer, key, '[');
  for (size_t i = 0; i < count; i++) {
    cpb_json_writer_open(m->answer, NULL, '{');
    cpb_viewed_write_graph_name(m, "function", callers ? calls[i].caller : calls[i].callee);
    cpb_json_writer_unsigned(m->answer, "nodes", calls[i].count);
    cpb_json_writer_close(m->answer, '}');
  }
  cpb_json_writer_close(m->answer, ']');
}

static void write_function(cpb_viewed *m, uint32_t graph, const cpb_view_types *types) {
  cpb_json_writer *a = m->answer;
  const cpb_view_graph *g = cpb_view_graph_of(&m->view, graph);
  cpb_viewed_write_graph_name(m, "name", graph);
  cpb_json_writer_text(a, "is", role_name(g->role));
  if (m->view.kind->write_inputs) m->view.kind->write_inputs(a, &m->view, graph);
  else write_values(m, "inputs", types, m->view.kind->values(&m->view, g, NULL, false));
  write_outputs(m, graph, types);
  cpb_json_writer_unsigned(a, "nodes", g->nodes);
  m->view.kind->write_graph(a, &m->view, graph);
  cpb_viewed_write_calls(m, "calls", graph, false);
  cpb_viewed_write_calls(m, "called_by", graph, true);
}

void cpb_question_function(cpb_viewed *m) {
  uint32_t graph;
  cpb_view_types types;
  if (!cpb_viewed_graph(m, cpb_viewed_name(m), &graph)) return;
  if (cpb_view_types_build(&types, &m->allocator, &m->view, graph)) write_function(m, graph, &types);
  else cpb_viewed_fail_memory(m);
  cpb_view_types_free(&types);
}
