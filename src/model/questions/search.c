#include "model/questions/questions.h"

typedef struct search {
  cpb_viewed *model;
  cpb_span text;
  cpb_page *page;
  uint32_t graph; /* the graph that is searched */
} search;

static bool is_in(const search *s, cpb_span name) { return cpb_span_contains(name, s->text); }

static void found(search *s, const char *is, cpb_span name, cpb_span op) {
  cpb_json_writer *a = s->model->answer;
  if (!cpb_page_has(s->page)) return;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", is);
  cpb_json_writer_span(a, "name", name);
  if (op.data) cpb_json_writer_span(a, "op", op);
  cpb_viewed_write_graph_name(s->model, "function", s->graph);
  cpb_json_writer_close(a, '}');
}

static void search_values(search *s, const char *is, cpb_view_values values) {
  cpb_view_value value;
  while (cpb_view_values_next(&values, &value))
    if (is_in(s, value.name)) found(s, is, value.name, (cpb_span){NULL, 0});
}

/* Skips tensors that are nodes, because their nodes were found already. */
static bool search_tensor(void *user, const cpb_view_tensor *t) {
  search *s = user;
  if (!t->of_node && is_in(s, t->value))
    found(s, cpb_view_tensor_place(&s->model->view, t), t->value, (cpb_span){NULL, 0});
  return true;
}

/* Where inputs name nodes, values have no names of their own, so the outputs of nodes are not searched. */
static void search_graph(search *s, uint32_t graph) {
  const cpb_view *v = &s->model->view;
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  s->graph = graph;
  search_values(s, "input", v->kind->values(v, g, NULL, false));
  while (cpb_view_nodes_next(&nodes, &node)) {
    if (is_in(s, node.name) || is_in(s, node.op)) found(s, "node", node.name, node.op);
    if (!v->kind->source) search_values(s, "value", v->kind->values(v, g, &node, true));
  }
  v->kind->each_tensor(v, graph, search_tensor, s);
}

/* --- Tensors that were passed over --------------------------------------------------------- */

/* ONNX's initializers are skipped by brief answers. Their names still occur as inputs: a name that no node makes,
 * and no graph has as an input, is an initializer. */

/* Adds the outputs of nodes, and the inputs of a graph. */
static bool add_made(cpb_names *made, const cpb_view *v, uint32_t graph) {
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  cpb_view_node node;
  cpb_view_value value;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  cpb_view_values values = v->kind->values(v, g, NULL, false);
  for (bool more = true; more;) {
    while (cpb_view_values_next(&values, &value))
      if (!cpb_names_add(made, value.name, graph)) return false;
    more = cpb_view_nodes_next(&nodes, &node);
    if (more) values = v->kind->values(v, g, &node, true);
  }
  return true;
}

static bool is_made(const cpb_names *made, const cpb_view_graphs *graphs, uint32_t graph, cpb_span name) {
  size_t count;
  const cpb_name *all = cpb_names_all(made, name, &count);
  for (size_t i = 0; i < count; i++)
    if (all[i].what == graph || cpb_view_graph_sees(graphs, graph, all[i].what)) return true;
  return false;
}

/* Adds values that nodes of the graph take and nothing makes. */
static bool add_taken(const search *s, uint32_t graph, const cpb_names *made, cpb_names *taken) {
  const cpb_view *v = &s->model->view;
  cpb_view_node node;
  cpb_view_value value;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  while (cpb_view_nodes_next(&nodes, &node)) {
    cpb_view_values values = v->kind->values(v, nodes.graph, &node, false);
    while (cpb_view_values_next(&values, &value)) {
      const bool is_tensor =
          value.name.size > 0 && is_in(s, value.name) && !is_made(made, &v->graphs, graph, value.name);
      if (is_tensor && !cpb_names_add(taken, value.name, 0)) return false;
    }
  }
  return true;
}

static bool find_passed_over(search *s, cpb_names *made, cpb_names *taken) {
  const cpb_view_graphs *graphs = &s->model->view.graphs;
  for (uint32_t i = 0; i < graphs->count; i++)
    if (!add_made(made, &s->model->view, i)) return false;
  cpb_names_sort(made);
  for (uint32_t i = 0; i < graphs->count; i++)
    if ((i == 0 || cpb_view_graph_sees(graphs, i, 0)) && !add_taken(s, i, made, taken)) return false;
  cpb_names_sort(taken);
  return true;
}

/* For a graph whose tensors were not read: they are known from the names that its nodes take. */
static void search_passed_over(search *s) {
  cpb_names made, taken;
  cpb_names_init(&made, &s->model->allocator);
  cpb_names_init(&taken, &s->model->allocator);
  s->graph = 0;
  if (!find_passed_over(s, &made, &taken)) s->model->answer->failed = true;
  for (size_t i = 0; i < taken.count; i++) {
    const cpb_span name = taken.items[i].text;
    if (i == 0 || !cpb_span_equal(name, taken.items[i - 1].text)) found(s, "initializer", name, (cpb_span){NULL, 0});
  }
  cpb_names_free(&made);
  cpb_names_free(&taken);
}

/* --- The question ----------------------------------------------------------------------------- */

static void search_names(search *s) {
  cpb_json_writer *a = s->model->answer;
  const cpb_view_graphs *g = &s->model->view.graphs;
  cpb_buffer name;
  cpb_buffer_init(&name, &s->model->allocator);
  for (uint32_t i = 1; i < g->count; i++) {
    name.size = 0;
    if (!cpb_view_graph_name(g, i, &name)) a->failed = true;
    const cpb_span text = {name.data, name.size};
    if (!is_in(s, text) || !cpb_page_has(s->page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_text(a, "is", g->items[i].role == CPB_GRAPH_FUNCTION ? "function" : "subgraph");
    cpb_json_writer_span(a, "name", text);
    cpb_json_writer_close(a, '}');
  }
  cpb_buffer_free(&name);
}

void cpb_viewed_search(cpb_viewed *m, cpb_page *page) {
  search s = {.model = m, .text = cpb_viewed_name(m), .page = page};
  search_names(&s);
  for (uint32_t i = 0; i < m->view.graphs.count; i++) search_graph(&s, i);
  if (m->lacks_tensors) search_passed_over(&s);
}

void cpb_question_search(cpb_viewed *m) {
  cpb_page page = cpb_viewed_page(m, "found");
  cpb_viewed_search(m, &page);
  cpb_page_close(m->answer, &page);
}
