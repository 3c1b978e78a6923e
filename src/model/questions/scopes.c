#include "model/questions/fold.h"

#include <stdlib.h>

#include "base/checked.h"
#include "model/questions/questions.h"
#include "model/view/inventory.h"
#include "model/view/view.h"

/* Gives fold.h the nodes of a graph of any kind. It leaves out constants, variables and their readings: these are drawn
 * with the node that takes them, and count in its sums (`drawn`). fold.h needs the same nodes in both of its passes, so
 * they are chosen before the first. */

/* An input of a node besides the listed ones: for a graph within the node, a value of this graph or of one around it;
 * or a tensor of its own. */
typedef struct extra {
  uint64_t node, order;
  cpb_span value;
  uint32_t item; /* or CPB_NO_NAME */
} extra;

typedef struct inner {
  uint64_t node;
  uint32_t graph;
} inner;

/* Edges start from the node that makes a value, or else from the value itself. Nodes that only hold a value are drawn
 * with the nodes that take it. */
typedef struct walk {
  cpb_viewed *model;
  const cpb_inventory *inventory;
  uint32_t graph;
  cpb_view_makers makers;
  cpb_view_types types;
  cpb_names given, tensors; /* inputs of the graph: indices of `inputs`; visible tensors: indices of the inventory */
  cpb_view_value *inputs;   /* of the graph */
  uint64_t *sizes, *parameters; /* sums over the tensors of each node */
  uint32_t *takers;             /* by node: the first node that takes its output, or CPB_NO_NAME */
  bool *held;                   /* whether the node is drawn with another one */
  extra *extras;
  size_t num_extras, extras_capacity;
  inner *inner; /* graphs within nodes of this one, by node */
  size_t num_inner, inner_capacity;
  size_t next, extra; /* next node to visit; next extra input of the current node */
  cpb_view_values taken, controls, results;
  cpb_entries returns; /* values of the graph's outputs, if these have names of their own */
} walk;

static const cpb_view_graph *graph_of(const walk *w) { return cpb_view_graph_of(&w->model->view, w->graph); }

/* --- Nodes that are drawn with the nodes that take them ------------------------------------------- */

/* The origin of a value that is only a tensor or a variable. */
typedef struct origin {
  const cpb_view_node *node, *read; /* the first node that passed it on, or NULL */
  uint32_t given;                   /* without a node: the number of the graph's argument */
} origin;

/* Only a few nodes read a value and pass it on. */
#define HANDED_ON_MOST 8

static bool find_origin(const walk *w, cpb_span value, const cpb_view_node *maker, origin *o) {
  const cpb_view_kind *kind = w->model->view.kind;
  *o = (origin){.given = CPB_NO_NAME};
  /* the limit also ends the walk in a ring of such nodes */
  for (int i = 0; i < HANDED_ON_MOST; i++) {
    o->node = i == 0 ? maker : cpb_view_maker_of(&w->makers, value);
    if (!o->node) o->given = cpb_names_find(&w->given, value);
    if (o->node && o->node->is_constant) return true;
    if (!kind->is_variable || (!o->node && o->given == CPB_NO_NAME)) return false;
    if (kind->is_variable(o->node, o->node ? NULL : &w->inputs[o->given])) return true;
    if (!o->node || !kind->hands_on(o->node)) return false;
    cpb_view_value from;
    cpb_view_values inputs = kind->values(&w->model->view, graph_of(w), o->node, false);
    if (!cpb_view_values_next(&inputs, &from)) return false;
    if (!o->read) o->read = o->node;
    value = from.name;
  }
  return false;
}

static bool is_held(const walk *w, const cpb_view_node *node) { return w->held[node->number]; }

/* In TensorFlow's graphs the fetched values are unknown, so a value without consumers is drawn by itself. */
static void find_held(walk *w) {
  const bool has_results = !w->model->view.kind->source || graph_of(w)->role != CPB_GRAPH_MAIN;
  for (size_t i = 0; i < w->makers.count; i++) {
    origin o;
    const cpb_view_node *node = &w->makers.items[i];
    const bool is_taken = w->takers[i] != CPB_NO_NAME;
    w->held[i] = node->is_constant ? has_results || is_taken : is_taken && find_origin(w, node->name, node, &o);
  }
}

static bool find_takers(walk *w) {
  const cpb_view *v = &w->model->view;
  w->takers = cpb_alloc(&w->model->allocator, (w->makers.count + 1) * sizeof *w->takers);
  w->held = cpb_alloc(&w->model->allocator, w->makers.count + 1);
  if (!w->takers || !w->held) return false;
  for (size_t i = 0; i < w->makers.count; i++) w->takers[i] = CPB_NO_NAME;
  for (uint32_t i = 0; v->kind->source && i < w->makers.count; i++) {
    cpb_view_value value;
    cpb_view_values inputs = v->kind->values(v, graph_of(w), &w->makers.items[i], false);
    while (cpb_view_values_next(&inputs, &value)) {
      const cpb_view_node *from = cpb_view_maker_of(&w->makers, value.name);
      if (from && w->takers[from->number] == CPB_NO_NAME) w->takers[from->number] = i;
    }
  }
  find_held(w);
  return true;
}

/* The node that is drawn in place of this one. */
static uint64_t drawn(const walk *w, uint64_t node) {
  for (int i = 0; i < HANDED_ON_MOST && w->takers[node] != CPB_NO_NAME && is_held(w, &w->makers.items[node]); i++)
    node = w->takers[node];
  return node;
}

/* --- What goes into nodes besides --------------------------------------------------------------- */

/* A graph within a node takes values of this graph by name, which the node does not list as inputs. Without these
 * edges, a branch or loop would seem to depend on nothing. */

static bool add_extra(walk *w, uint64_t node, cpb_span value, uint32_t item) {
  if (!CPB_RESERVE(&w->model->allocator, &w->extras, &w->extras_capacity, w->num_extras + 1)) return false;
  w->extras[w->num_extras] = (extra){node, w->num_extras, value, item};
  w->num_extras++;
  return true;
}

/* Adds the values that a graph within the node takes from this graph. */
static bool add_captures(walk *w, uint64_t node, cpb_view_values values) {
  cpb_view_value value;
  while (cpb_view_values_next(&values, &value)) {
    const bool is_here = value.name.size > 0 && (cpb_names_find(&w->given, value.name) != CPB_NO_NAME ||
                                                 cpb_names_find(&w->tensors, value.name) != CPB_NO_NAME ||
                                                 cpb_view_maker_of(&w->makers, value.name));
    if (is_here && !add_extra(w, node, value.name, CPB_NO_NAME)) return false;
  }
  return true;
}

static bool look_into(walk *w, uint32_t graph) {
  const cpb_view *v = &w->model->view;
  uint64_t holder = 0;
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  if (!cpb_view_graph_sees(&v->graphs, graph, w->graph)) return true;
  cpb_view_graph_place(&v->graphs, w->graph, graph, &holder);
  while (cpb_view_nodes_next(&nodes, &node))
    if (!add_captures(w, holder, v->kind->values(v, nodes.graph, &node, false))) return false;
  return add_captures(w, holder, v->kind->values(v, nodes.graph, NULL, true));
}

static int by_node(const void *a, const void *b) {
  const extra *x = a, *y = b;
  if (x->node != y->node) return (x->node > y->node) - (x->node < y->node);
  return (x->order > y->order) - (x->order < y->order);
}

static bool find_extras(walk *w) {
  for (uint32_t i = 0; i < w->inventory->count; i++) {
    const cpb_view_tensor *t = &w->inventory->items[i].tensor;
    const bool is_own = t->graph == w->graph && t->of_node && t->value.size == 0;
    if (is_own && !add_extra(w, t->node_number, t->value, i)) return false;
  }
  for (uint32_t i = 0; i < w->model->view.graphs.count; i++)
    if (i != w->graph && !look_into(w, i)) return false;
  if (w->num_extras > 1) qsort(w->extras, w->num_extras, sizeof *w->extras, by_node);
  return true;
}

/* --- The graph ----------------------------------------------------------------------------------- */

/* fold.h pulls nodes and their inputs from here. `extras` are sorted by node, so `extra` only moves forwards, in
 * step with `next`. */

static void begin(void *user) {
  walk *w = user;
  w->next = w->extra = 0;
}

static bool next(void *user, cpb_scope_node *node) {
  walk *w = user;
  while (w->next < w->makers.count && is_held(w, &w->makers.items[w->next])) w->next++;
  if (w->next == w->makers.count) return false;
  const cpb_view_node *of = &w->makers.items[w->next];
  *node = (cpb_scope_node){of->name, of->op, w->next, w->sizes[w->next], w->parameters[w->next]};
  const cpb_view *v = &w->model->view;
  w->taken = v->kind->values(v, graph_of(w), of, false);
  w->controls = v->kind->controls ? v->kind->controls(v, graph_of(w), of) : (cpb_view_values){.next = NULL};
  while (w->extra < w->num_extras && w->extras[w->extra].node < w->next) w->extra++;
  w->next++;
  return true;
}

static void fill_tensor(const walk *w, uint32_t i, cpb_scope_input *input) {
  input->is_tensor = true;
  if (i == CPB_NO_NAME) return;
  const cpb_view_item *item = &w->inventory->items[i];
  input->tensor = i;
  input->size = item->measure.size;
  input->is_weight = item->use != CPB_TENSOR_CONSTANT;
}

/* Sets the source of the value. */
static void fill(const walk *w, cpb_span value, cpb_scope_input *input) {
  origin o;
  const cpb_view_node *maker = cpb_view_maker_of(&w->makers, value);
  const bool is_held = find_origin(w, value, maker, &o), by_node = w->model->view.kind->source && o.node;
  *input = (cpb_scope_input){.value = value, .tensor = CPB_NO_TENSOR};
  if (maker && !is_held) {
    input->from = maker->name;
    return;
  }
  const uint32_t tensor = cpb_names_find(&w->tensors, by_node ? o.node->name : value);
  if (is_held && (!o.node || !o.node->is_constant)) input->is_tensor = input->is_weight = true;
  else if (is_held || tensor != CPB_NO_NAME) fill_tensor(w, tensor, input);
  else if (cpb_names_find(&w->given, value) == CPB_NO_NAME && w->model->lacks_tensors) input->is_tensor = true;
  else {
    input->from = value;
    input->is_given = true;
  }
}

static bool next_input(void *user, cpb_scope_input *input) {
  walk *w = user;
  cpb_view_value value;
  while (cpb_view_values_next(&w->taken, &value)) {
    if (value.name.size == 0) continue;
    fill(w, value.name, input);
    return true;
  }
  while (cpb_view_values_next(&w->controls, &value)) {
    const cpb_view_node *before = w->model->view.kind->source ? cpb_view_maker_of(&w->makers, value.name) : NULL;
    if (value.type.data || (before && is_held(w, before))) continue;
    *input = (cpb_scope_input){.from = value.name, .control = true, .tensor = CPB_NO_TENSOR};
    return true;
  }
  if (w->extra == w->num_extras || w->extras[w->extra].node + 1 != w->next) return false;
  const extra *one = &w->extras[w->extra++];
  if (one->item == CPB_NO_NAME) {
    fill(w, one->value, input);
  } else {
    *input = (cpb_scope_input){.tensor = CPB_NO_TENSOR};
    fill_tensor(w, one->item, input);
  }
  return true;
}

static bool next_result(void *user, cpb_scope_input *result) {
  walk *w = user;
  cpb_view_value value;
  if (!cpb_view_values_next(&w->results, &value)) return false;
  const cpb_span returned = cpb_entries_find(&w->returns, value.name);
  fill(w, returned.data ? returned : cpb_view_source_of(&value), result);
  result->name = value.name;
  return true;
}

/* --- Members --------------------------------------------------------------------------------------- */

static cpb_view_value value_named(const walk *w, cpb_span name, const cpb_view_node *maker) {
  cpb_view_value value;
  cpb_view_source source;
  const uint32_t given = cpb_names_find(&w->given, name);
  if (!maker && given != CPB_NO_NAME) return w->inputs[given];
  if (maker && cpb_view_output(&w->model->view, w->graph, maker, name, &source, &value)) return value;
  return (cpb_view_value){.name = name};
}

static void write_value(void *user, cpb_json_writer *a, cpb_span value, cpb_span name) {
  const walk *w = user;
  const cpb_view_node *maker = cpb_view_maker_of(&w->makers, value);
  cpb_view_value known = value_named(w, value, maker);
  known.name = name;
  cpb_view_write_named(a, &w->model->view, &w->types, &known);
  if (maker) cpb_json_writer_span(a, "node", maker->name);
}

/* The type of the value that was read, if nothing else gives one. */
static void write_variable(const walk *w, cpb_json_writer *a, const origin *o) {
  const cpb_view *v = &w->model->view;
  cpb_view_value argument = o->node ? (cpb_view_value){.dtype = 0} : w->inputs[o->given];
  const cpb_view_source all = {.index = 0};
  cpb_view_value read;
  if (o->read && v->kind->output(v, o->read, &all, &read)) {
    argument.dtype = read.dtype;
    argument.shape = read.shape;
  }
  cpb_json_writer_span(a, "node", o->node ? o->node->name : argument.name);
  cpb_json_writer_text(a, "is", "variable");
  v->kind->write_variable(a, v, w->graph, o->node, &argument);
}

/* A value that was not read has only its name; a constant that the caller of its function gives has its attributes. */
static void write_tensor(void *user, cpb_json_writer *a, uint64_t tensor, cpb_span name) {
  const walk *w = user;
  if (tensor != CPB_NO_TENSOR) {
    cpb_viewed_write_item(w->model, &w->inventory->items[tensor]);
    return;
  }
  origin o;
  const cpb_view_kind *kind = w->model->view.kind;
  if (find_origin(w, name, cpb_view_maker_of(&w->makers, name), &o) && (!o.node || !o.node->is_constant)) {
    write_variable(w, a, &o);
    return;
  }
  cpb_json_writer_span(a, "node", o.node && kind->source ? o.node->name : name);
  cpb_json_writer_text(a, "is", o.node ? "constant" : "initializer");
  if (o.node) kind->write_node(a, &w->model->view, w->graph, o.node);
}

/* The list of graphs that a node calls or has, opened only if it is not empty. */
typedef struct calling {
  const walk *walk;
  cpb_json_writer *answer;
  bool is_open;
} calling;

static void write_call(calling *c, cpb_span name, uint32_t element, uint32_t graph) {
  cpb_json_writer *a = c->answer;
  if (!c->is_open) cpb_json_writer_open(a, "calls", '[');
  c->is_open = true;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", name);
  if (element > 0) cpb_json_writer_unsigned(a, "element", element - 1);
  cpb_viewed_write_graph_name(c->walk->model, "function", graph);
  cpb_json_writer_close(a, '}');
}

static bool write_callee(void *user, cpb_span attribute, uint32_t graph) {
  write_call(user, attribute.data ? attribute : cpb_span_of("calls"), 0, graph);
  return true;
}

/* Writes the function that a node calls, and the graphs that it has. */
static void write_node(void *user, cpb_json_writer *a, uint64_t number) {
  const walk *w = user;
  const cpb_view *v = &w->model->view;
  size_t low = 0, high = w->num_inner;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (w->inner[middle].node < number) low = middle + 1;
    else high = middle;
  }
  calling c = {w, a, false};
  if (v->kind->each_callee) v->kind->each_callee(v, &w->makers.items[number], write_callee, &c);
  for (; low < w->num_inner && w->inner[low].node == number; low++) {
    const cpb_view_graph *g = cpb_view_graph_of(v, w->inner[low].graph);
    write_call(&c, g->name, g->element, w->inner[low].graph);
  }
  if (c.is_open) cpb_json_writer_close(a, ']');
}

/* --- Preparation ------------------------------------------------------------------------------------- */

/* The order matters: held nodes need the names of inputs, sums need to know what is drawn where, and captures need
 * the names of tensors. */

static bool name_inputs(walk *w) {
  cpb_view_value value;
  uint32_t count = 0;
  cpb_view_values inputs = w->model->view.kind->values(&w->model->view, graph_of(w), NULL, false);
  for (cpb_view_values all = inputs; cpb_view_values_next(&all, &value); count++)
    if (count == CPB_NO_NAME || !cpb_names_add(&w->given, value.name, count)) return false;
  cpb_names_sort(&w->given);
  w->inputs = cpb_alloc(&w->model->allocator, (count + (size_t)1) * sizeof *w->inputs);
  for (uint32_t i = 0; w->inputs && i < count; i++) cpb_view_values_next(&inputs, &w->inputs[i]);
  return w->inputs != NULL;
}

/* Names the tensors that nodes of the graph take, from the innermost graph outwards. */
static bool name_tensors(walk *w) {
  const cpb_view_graphs *g = &w->model->view.graphs;
  for (uint32_t i = 0; i < w->inventory->count; i++) {
    const cpb_view_tensor *t = &w->inventory->items[i].tensor;
    const bool is_seen = t->value.size > 0 && cpb_view_graph_sees(g, w->graph, t->graph);
    if (is_seen && !cpb_names_add(&w->tensors, t->value, i)) return false;
  }
  cpb_names_sort(&w->tensors);
  return true;
}

/* Sums the tensors of each node. Small constants, such as shapes, are left out. */
static bool measure(walk *w) {
  const cpb_view_graphs *g = &w->model->view.graphs;
  w->sizes = cpb_alloc_zeroed(&w->model->allocator, (w->makers.count + 1) * sizeof *w->sizes);
  w->parameters = cpb_alloc_zeroed(&w->model->allocator, (w->makers.count + 1) * sizeof *w->parameters);
  if (!w->sizes || !w->parameters) return false;
  for (size_t i = 0; i < w->inventory->count; i++) {
    const cpb_view_item *item = &w->inventory->items[i];
    uint64_t node = item->node;
    if (node == CPB_NO_NODE || !cpb_view_graph_place(g, w->graph, item->graph, &node)) continue;
    node = drawn(w, node);
    if (!item->is_copy && item->use != CPB_TENSOR_CONSTANT) cpb_add_saturated(&w->sizes[node], item->measure.size);
    if (cpb_view_item_counts(item)) cpb_add_saturated(&w->parameters[node], item->measure.elements);
  }
  return true;
}

static int by_holder(const void *a, const void *b) {
  const inner *x = a, *y = b;
  if (x->node != y->node) return (x->node > y->node) - (x->node < y->node);
  return (x->graph > y->graph) - (x->graph < y->graph);
}

static bool find_inner(walk *w) {
  const cpb_view_graphs *g = &w->model->view.graphs;
  for (uint32_t i = 0; i < g->count; i++) {
    if (!g->items[i].is_within || g->items[i].parent != w->graph) continue;
    if (!CPB_RESERVE(&w->model->allocator, &w->inner, &w->inner_capacity, w->num_inner + 1)) return false;
    w->inner[w->num_inner++] = (inner){g->items[i].node_number, i};
  }
  if (w->num_inner > 1) qsort(w->inner, w->num_inner, sizeof *w->inner, by_holder);
  return true;
}

static bool build(walk *w) {
  const cpb_allocator *a = &w->model->allocator;
  w->results = w->model->view.kind->values(&w->model->view, graph_of(w), NULL, true);
  return cpb_view_makers_build(&w->makers, a, &w->model->view, w->graph) &&
         cpb_view_types_build(&w->types, a, &w->model->view, w->graph) && name_inputs(w) && name_tensors(w) &&
         find_takers(w) && measure(w) && find_inner(w) && find_extras(w);
}

static void release(walk *w) {
  const cpb_allocator *a = &w->model->allocator;
  cpb_view_makers_free(&w->makers);
  cpb_view_types_free(&w->types);
  cpb_names_free(&w->given);
  cpb_names_free(&w->tensors);
  cpb_release(a, w->inputs);
  cpb_release(a, w->sizes);
  cpb_release(a, w->parameters);
  cpb_release(a, w->takers);
  cpb_release(a, w->held);
  cpb_release(a, w->extras);
  cpb_release(a, w->inner);
  cpb_entries_free(&w->returns);
}

/* --- The answer ------------------------------------------------------------------------------------ */

static void write(cpb_viewed *m, walk *w) {
  const cpb_scoped graph = {.allocator = &m->allocator,
                            .user = w,
                            .lacks_sizes = m->lacks_tensors || m->has_variables,
                            .begin = begin,
                            .next = next,
                            .next_input = next_input,
                            .next_result = next_result,
                            .write_value = write_value,
                            .write_tensor = write_tensor,
                            .write_node = write_node};
  bool found = cpb_scopes_write(&graph, &m->question, m->answer, m->error);
  if (!found && m->error->code == CPB_OK) cpb_viewed_not_found(m, "scope", cpb_scope_of(&m->question));
}

void cpb_question_scopes(cpb_viewed *m) {
  const cpb_allocator *a = &m->allocator;
  cpb_entries controls;
  walk w = {.model = m, .makers.allocator = *a, .types.allocator = *a};
  if (!cpb_viewed_graph(m, cpb_viewed_name(m), &w.graph)) return;
  w.inventory = cpb_viewed_inventory(m);
  if (!w.inventory || !cpb_viewed_returns(m, graph_of(&w), &w.returns, &controls)) return;
  cpb_entries_free(&controls);
  cpb_viewed_write_graph_name(m, "function", w.graph);
  cpb_names_init(&w.given, a);
  cpb_names_init(&w.tensors, a);
  cpb_names_init(&w.makers.names, a);
  cpb_names_init(&w.types.names, a);
  if (build(&w)) write(m, &w);
  else cpb_viewed_fail_memory(m);
  release(&w);
}
