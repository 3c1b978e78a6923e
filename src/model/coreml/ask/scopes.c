#include "model/coreml/ask/scopes.h"

#include "model/common/scopes.h"
#include "model/coreml/makers.h"
#include "model/coreml/tensor.h"

/* Edges lead from who makes a value, or, where no node does, from the value itself. What a "const" makes belongs to the
 * operations that take it. */
typedef struct walk {
  cpb_coreml_model *model;
  const cpb_coreml_graph *graph;
  cpb_coreml_makers makers;
  uint64_t *sizes; /* bytes of the weights of each node */
  size_t next;
  cpb_coreml_values inputs;
} walk;

static void begin(void *user) { ((walk *)user)->next = 0; }

static const cpb_coreml_maker *maker_of(const walk *w, cpb_span value) {
  uint32_t i = value.data ? cpb_names_find(&w->makers.names, value) : CPB_NO_NAME;
  return i == CPB_NO_NAME ? NULL : &w->makers.items[i];
}

static uint64_t size_of(const walk *w, size_t node) {
  uint64_t size = w->sizes[node];
  cpb_coreml_value value;
  cpb_coreml_values inputs = cpb_coreml_inputs(w->graph, w->makers.items[node].node.message);
  while (cpb_coreml_values_next(&inputs, &value)) {
    const cpb_coreml_maker *maker = maker_of(w, value.name);
    if (maker && maker->is_const) size += w->sizes[maker - w->makers.items];
  }
  return size;
}

static bool next(void *user, cpb_scope_node *node) {
  walk *w = user;
  while (w->next < w->makers.count && w->makers.items[w->next].is_const) w->next++;
  if (w->next == w->makers.count) return false;
  const cpb_coreml_node *of = &w->makers.items[w->next].node;
  *node = (cpb_scope_node){of->name, of->op, size_of(w, w->next)};
  w->inputs = cpb_coreml_inputs(w->graph, of->message);
  w->next++;
  return true;
}

static bool next_input(void *user, cpb_span *from, bool *control) {
  walk *w = user;
  cpb_coreml_value value;
  *control = false;
  while (cpb_coreml_values_next(&w->inputs, &value)) {
    const cpb_coreml_maker *maker = maker_of(w, value.name);
    if (value.name.size == 0 || (maker && maker->is_const)) continue;
    *from = maker ? maker->node.name : value.name;
    return true;
  }
  return false;
}

/* --- Sizes ---------------------------------------------------------------------------------- */

static bool add_size(void *user, const cpb_coreml_constant *c) {
  walk *w = user;
  if (cpb_coreml_is_weight(c)) w->sizes[w->next] += cpb_coreml_tensor_of(&w->model->whole.part, c).size;
  return true;
}

static bool measure(walk *w) {
  if (w->makers.count == 0) return true;
  w->sizes = cpb_alloc_zeroed(&w->model->whole.allocator, w->makers.count * sizeof *w->sizes);
  for (w->next = 0; w->sizes && w->next < w->makers.count; w->next++)
    cpb_coreml_each_constant(w->graph, &w->makers.items[w->next].node, add_size, w);
  return w->sizes != NULL;
}

static void write(cpb_coreml_model *m, walk *w) {
  const cpb_scoped graph = {&m->whole.allocator, w, begin, next, next_input};
  bool found = cpb_scopes_write(&graph, &m->whole.question, m->whole.answer, m->whole.error);
  if (!found && m->whole.error->code == CPB_OK)
    cpb_whole_not_found(&m->whole, "scope", cpb_scope_of(&m->whole.question));
}

void cpb_coreml_ask_scopes(cpb_coreml_model *m) {
  uint32_t graph;
  if (!cpb_coreml_graph_named(m, cpb_coreml_name(m), &graph)) return;
  walk w = {.model = m, .graph = &m->graphs.items[graph]};
  cpb_coreml_write_graph_name(m, "function", graph);
  if (cpb_coreml_makers_build(&w.makers, &m->whole.allocator, w.graph) && measure(&w)) write(m, &w);
  else cpb_whole_fail_memory(&m->whole);
  cpb_coreml_makers_free(&w.makers);
  cpb_release(&m->whole.allocator, w.sizes);
}
