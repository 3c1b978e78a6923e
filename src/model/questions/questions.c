#include "model/questions/questions.h"

#include "base/status.h"

void cpb_viewed_init(cpb_viewed *m, const cpb_allocator *a, cpb_meter *meter, const cpb_view_kind *kind,
                     const cpb_part *part) {
  m->allocator = *a;
  m->meter = meter;
  m->view = (cpb_view){.kind = kind, .part = part};
  if (kind->operators) m->view.operators = kind->operators();
  cpb_view_graphs_init(&m->view.graphs, a);
  m->inventory.allocator = *a;
  cpb_problems_init(&m->problems, a);
}

void cpb_viewed_forget(cpb_viewed *m) {
  cpb_inventory_free(&m->inventory);
  cpb_view_graphs_free(&m->view.graphs);
  m->has_inventory = false;
}

/* --- For the questions ------------------------------------------------------------------ */

cpb_write_answer *cpb_question_find(cpb_question_kind kind) {
  switch (kind) {
    case CPB_ASK_FUNCTIONS: return cpb_question_functions;
    case CPB_ASK_FUNCTION: return cpb_question_function;
    case CPB_ASK_NODES: return cpb_question_nodes;
    case CPB_ASK_LAYERS: return cpb_question_layers;
    case CPB_ASK_CONSTANTS: return cpb_question_constants;
    case CPB_ASK_OPS: return cpb_question_ops;
    case CPB_ASK_SEARCH: return cpb_question_search;
    case CPB_ASK_SCOPES: return cpb_question_scopes;
    case CPB_ASK_CONSUMERS: return cpb_question_consumers;
    case CPB_ASK_NODE: return cpb_question_node;
    case CPB_ASK_UPSTREAM: return cpb_question_upstream;
    case CPB_ASK_DOWNSTREAM: return cpb_question_downstream;
    default: return NULL;
  }
}

bool cpb_viewed_graph(cpb_viewed *m, cpb_span name, uint32_t *graph) {
  *graph = 0;
  if (!name.data) return true;
  if (!cpb_view_graph_find(&m->view.graphs, name, m->meter, graph, m->error)) return false;
  return *graph != CPB_NO_GRAPH || cpb_viewed_not_found(m, "function or subgraph", name);
}

bool cpb_viewed_returns(cpb_viewed *m, const cpb_view_graph *g, cpb_entries *returns, cpb_entries *controls) {
  const bool has_some = m->view.kind->returns && g->role == CPB_GRAPH_FUNCTION;
  const cpb_span message = has_some ? g->message : (cpb_span){NULL, 0};
  if (!cpb_entries_read(returns, &m->allocator, message, m->view.kind->returns)) return cpb_viewed_fail_memory(m);
  if (cpb_entries_read(controls, &m->allocator, message, m->view.kind->control_returns)) return true;
  cpb_entries_free(returns);
  return cpb_viewed_fail_memory(m);
}

/* Built by the first question that needs it, and kept: the inventory walks all nodes, and many questions do without. */
const cpb_inventory *cpb_viewed_inventory(cpb_viewed *m) {
  if (m->has_inventory) return &m->inventory;
  m->has_inventory = cpb_inventory_build(&m->inventory, &m->allocator, &m->view, m->meter, m->error);
  if (!m->has_inventory) cpb_inventory_free(&m->inventory);
  return m->has_inventory ? &m->inventory : NULL;
}

void cpb_viewed_write_graph_name(cpb_viewed *m, const char *key, uint32_t graph) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->allocator);
  if (graph == 0) cpb_json_writer_null(m->answer, key);
  else if (cpb_view_graph_name(&m->view.graphs, graph, &text))
    cpb_json_writer_span(m->answer, key, (cpb_span){text.data, text.size});
  else m->answer->failed = true;
  cpb_buffer_free(&text);
}

void cpb_viewed_write_tensor_name(cpb_viewed *m, const char *key, const cpb_view_tensor *tensor) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->allocator);
  if (cpb_view_tensor_name(tensor, &text)) cpb_json_writer_span(m->answer, key, (cpb_span){text.data, text.size});
  else m->answer->failed = true;
  cpb_buffer_free(&text);
}

/* --- Errors ------------------------------------------------------------------------------- */

bool cpb_viewed_fail_memory(cpb_viewed *m) { return cpb_fail_memory(m->error), false; }

bool cpb_viewed_not_found(cpb_viewed *m, const char *what, cpb_span name) {
  char text[128];
  cpb_quote(text, sizeof text, name.data ? name.data : (const uint8_t *)"", name.size);
  return CPB_FAILS(m->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no %s \"%s\"%s%s", what, text,
                   m->damage ? " in what can be read of the model: " : "", m->damage ? m->damage->message : "");
}
