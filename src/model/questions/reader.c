#include "model/questions/reader.h"

/* --- Creation ------------------------------------------------------------------------ */

void *cpb_viewed_create(const cpb_allocator *a, cpb_meter *meter, const cpb_viewed_kind *kind,
                        const cpb_model_options *options) {
  cpb_viewed *m = cpb_alloc_zeroed(a, sizeof *m);
  if (!m) return NULL;
  cpb_whole_init(&m->whole, a, meter, options);
  m->kind = kind;
  m->view = (cpb_view){.kind = kind->view, .part = &m->whole.part};
  cpb_view_graphs_init(&m->view.graphs, a);
  m->inventory.allocator = *a;
  cpb_problems_init(&m->graph_problems, a);
  if (!kind->create || (m->view.own = kind->create(m)) != NULL) return m;
  cpb_viewed_destroy(m);
  return NULL;
}

static void forget_graphs(cpb_viewed *m) {
  cpb_inventory_free(&m->inventory);
  cpb_view_graphs_free(&m->view.graphs);
  cpb_problems_free(&m->graph_problems);
  m->has_graphs = m->has_inventory = false;
}

static void forget(cpb_viewed *m) {
  forget_graphs(m);
  if (m->kind->forget && m->view.own) m->kind->forget(m);
  cpb_part_free(&m->whole.part);
}

void cpb_viewed_destroy(void *reader) {
  cpb_viewed *m = reader;
  cpb_allocator a = m->whole.allocator;
  forget(m);
  if (m->kind->destroy && m->view.own) m->kind->destroy(m);
  cpb_whole_free(&m->whole);
  cpb_release(&a, m);
}

/* --- Asking --------------------------------------------------------------------------- */

void cpb_viewed_ask(void *reader, const cpb_question *question) {
  cpb_viewed *m = reader;
  cpb_whole_ask(&m->whole, question);
  const bool anew = m->kind->prepare && m->kind->prepare(m, question);
  if (anew || !m->whole.part.read) forget(m);
}

cpb_input *cpb_viewed_input(void *reader) { return cpb_whole_input(&((cpb_viewed *)reader)->whole); }

void cpb_viewed_note_damage(void *reader, const char *message) {
  cpb_whole_note_damage(&((cpb_viewed *)reader)->whole, message);
}

bool cpb_viewed_answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return question == CPB_ASK_OVERVIEW || cpb_question_find(question) != NULL;
}

/* --- Steps ---------------------------------------------------------------------------- */

static bool build_graphs(cpb_viewed *m) {
  if (m->has_graphs) return true;
  m->has_graphs = m->kind->build(m);
  m->empty = m->has_graphs ? m->kind->empty(m) : NULL;
  if (!m->has_graphs) forget_graphs(m);
  return m->has_graphs;
}

static void write_problems(cpb_viewed *m) {
  cpb_problems damage;
  cpb_json_writer *a = m->whole.answer;
  cpb_problems_init(&damage, &m->whole.allocator);
  cpb_whole_add_damage(&m->whole, &damage, m->kind->missing, m->kind->lost_of);
  cpb_json_writer_open(a, "problems", '[');
  cpb_problems_write(&damage, a);
  cpb_problems_write(&m->graph_problems, a);
  cpb_problems_write(&m->whole.problems, a);
  cpb_json_writer_close(a, ']');
  cpb_problems_free(&damage);
}

static cpb_step write_answer(cpb_viewed *m) {
  cpb_json_writer *a = m->whole.answer;
  cpb_problems_free(&m->whole.problems);
  cpb_json_writer_begin(a);
  cpb_json_writer_open(a, NULL, '{');
  if (m->empty && m->whole.part.damage.code == CPB_OK) cpb_problems_add(&m->whole.problems, CPB_NO_OFFSET, m->empty);
  if (m->whole.question.kind == CPB_ASK_OVERVIEW) m->kind->write_overview(m);
  else cpb_question_find(m->whole.question.kind)(m);
  if (m->kind->write_end) m->kind->write_end(m);
  write_problems(m);
  cpb_json_writer_close(a, '}');
  return m->whole.error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

cpb_step cpb_viewed_step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  cpb_viewed *m = reader;
  cpb_step read = cpb_whole_read(&m->whole, m->kind->type, answer, error);
  if (read == CPB_STEP_DONE && m->kind->needs_more && m->kind->needs_more(m)) {
    forget(m);
    read = cpb_whole_read(&m->whole, m->kind->type, answer, error);
  }
  if (read != CPB_STEP_DONE) return read;
  return build_graphs(m) ? write_answer(m) : CPB_STEP_ERROR;
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
    default: return NULL;
  }
}

bool cpb_viewed_graph(cpb_viewed *m, cpb_span name, uint32_t *graph) {
  *graph = 0;
  if (!name.data) return true;
  if (!cpb_view_graph_find(&m->view.graphs, name, m->whole.meter, graph, m->whole.error)) return false;
  return *graph != CPB_NO_GRAPH || cpb_whole_not_found(&m->whole, "function or subgraph", name);
}

const cpb_inventory *cpb_viewed_inventory(cpb_viewed *m) {
  if (m->has_inventory) return &m->inventory;
  m->has_inventory = cpb_inventory_build(&m->inventory, &m->whole.allocator, &m->view, m->whole.meter, m->whole.error);
  if (!m->has_inventory) cpb_inventory_free(&m->inventory);
  return m->has_inventory ? &m->inventory : NULL;
}

void cpb_viewed_write_graph_name(cpb_viewed *m, const char *key, uint32_t graph) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->whole.allocator);
  if (graph == 0) cpb_json_writer_null(m->whole.answer, key);
  else if (cpb_view_graph_name(&m->view.graphs, graph, &text))
    cpb_json_writer_span(m->whole.answer, key, (cpb_span){text.data, text.size});
  else m->whole.answer->failed = true;
  cpb_buffer_free(&text);
}

void cpb_viewed_write_tensor_name(cpb_viewed *m, const char *key, const cpb_view_tensor *tensor) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->whole.allocator);
  if (cpb_view_tensor_name(tensor, &text)) cpb_json_writer_span(m->whole.answer, key, (cpb_span){text.data, text.size});
  else m->whole.answer->failed = true;
  cpb_buffer_free(&text);
}
