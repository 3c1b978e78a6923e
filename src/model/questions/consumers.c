#include "model/common/lists.h"
#include "model/questions/questions.h"

/* The object of a question is a node or a value. If inputs name values, the node's outputs are put into `taken`, and
 * an input is looked up by its name. If inputs name nodes (`source` of the kind), the node's own name decides, and
 * `taken` is not used.
 *
 * All nodes of the graph are walked, and those of graphs within it, which see its values by name. Each page takes a
 * walk, because the view has no list of a value's takers. */

typedef struct consumers {
  cpb_viewed *model;
  uint32_t graph;
  cpb_span name;   /* the value in question */
  cpb_span maker;  /* the node that makes it, if that has a name: other nodes may wait for it */
  cpb_names taken; /* its outputs that are taken: their numbers */
  cpb_span member; /* the name is that of a tensor that only one node has, in this attribute */
  uint64_t holder; /* the number of that node, or CPB_NO_NODE */
  cpb_page page;
} consumers;

/* --- What is taken ------------------------------------------------------------------------- */

/* Lists the outputs of the node, unless consumers name the node instead. */
static bool take_outputs(consumers *s, const cpb_view_node *node) {
  s->maker = node->own_name;
  uint32_t number = 0;
  cpb_view_value value;
  cpb_view_values outputs =
      s->model->view.kind->values(&s->model->view, cpb_view_graph_of(&s->model->view, s->graph), node, true);
  for (; !s->model->view.kind->source && cpb_view_values_next(&outputs, &value); number++)
    if (value.name.size > 0 && !cpb_names_add(&s->taken, value.name, number)) return cpb_viewed_fail_memory(s->model);
  cpb_names_sort(&s->taken);
  return true;
}

/* The node with this name. */
static bool find_node(const consumers *s, cpb_view_nodes *nodes, cpb_view_node *node) {
  while (cpb_view_nodes_next(nodes, node))
    if (cpb_span_equal(node->name, s->name)) return true;
  return false;
}

static bool has_value(cpb_view_values values, cpb_span name) {
  cpb_view_value value;
  while (cpb_view_values_next(&values, &value))
    if (cpb_span_equal(value.name, name)) return true;
  return false;
}

/* Notes the node if the tensor is its own. */
static bool is_other(void *user, const cpb_view_tensor *t) {
  consumers *s = user;
  cpb_buffer name;
  if (t->value.size > 0) return !cpb_span_equal(t->value, s->name);
  cpb_buffer_init(&name, &s->model->allocator);
  if (!cpb_view_tensor_name(t, &name)) s->model->answer->failed = true;
  const bool is_it = t->of_node && cpb_span_equal((cpb_span){name.data, name.size}, s->name);
  if (is_it) s->holder = t->node_number, s->member = t->member;
  cpb_buffer_free(&name);
  return !is_it;
}

/* Looks for an input of the graph, an output of a node, or a tensor. */
static bool find_value(consumers *s) {
  const cpb_view *v = &s->model->view;
  const cpb_view_graph *g = cpb_view_graph_of(v, s->graph);
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, s->graph);
  bool found = s->name.size > 0 && has_value(v->kind->values(v, g, NULL, false), s->name);
  while (!found && !v->kind->source && s->name.size > 0 && cpb_view_nodes_next(&nodes, &node)) {
    found = has_value(v->kind->values(v, g, &node, true), s->name);
    if (found) s->maker = node.own_name;
  }
  if (!found && s->name.size > 0) found = !v->kind->each_tensor(v, s->graph, is_other, s);
  if (!found) return cpb_viewed_not_found(s->model, "node or value", s->name);
  return cpb_names_add(&s->taken, s->name, 0) || cpb_viewed_fail_memory(s->model);
}

/* --- Who takes it ---------------------------------------------------------------------------- */

/* A graph within a node may have a value of the same name, which hides the outer one. The answer lists its takers as
 * well: names, not scopes, are compared. */

/* Whether the value is an output of the node in question, and which one. */
static bool find_taken(const consumers *s, cpb_span value, cpb_view_source *what) {
  const cpb_view_kind *kind = s->model->view.kind;
  if (!value.data) return false;
  if (kind->source) {
    *what = kind->source(value);
    return cpb_span_equal(what->node, s->name);
  }
  const uint32_t index = cpb_names_find(&s->taken, value);
  *what = (cpb_view_source){.output = value, .index = index};
  return index != CPB_NO_NAME;
}

static void write_input(const consumers *s, uint64_t number, cpb_span value) {
  cpb_json_writer *a = s->model->answer;
  cpb_view_source what;
  if (!find_taken(s, value, &what)) return;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "input", number);
  if (what.output.data) cpb_json_writer_span(a, "output", what.output);
  else cpb_json_writer_null(a, "output");
  cpb_json_writer_unsigned(a, "index", what.index);
  cpb_json_writer_close(a, '}');
}

/* The first value that the node takes; empty: none. */
static cpb_span first_taken(const consumers *s, cpb_view_values values) {
  cpb_view_value value;
  cpb_view_source what;
  while (cpb_view_values_next(&values, &value))
    if (find_taken(s, value.name, &what)) return value.name;
  return (cpb_span){NULL, 0};
}

/* Whether the node waits for the object of the question, or for its maker. */
static bool waits(const consumers *s, const cpb_view_graph *g, const cpb_view_node *node) {
  const cpb_view *v = &s->model->view;
  cpb_view_value value;
  if (!v->kind->controls) return false;
  cpb_view_values controls = v->kind->controls(v, g, node);
  while (cpb_view_values_next(&controls, &value)) {
    const cpb_span wanted = value.type.data || s->maker.size == 0 ? s->name : s->maker;
    if (cpb_span_equal(value.name, wanted)) return true;
  }
  return false;
}

static void open(const consumers *s, const char *is, cpb_span name, uint32_t graph, cpb_span op) {
  cpb_json_writer *a = s->model->answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", is);
  cpb_json_writer_span(a, "name", name);
  cpb_viewed_write_graph_name(s->model, "function", graph);
  if (op.data) cpb_json_writer_span(a, "op", op);
  else cpb_json_writer_null(a, "op");
  cpb_json_writer_open(a, "inputs", '[');
}

/* The graph of the question has it, and the node is its holder. */
static bool holds(const consumers *s, const cpb_view_node *node, uint32_t graph) {
  return node->number == s->holder && graph == s->graph;
}

static void write_quantized(const consumers *s, const cpb_view_graph *g, const cpb_view_node *node) {
  const cpb_view *v = &s->model->view;
  if (!v->kind->write_quantized) return;
  const cpb_span value = first_taken(s, v->kind->values(v, g, node, false));
  v->kind->write_quantized(s->model->answer, v, g, node, value, s->member);
}

static void close(const consumers *s, bool control) {
  cpb_json_writer *a = s->model->answer;
  cpb_json_writer_bool(a, "control", control);
  cpb_json_writer_close(a, '}');
}

/* Inputs have the same numbers as in the node's own list. */
static void write_node(const consumers *s, const cpb_view_graph *g, const cpb_view_node *node, uint32_t graph) {
  uint64_t input = 0;
  cpb_view_value value;
  cpb_view_values inputs = s->model->view.kind->values(&s->model->view, g, node, false);
  open(s, "node", node->name, graph, node->op);
  while (cpb_view_values_next(&inputs, &value))
    if (value.name.data) write_input(s, input++, value.name);
  cpb_json_writer_close(s->model->answer, ']');
  write_quantized(s, g, node);
  close(s, waits(s, g, node));
}

static void write_result(consumers *s, uint32_t graph, uint64_t number, cpb_span name, cpb_span value) {
  cpb_view_source what;
  if (!find_taken(s, value, &what) || !cpb_page_has(&s->page)) return;
  open(s, "return", name, graph, (cpb_span){NULL, 0});
  write_input(s, number, value);
  cpb_json_writer_close(s->model->answer, ']');
  close(s, false);
}

static void write_results(consumers *s, uint32_t graph) {
  cpb_entries returns, controls;
  cpb_view_value value;
  const cpb_view *v = &s->model->view;
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  cpb_view_values results = v->kind->values(v, g, NULL, true);
  if (!cpb_viewed_returns(s->model, g, &returns, &controls)) return;
  for (uint64_t i = 0; cpb_view_values_next(&results, &value); i++)
    write_result(s, graph, i, value.name,
                 v->kind->returns ? cpb_entries_find(&returns, value.name) : cpb_view_source_of(&value));
  for (size_t i = 0; i < controls.count; i++) {
    if (!cpb_span_equal(controls.items[i].value, s->name) || !cpb_page_has(&s->page)) continue;
    open(s, "return", controls.items[i].key, graph, (cpb_span){NULL, 0});
    cpb_json_writer_close(s->model->answer, ']');
    close(s, true);
  }
  cpb_entries_free(&returns);
  cpb_entries_free(&controls);
}

static void write_graph(consumers *s, uint32_t graph) {
  const cpb_view *v = &s->model->view;
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  while (cpb_view_nodes_next(&nodes, &node)) {
    const bool takes = first_taken(s, v->kind->values(v, g, &node, false)).data != NULL;
    const bool is_one = takes || holds(s, &node, graph) || waits(s, g, &node);
    if (is_one && cpb_page_has(&s->page)) write_node(s, g, &node, graph);
  }
  write_results(s, graph);
}

/* --- The answer --------------------------------------------------------------------------------- */

static void write_list(consumers *s) {
  const cpb_view_graphs *g = &s->model->view.graphs;
  s->page = cpb_viewed_page(s->model, "consumers");
  for (uint32_t i = 0; i < g->count; i++)
    if (cpb_view_graph_sees(g, i, s->graph)) write_graph(s, i);
  cpb_page_close(s->model->answer, &s->page);
}

static void write_answer(consumers *s, const cpb_view_node *node) {
  cpb_json_writer *a = s->model->answer;
  cpb_viewed_write_graph_name(s->model, "function", s->graph);
  cpb_json_writer_span(a, "node", s->name);
  if (node) cpb_json_writer_span(a, "op", node->op);
  else cpb_json_writer_null(a, "op");
  write_list(s);
}

bool cpb_viewed_write_consumers(cpb_viewed *m, uint32_t graph, const cpb_view_node *node) {
  consumers s = {.model = m, .graph = graph, .name = node->name, .holder = CPB_NO_NODE};
  cpb_names_init(&s.taken, &m->allocator);
  const bool taken = take_outputs(&s, node);
  if (taken) write_list(&s);
  cpb_names_free(&s.taken);
  return taken;
}

void cpb_question_consumers(cpb_viewed *m) {
  cpb_view_node node;
  consumers s = {.model = m, .name = cpb_viewed_name(m), .holder = CPB_NO_NODE};
  if (!cpb_viewed_graph(m, cpb_viewed_scope(m), &s.graph)) return;
  cpb_view_nodes nodes = cpb_view_nodes_of(&m->view, s.graph);
  cpb_names_init(&s.taken, &m->allocator);
  const bool is_node = find_node(&s, &nodes, &node);
  if (is_node ? take_outputs(&s, &node) : find_value(&s)) write_answer(&s, is_node ? &node : NULL);
  cpb_names_free(&s.taken);
}
