#include "base/status.h"
#include "model/coreml/model.h"

/* --- graphs ----------------------------------------------------------------------------------- */

/* --- Building ------------------------------------------------------------------------------------ */

/* Graph 0 is what the model runs: the default function of a program, a network or a pipeline. The other functions
 * follow, then the graphs within nodes, level by level. */

static cpb_graph_role role_of(const cpb_graphs_builder *b, const cpb_view_graph *g) {
  if (b->graphs->count == 0) return CPB_GRAPH_MAIN;
  if (!g->is_within) return CPB_GRAPH_FUNCTION;
  return g->model.data ? CPB_GRAPH_MODEL : CPB_GRAPH_SUBGRAPH;
}

static bool add(cpb_graphs_builder *b, cpb_view_graph graph) {
  static const uint32_t fields[CPB_COREML_NUM_FORMS] = {0, BLOCK_OPERATION, NETWORK_LAYER, PIPELINE_MODEL};
  graph.nodes = graph.form == CPB_COREML_OTHER ? 0 : cpb_count_bytes(graph.message, fields[graph.form]);
  graph.role = role_of(b, &graph);
  return cpb_view_graphs_add(b->graphs, graph);
}

static bool add_function(cpb_graphs_builder *b, cpb_view_graph like, cpb_span entry) {
  like.name = cpb_get_bytes(entry, MAP_KEY);
  like.function = cpb_get_bytes(entry, MAP_VALUE);
  if (cpb_graphs_are_too_deep(b, like.function)) return true;
  if (!like.function.data) like.function = (cpb_span){(const uint8_t *)"", 0};
  like.message = cpb_coreml_block_of(like.function);
  return add(b, like);
}

/* Which function runs if nothing else is said: the number of its entry. */
static uint64_t default_function(cpb_span model, cpb_span program) {
  cpb_span name = cpb_get_bytes(cpb_get_bytes(model, MODEL_DESCRIPTION), DESCRIPTION_DEFAULT_FUNCTION);
  cpb_cursor c = cpb_cursor_of(program);
  if (name.size == 0) name = cpb_span_of("main");
  for (uint64_t i = 0; cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN); i++)
    if (cpb_span_equal(cpb_get_bytes(c.bytes, MAP_KEY), name)) return i;
  return 0;
}

/* The default function comes first. */
static bool add_program(cpb_graphs_builder *b, cpb_view_graph like, cpb_span program) {
  const uint64_t first = default_function(like.model, program);
  uint64_t number = 0;
  cpb_cursor c = cpb_cursor_of(program);
  like.form = CPB_COREML_BLOCK;
  for (uint64_t i = 0; cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN); i++)
    if (i == first && !add_function(b, like, c.bytes)) return false;
  for (c = cpb_cursor_of(program); cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN);)
    if (number++ != first && !add_function(b, like, c.bytes)) return false;
  return true;
}

/* The graphs of a model, as `like` says where it is. Content without graphs is left out for its length alone. */
static bool add_model(cpb_graphs_builder *b, cpb_view_graph like) {
  char spare[CPB_COREML_SPARE];
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(like.model, &content);
  const cpb_span typed = content;
  like.form = (int)cpb_coreml_form_of(type, &content);
  like.message = content;
  if (cpb_graphs_are_too_deep(b, like.model) || like.form == CPB_COREML_OTHER) return true;
  if (cpb_graphs_are_too_deep(b, typed) || cpb_graphs_are_too_deep(b, content)) return true;
  if (like.form == CPB_COREML_BLOCK) return add_program(b, like, content);
  like.name = cpb_coreml_type_name(type, spare); /* which has a name */
  return add(b, like);
}

static bool add_blocks(cpb_graphs_builder *b, cpb_view_graph like, cpb_span operation) {
  cpb_cursor c = cpb_cursor_of(operation);
  like.name = cpb_span_of("block");
  like.form = CPB_COREML_BLOCK;
  while (cpb_cursor_find(&c, OPERATION_BLOCK, CPB_WIRE_LEN)) {
    like.element++;
    like.message = c.bytes;
    if (!cpb_graphs_are_too_deep(b, c.bytes) && !add(b, like)) return false;
  }
  return true;
}

static bool add_networks(cpb_graphs_builder *b, cpb_view_graph like, cpb_span layer) {
  cpb_coreml_network networks[2];
  const size_t count = cpb_coreml_networks_of(layer, networks);
  like.form = CPB_COREML_NETWORK;
  for (size_t i = 0; i < count; i++) {
    like.message = networks[i].message;
    like.name = networks[i].name;
    if (!cpb_graphs_are_too_deep(b, like.message) && !add(b, like)) return false;
  }
  return true;
}

/* The graphs of its nodes. */
static bool look_into(const cpb_view *v, cpb_graphs_builder *b, uint32_t graph) {
  bool done = true;
  cpb_view_node node;
  const cpb_view_graph of = v->graphs.items[graph]; /* the list moves as it grows */
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  nodes.graph = &of;
  while (done && cpb_view_nodes_next(&nodes, &node)) {
    cpb_view_graph like = {.is_within = true, .parent = graph, .node_number = (uint32_t)node.number};
    like.node_name = node.own_name;
    cpb_graphs_are_too_deep(b, node.message);
    switch (of.form) {
      case CPB_COREML_BLOCK: done = add_blocks(b, like, node.message); break;
      case CPB_COREML_NETWORK: done = add_networks(b, like, node.message); break;
      default: like.model = node.message; done = add_model(b, like);
    }
  }
  return done;
}

/* Graphs are added behind those that are looked into: the list is its own queue. */
static bool build(cpb_view *v, cpb_problems *problems) {
  cpb_graphs_builder b = {&v->graphs, v->part, problems, false};
  const cpb_view_graph whole = {.model = v->part->message};
  if (!add_model(&b, whole) || (v->graphs.count == 0 && !add(&b, whole))) return false;
  for (size_t i = 0; i < v->graphs.count; i++)
    if (!look_into(v, &b, (uint32_t)i)) return false;
  return true;
}

/* A node is gone through for what it is and once more for what is in it; one within another graph is passed over in
 * that. */
bool cpb_coreml_graphs_build(cpb_view *v, cpb_problems *problems, cpb_meter *meter, cpb_error *error) {
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, 4 * (uint64_t)v->part->message.size, CPB_NO_OFFSET, error))
    return false;
  if (!build(v, problems)) return cpb_fail_memory(error), false;
  return cpb_view_graphs_charge(&v->graphs, meter, error);
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* --- Nodes ------------------------------------------------------------------------------ */

/* A node is an operation of a block, a layer of a network or a model of a pipeline. The form of the graph says
 * which; everything else about these graphs is the same. */

static const uint32_t node_fields[CPB_COREML_NUM_FORMS] = {
    [CPB_COREML_BLOCK] = BLOCK_OPERATION, [CPB_COREML_NETWORK] = NETWORK_LAYER, [CPB_COREML_PIPELINE] = PIPELINE_MODEL};

static cpb_span op_of(cpb_view_nodes *n, cpb_span node) {
  cpb_span content;
  switch (n->graph->form) {
    case CPB_COREML_BLOCK: return cpb_get_bytes(node, OPERATION_TYPE);
    case CPB_COREML_NETWORK: return cpb_coreml_layer_name(cpb_coreml_layer_of(node, &content), n->op);
    default: return cpb_coreml_type_name(cpb_coreml_type_of(node, &content), n->op);
  }
}

/* The class with which an application implements a custom layer or model; empty for all others. */
static cpb_span class_of(cpb_coreml_form form, cpb_span node) {
  cpb_span content;
  const bool is_custom = form == CPB_COREML_NETWORK    ? cpb_coreml_layer_of(node, &content) == LAYER_CUSTOM
                         : form == CPB_COREML_PIPELINE ? cpb_coreml_type_of(node, &content) == TYPE_CUSTOM
                                                       : false;
  return is_custom ? cpb_get_bytes(content, CUSTOM_CLASS) : (cpb_span){NULL, 0};
}

/* An operation's name is in its attributes; without one, it is named after its first output, as its consumers refer to
 * it. */
static cpb_span operation_name(cpb_span node) {
  cpb_span entry = cpb_get_entry(node, OPERATION_ATTRIBUTE, cpb_span_of("name"));
  cpb_span name = cpb_coreml_text_of(cpb_get_bytes(entry, MAP_VALUE));
  cpb_cursor c = cpb_cursor_of(node);
  if (name.size > 0 || !cpb_cursor_find(&c, OPERATION_OUTPUT, CPB_WIRE_LEN)) return name;
  return cpb_get_bytes(c.bytes, NAMED_NAME);
}

static cpb_span name_of(cpb_view_nodes *n, cpb_span node) {
  switch (n->graph->form) {
    case CPB_COREML_BLOCK: return operation_name(node);
    case CPB_COREML_NETWORK: return cpb_get_bytes(node, LAYER_NAME);
    default: return cpb_cursor_find(&n->names, PIPELINE_NAME, CPB_WIRE_LEN) ? n->names.bytes : (cpb_span){NULL, 0};
  }
}

bool cpb_coreml_next_node(cpb_view_nodes *n, cpb_view_node *node) {
  const uint32_t field = node_fields[n->graph->form];
  if (field == 0 || !cpb_cursor_find(&n->cursor, field, CPB_WIRE_LEN)) return false;
  node->message = n->cursor.bytes;
  node->own_name = name_of(n, node->message);
  const cpb_span class = class_of((cpb_coreml_form)n->graph->form, node->message);
  node->op = class.size > 0 ? class : op_of(n, node->message);
  if (class.size > 0) node->domain = cpb_span_of("custom"); /* which may have the name of a layer of Core ML's own */
  node->is_constant = n->graph->form == CPB_COREML_BLOCK && cpb_span_is(node->op, "const");
  return true;
}

/* --- Values ----------------------------------------------------------------------------- */

static cpb_view_values features(cpb_span model, uint32_t field) {
  cpb_view_values v = cpb_view_messages_in(cpb_get_bytes(model, MODEL_DESCRIPTION), field, FEATURE_NAME, FEATURE_TYPE);
  v.is_feature = true;
  return v;
}

static bool next_result(cpb_view_values *v, cpb_view_value *value) {
  if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
  *value = (cpb_view_value){.name = cpb_get_bytes(v->cursor.bytes, FEATURE_NAME),
                            .type = cpb_get_bytes(v->cursor.bytes, FEATURE_TYPE),
                            .is_feature = true};
  if (cpb_span_equal(value->name, v->label)) value->source = v->probabilities;
  return true;
}

/* No layer gives a classifier's label: it is the class with the largest probability. */
static cpb_view_values results(cpb_span model) {
  const cpb_span description = cpb_get_bytes(model, MODEL_DESCRIPTION);
  cpb_view_values v = features(model, DESCRIPTION_OUTPUT);
  v.label = cpb_get_bytes(description, DESCRIPTION_PREDICTED);
  v.probabilities = cpb_get_bytes(description, DESCRIPTION_PROBABILITIES);
  if (v.label.size > 0 && v.probabilities.size > 0) v.next = next_result;
  return v;
}

static cpb_view_values named(cpb_span message, uint32_t field) {
  return cpb_view_messages_in(message, field, NAMED_NAME, NAMED_TYPE);
}

/* The next of the values that an operation's argument is bound to. */
static bool next_binding(cpb_view_values *v, cpb_view_value *value) {
  /* an argument may be bound to several values, or to none */
  while (!cpb_cursor_find(&v->bindings, ARGUMENT_BINDING, CPB_WIRE_LEN)) {
    if (!cpb_cursor_find(&v->cursor, v->field, CPB_WIRE_LEN)) return false;
    v->role = cpb_get_bytes(v->cursor.bytes, MAP_KEY);
    v->bindings = cpb_cursor_of(cpb_get_bytes(v->cursor.bytes, MAP_VALUE));
  }
  *value = (cpb_view_value){.name = cpb_get_bytes(v->bindings.bytes, BINDING_NAME),
                            .immediate = cpb_get_bytes(v->bindings.bytes, BINDING_VALUE),
                            .role = v->role};
  return true;
}

cpb_view_values cpb_coreml_inputs(const cpb_view_graph *g, cpb_span node) {
  if (g->form == CPB_COREML_PIPELINE) return features(node, DESCRIPTION_INPUT);
  if (g->form == CPB_COREML_NETWORK) return cpb_view_names_in(node, LAYER_INPUT);
  return (cpb_view_values){.next = next_binding,
                           .field = OPERATION_INPUT,
                           .cursor = cpb_cursor_of(node),
                           .bindings = cpb_cursor_of((cpb_span){NULL, 0})};
}

static cpb_view_values outputs_of(const cpb_view_graph *g, cpb_span node) {
  if (g->form == CPB_COREML_PIPELINE) return features(node, DESCRIPTION_OUTPUT);
  return g->form == CPB_COREML_NETWORK ? cpb_view_names_in(node, LAYER_OUTPUT) : named(node, OPERATION_OUTPUT);
}

static cpb_view_values graph_values(const cpb_view_graph *g, bool outputs) {
  if (g->form == CPB_COREML_NETWORK && outputs) return results(g->model);
  if (g->form != CPB_COREML_BLOCK) return features(g->model, outputs ? DESCRIPTION_OUTPUT : DESCRIPTION_INPUT);
  if (outputs) return cpb_view_names_in(g->message, BLOCK_OUTPUT);
  return g->function.data ? named(g->function, FUNCTION_INPUT) : named(g->message, BLOCK_INPUT);
}

cpb_view_values cpb_coreml_values(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node, bool outputs) {
  (void)v;
  if (!node) return graph_values(g, outputs);
  return outputs ? outputs_of(g, node->message) : cpb_coreml_inputs(g, node->message);
}
