/* One node: its inputs and their sources, its outputs and their consumers. */
#include "model/common/lists.h"
#include "model/operators/operators.h"
#include "model/questions/questions.h"
#include "model/view/inventory.h"

/* A graph that is searched for values: the graph of the node, or one around it. */
typedef struct level {
  uint32_t graph;
  cpb_view_makers makers;
  cpb_view_types types;
  cpb_names arguments, names; /* the values are indices of `tensors` */
  cpb_view_tensor *tensors;
  size_t count, capacity;
} level;

typedef struct search {
  cpb_viewed *model;
  level *levels;
  size_t count, capacity;
} search;

/* --- Levels ------------------------------------------------------------------------------ */

/* Level 0 is the node's graph. The graphs around it are added only when an input is not found further in, because
 * each level lists all nodes of its graph. A function sees no values of other graphs, so its level is the last. */

typedef struct adding {
  level *to;
  const cpb_allocator *allocator;
} adding;

static bool add_tensor(void *user, const cpb_view_tensor *t) {
  const adding *add = user;
  level *l = add->to;
  if (t->value.size == 0 || l->count == CPB_NO_NAME) return true; /* others belong to nodes */
  if (!CPB_RESERVE(add->allocator, &l->tensors, &l->capacity, l->count + 1)) return false;
  l->tensors[l->count] = *t;
  return cpb_names_add(&l->names, t->value, (uint32_t)l->count++);
}

static bool add_arguments(level *l, cpb_view_values values) {
  cpb_view_value value;
  for (uint32_t i = 0; cpb_view_values_next(&values, &value); i++)
    if (!cpb_names_add(&l->arguments, value.name, i)) return false;
  cpb_names_sort(&l->arguments);
  return true;
}

static bool build(search *s, level *l) {
  const cpb_view *v = &s->model->view;
  const cpb_allocator *a = &s->model->allocator;
  adding add = {l, a};
  cpb_names_init(&l->arguments, a);
  cpb_names_init(&l->names, a);
  cpb_names_init(&l->types.names, a);
  l->types.allocator = *a;
  const bool built = cpb_view_makers_build(&l->makers, a, v, l->graph) &&
                     cpb_view_types_build(&l->types, a, v, l->graph) &&
                     add_arguments(l, v->kind->values(v, cpb_view_graph_of(v, l->graph), NULL, false)) &&
                     v->kind->each_tensor(v, l->graph, add_tensor, &add);
  cpb_names_sort(&l->names);
  return built;
}

/* Adds the graph as the next level. False with the error set. */
static bool add_level(search *s, uint32_t graph) {
  if (!CPB_RESERVE(&s->model->allocator, &s->levels, &s->capacity, s->count + 1))
    return cpb_viewed_fail_memory(s->model);
  s->levels[s->count] = (level){.graph = graph};
  return build(s, &s->levels[s->count++]) || cpb_viewed_fail_memory(s->model);
}

static void free_levels(search *s) {
  const cpb_allocator *a = &s->model->allocator;
  for (size_t i = 0; i < s->count; i++) {
    level *l = &s->levels[i];
    cpb_view_makers_free(&l->makers);
    cpb_view_types_free(&l->types);
    cpb_names_free(&l->arguments);
    cpb_names_free(&l->names);
    cpb_release(a, l->tensors);
  }
  cpb_release(a, s->levels);
}

/* --- Who gives a value ------------------------------------------------------------------------ */

static cpb_span key_of(const search *s, cpb_span value) { return cpb_view_key(&s->model->view, value); }

static void write_type(const search *s, const level *l, const cpb_view_value *value) {
  const cpb_view_kind *kind = s->model->view.kind;
  const uint32_t i = cpb_view_is_typed(value) ? CPB_NO_NAME : cpb_names_find(&l->types.names, key_of(s, value->name));
  const cpb_view_value *known = i == CPB_NO_NAME ? value : &l->types.items[i];
  if (cpb_view_is_typed(known)) kind->write_type(s->model->answer, known);
}

static void write_giver(const search *s, const level *l, const char *is, cpb_span name) {
  cpb_json_writer_text(s->model->answer, "is", is);
  cpb_json_writer_span(s->model->answer, "name", name);
  cpb_viewed_write_graph_name(s->model, "function", l->graph);
}

/* If the node only holds a tensor, writes that tensor. */
static bool write_held(const search *s, const level *l, const cpb_view_node *node, cpb_span name) {
  const uint32_t tensor = node->is_constant ? cpb_names_find(&l->names, key_of(s, name)) : CPB_NO_NAME;
  if (tensor == CPB_NO_NAME) return false;
  s->model->view.kind->write_tensor(s->model->answer, &s->model->view, &l->tensors[tensor]);
  return true;
}

static void write_maker(const search *s, const level *l, const cpb_view_node *node, cpb_span name) {
  cpb_json_writer *a = s->model->answer;
  cpb_view_value value;
  cpb_view_source source;
  write_giver(s, l, "node", node->name);
  cpb_json_writer_span(a, "op", node->op);
  const bool is_known = cpb_view_output(&s->model->view, l->graph, node, name, &source, &value);
  if (source.output.size > 0) cpb_json_writer_span(a, "output", source.output);
  cpb_json_writer_unsigned(a, "index", source.index);
  if (!write_held(s, l, node, name) && is_known) write_type(s, l, &value);
}

static void write_tensor(const search *s, const level *l, const cpb_view_tensor *t) {
  cpb_json_writer *a = s->model->answer;
  write_giver(s, l, "tensor", t->value);
  s->model->view.kind->write_tensor(a, &s->model->view, t);
}

/* Whether the value belongs to that graph; writes its source. */
static bool write_from(const search *s, const level *l, cpb_span name) {
  const cpb_view_node *maker = cpb_view_maker_of(&l->makers, name);
  const cpb_span key = key_of(s, name);
  const uint32_t tensor = cpb_names_find(&l->names, key);
  const cpb_view_value value = {.name = key};
  if (maker) {
    write_maker(s, l, maker, name);
  } else if (tensor != CPB_NO_NAME) {
    write_tensor(s, l, &l->tensors[tensor]);
  } else if (cpb_names_find(&l->arguments, key) != CPB_NO_NAME) {
    write_giver(s, l, "argument", key);
    write_type(s, l, &value);
  } else {
    return false;
  }
  return true;
}

/* If the value is not found, looks in the graph around, whose values a subgraph takes by name. False with the error
 * set. */
static bool write_input(search *s, const cpb_view_value *value, uint64_t number) {
  cpb_json_writer *a = s->model->answer;
  bool found = false;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "input", number);
  cpb_json_writer_span(a, "value", value->name);
  if (value->role.size > 0) cpb_json_writer_span(a, "role", value->role);
  for (size_t i = 0; !found && value->name.size > 0; i++) {
    const cpb_view_graph *g = i > 0 ? cpb_view_graph_of(&s->model->view, s->levels[i - 1].graph) : NULL;
    if (i == s->count && g->role != CPB_GRAPH_SUBGRAPH) break;
    if (i == s->count && !add_level(s, g->parent)) return false;
    found = write_from(s, &s->levels[i], value->name);
  }
  if (!found) cpb_json_writer_null(a, "is");
  cpb_json_writer_close(a, '}');
  return true;
}

static bool name_nodes(const level *l, cpb_names *names) {
  for (size_t i = 0; i < l->makers.count; i++)
    if (!cpb_names_add(names, l->makers.items[i].name, (uint32_t)i)) return false;
  cpb_names_sort(names);
  return true;
}

/* Writes a node or value that must exist first. */
static void write_control(const search *s, const cpb_view_value *value, const cpb_names *nodes) {
  cpb_json_writer *a = s->model->answer;
  const level *l = &s->levels[0];
  const uint32_t i = value->type.data ? CPB_NO_NAME : cpb_names_find(nodes, value->name);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_bool(a, "control", true);
  cpb_json_writer_span(a, "value", value->name);
  if (i != CPB_NO_NAME) {
    write_giver(s, l, "node", value->name);
    cpb_json_writer_span(a, "op", l->makers.items[i].op);
  } else if ((!value->type.data && !s->model->view.kind->source) || !write_from(s, l, value->name)) {
    cpb_json_writer_null(a, "is");
  }
  cpb_json_writer_close(a, '}');
}

/* False with the error set. */
static bool write_controls(search *s, const cpb_view_node *node) {
  const cpb_view *v = &s->model->view;
  cpb_view_value value;
  cpb_names names;
  if (!v->kind->controls) return true;
  cpb_view_values controls = v->kind->controls(v, cpb_view_graph_of(v, s->levels[0].graph), node);
  bool done = true;
  cpb_names_init(&names, &s->model->allocator);
  for (bool first = true; done && cpb_view_values_next(&controls, &value); first = false) {
    done = !first || name_nodes(&s->levels[0], &names) || cpb_viewed_fail_memory(s->model);
    if (done) write_control(s, &value, &names);
  }
  cpb_names_free(&names);
  return done;
}

static bool write_inputs(search *s, const cpb_view_node *node) {
  cpb_view_value value;
  const cpb_view_graph *g = cpb_view_graph_of(&s->model->view, s->levels[0].graph);
  const cpb_view_kind *kind = s->model->view.kind;
  cpb_view_values inputs = kind->values(&s->model->view, g, node, false);
  if (kind->roles) kind->roles(&s->model->view, g, node, &inputs);
  cpb_json_writer_open(s->model->answer, "from", '[');
  for (uint64_t i = 0; cpb_view_values_next(&inputs, &value);)
    if (value.name.data && !write_input(s, &value, i++)) return false;
  if (!write_controls(s, node)) return false;
  cpb_json_writer_close(s->model->answer, ']');
  return true;
}

/* --- The answer ---------------------------------------------------------------------------------- */

/* Whether the node is not one of the kind's own operations, but calls a graph or is a layer. */
static bool is_other(const cpb_view *v, uint32_t graph, const cpb_view_node *node) {
  return strcmp(v->kind->origin(v, node->domain, node->op), "library") == 0 ||
         (v->kind->nodes_are_layers && v->kind->nodes_are_layers(v, cpb_view_graph_of(v, graph)));
}

/* Writes the general description of the operation. */
static void write_operation(search *s, uint32_t graph, const cpb_view_node *node) {
  int64_t version = INT64_MAX;
  cpb_operator found = {.sentence = {NULL, 0}};
  const cpb_view *v = &s->model->view;
  cpb_json_writer *a = s->model->answer;
  if (!v->kind->operators || is_other(v, graph, node)) return;
  const bool is_known = cpb_operator_find(v->operators, node->op, node->domain, &found);
  if (!v->kind->version && found.sentence.size == 0) return;
  cpb_json_writer_open(a, "operation", '{');
  if (v->kind->version) {
    const bool is_imported = v->kind->version(v, node->domain, &version) && version >= 0;
    uint64_t since = 0;
    if (is_known && is_imported) cpb_operator_inputs(&found, (uint64_t)version, &since);
    cpb_json_writer_span(a, "domain", node->domain);
    if (is_imported) cpb_json_writer_exact(a, "version", version);
    else cpb_json_writer_null(a, "version");
    if (since > 0) cpb_json_writer_unsigned(a, "since", since);
  }
  if (found.sentence.size > 0) cpb_json_writer_span(a, "summary", found.sentence);
  cpb_json_writer_close(a, '}');
}

/* The node with this name, or else the one that makes a value with this name. */
static const cpb_view_node *find_node(const cpb_view_makers *m, cpb_span name) {
  for (size_t i = 0; i < m->count; i++)
    if (cpb_span_equal(m->items[i].name, name)) return &m->items[i];
  return cpb_view_maker_of(m, name);
}

static void write_node(search *s, uint32_t graph) {
  const cpb_view_node *found = find_node(&s->levels[0].makers, cpb_viewed_name(s->model));
  if (!found) {
    cpb_viewed_not_found(s->model, "node", cpb_viewed_name(s->model));
    return;
  }
  const cpb_view_node node = *found;
  cpb_viewed_write_graph_name(s->model, "function", graph);
  cpb_viewed_write_node(s->model, graph, &s->levels[0].types, &node);
  write_operation(s, graph, &node);
  if (write_inputs(s, &node)) cpb_viewed_write_consumers(s->model, graph, &node);
}

void cpb_question_node(cpb_viewed *m) {
  uint32_t graph;
  search s = {.model = m};
  if (!cpb_viewed_graph(m, cpb_viewed_scope(m), &graph)) return;
  if (add_level(&s, graph)) write_node(&s, graph);
  free_levels(&s);
}
