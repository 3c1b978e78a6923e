#include "model/coreml/model.h"

#include "base/status.h"

/* --- Building ------------------------------------------------------------------------------------ */

typedef struct builder {
  cpb_view *view;
  const cpb_part *part;
  cpb_problems *problems;
  bool too_deep; /* it was said */
} builder;

static cpb_graph_role role_of(const builder *b, const cpb_view_graph *g) {
  if (b->view->graphs.count == 0) return CPB_GRAPH_MAIN;
  if (!g->is_within) return CPB_GRAPH_FUNCTION;
  return g->model.data ? CPB_GRAPH_MODEL : CPB_GRAPH_SUBGRAPH;
}

static bool add(builder *b, cpb_view_graph graph) {
  static const uint32_t fields[CPB_COREML_NUM_FORMS] = {0, BLOCK_OPERATION, NETWORK_LAYER, PIPELINE_MODEL};
  graph.nodes = graph.form == CPB_COREML_OTHER ? 0 : cpb_count_bytes(graph.message, fields[graph.form]);
  graph.role = role_of(b, &graph);
  return cpb_view_graphs_add(&b->view->graphs, graph);
}

/* Notes once that messages are nested deeper than they are read. */
static bool is_too_deep(builder *b, cpb_span message) {
  if (message.size > 0 || !cpb_part_omits(b->part, message)) return false;
  if (!b->too_deep)
    cpb_problems_add(b->problems, cpb_part_where(b->part, message).offset,
                     "messages are nested deeper than the limit; graphs from here inwards are not shown");
  return b->too_deep = true;
}

static bool add_function(builder *b, cpb_view_graph like, cpb_span entry) {
  like.name = cpb_get_bytes(entry, MAP_KEY);
  like.function = cpb_get_bytes(entry, MAP_VALUE);
  if (is_too_deep(b, like.function)) return true;
  if (!like.function.data) like.function = (cpb_span){(const uint8_t *)"", 0};
  like.message = cpb_coreml_block_of(like.function);
  return add(b, like);
}

/* Which function runs if nothing else is said: the number of its entry. */
static uint64_t default_function(cpb_span model, cpb_span program) {
  cpb_span name = cpb_get_bytes(cpb_get_bytes(model, MODEL_DESCRIPTION), DESCRIPTION_DEFAULT_FUNCTION);
  cpb_cursor c = cpb_cursor_of(program);
  if (name.size == 0) name = cpb_span_of("main");
  for (uint64_t i = 0; cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN); i++) {
    if (cpb_span_equal(cpb_get_bytes(c.bytes, MAP_KEY), name)) return i;
  }
  return 0;
}

/* The default function comes first. */
static bool add_program(builder *b, cpb_view_graph like, cpb_span program) {
  const uint64_t first = default_function(like.model, program);
  uint64_t number = 0;
  cpb_cursor c = cpb_cursor_of(program);
  like.form = CPB_COREML_BLOCK;
  for (uint64_t i = 0; cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN); i++) {
    if (i == first && !add_function(b, like, c.bytes)) return false;
  }
  for (c = cpb_cursor_of(program); cpb_cursor_find(&c, PROGRAM_FUNCTION, CPB_WIRE_LEN);) {
    if (number++ != first && !add_function(b, like, c.bytes)) return false;
  }
  return true;
}

/* The graphs of a model, as `like` says where it is. */
static bool add_model(builder *b, cpb_view_graph like) {
  char spare[CPB_COREML_SPARE];
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(like.model, &content);
  if (is_too_deep(b, like.model) || is_too_deep(b, content)) return true;
  like.form = (int)cpb_coreml_form_of(type, &content);
  like.message = content;
  if (like.form == CPB_COREML_OTHER) return true;
  if (like.form == CPB_COREML_BLOCK) return add_program(b, like, content);
  like.name = cpb_coreml_type_name(type, spare); /* which has a name */
  return add(b, like);
}

static bool add_blocks(builder *b, cpb_view_graph like, cpb_span operation) {
  cpb_cursor c = cpb_cursor_of(operation);
  like.name = cpb_span_of("block");
  like.form = CPB_COREML_BLOCK;
  while (cpb_cursor_find(&c, OPERATION_BLOCK, CPB_WIRE_LEN)) {
    like.element++;
    like.message = c.bytes;
    if (!is_too_deep(b, c.bytes) && !add(b, like)) return false;
  }
  return true;
}

static bool add_networks(builder *b, cpb_view_graph like, cpb_span layer) {
  cpb_coreml_network networks[2];
  const size_t count = cpb_coreml_networks_of(layer, networks);
  like.form = CPB_COREML_NETWORK;
  for (size_t i = 0; i < count; i++) {
    like.message = networks[i].message;
    like.name = networks[i].name;
    if (!is_too_deep(b, like.message) && !add(b, like)) return false;
  }
  return true;
}

/* The graphs of its nodes. */
static bool look_into(builder *b, uint32_t graph) {
  bool done = true;
  cpb_view_node node;
  const cpb_view_graph of = b->view->graphs.items[graph]; /* the list moves as it grows */
  cpb_view_nodes nodes = cpb_view_nodes_of(b->view, graph);
  nodes.graph = &of;
  while (done && cpb_view_nodes_next(&nodes, &node)) {
    cpb_view_graph like = {.is_within = true, .parent = graph, .node_number = (uint32_t)node.number};
    like.node_name = node.own_name;
    is_too_deep(b, node.message);
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
  builder b = {v, v->part, problems, false};
  const cpb_view_graph whole = {.model = v->part->message};
  if (!add_model(&b, whole) || (v->graphs.count == 0 && !add(&b, whole))) return false;
  for (size_t i = 0; i < v->graphs.count; i++) {
    if (!look_into(&b, (uint32_t)i)) return false;
  }
  return true;
}

static uint64_t count_nodes(const cpb_view_graphs *g) {
  uint64_t total = 0;
  for (size_t i = 0; i < g->count; i++) total += g->items[i].nodes;
  return total;
}

/* A node is gone through for what it is and once more for what is in it; one within another graph is passed over in
 * that. */
bool cpb_coreml_graphs_build(cpb_view *v, cpb_problems *problems, cpb_meter *meter, cpb_error *error) {
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, 4 * (uint64_t)v->part->message.size, CPB_NO_OFFSET, error))
    return false;
  if (!build(v, problems)) return cpb_fail_memory(error), false;
  return cpb_meter_charge(meter, CPB_WORK_ENTRIES, count_nodes(&v->graphs) + v->graphs.count, CPB_NO_OFFSET, error);
}
