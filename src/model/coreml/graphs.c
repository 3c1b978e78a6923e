#include "model/coreml/graphs.h"

#include "base/status.h"
#include "model/coreml/nodes.h"

void cpb_coreml_graphs_init(cpb_coreml_graphs *g, const cpb_allocator *a) {
  *g = (cpb_coreml_graphs){.allocator = *a};
  cpb_graph_names_init(&g->names, a);
}

void cpb_coreml_graphs_free(cpb_coreml_graphs *g) {
  cpb_release(&g->allocator, g->items);
  cpb_graph_names_free(&g->names);
  cpb_coreml_graphs_init(g, &g->allocator);
}

/* --- Names ---------------------------------------------------------------------------------- */

static bool put(cpb_buffer *out, cpb_span text) {
  return text.size == 0 || cpb_buffer_append(out, text.data, text.size);
}

static bool put_node(const cpb_coreml_graph *g, cpb_buffer *out) {
  char number[CPB_COREML_SPARE];
  return put(out, g->node_name.size > 0 ? g->node_name : cpb_coreml_number(g->node_number, number));
}

/* What a graph is called within that around it. */
static bool put_own_name(const void *graphs, uint32_t graph, cpb_buffer *out) {
  char element[32];
  const cpb_coreml_graph *g = &((const cpb_coreml_graphs *)graphs)->items[graph];
  size_t size = cpb_format(element, sizeof element, "[%u]", (unsigned)(g->element - 1));
  if (g->is_within && !(put_node(g, out) && cpb_buffer_append(out, ":", 1))) return false;
  return put(out, g->name) && (g->element == 0 || cpb_buffer_append(out, element, size));
}

static uint32_t around(const void *graphs, uint32_t graph) {
  const cpb_coreml_graph *g = &((const cpb_coreml_graphs *)graphs)->items[graph];
  return g->is_within ? g->parent : 0;
}

static cpb_named_graphs named(const cpb_coreml_graphs *g) {
  return (cpb_named_graphs){g, (uint32_t)g->count, around, put_own_name};
}

bool cpb_coreml_graph_name(const cpb_coreml_graphs *g, uint32_t graph, cpb_buffer *out) {
  const cpb_named_graphs of = named(g);
  return cpb_graph_name(&of, graph, out);
}

bool cpb_coreml_graph_find(cpb_coreml_graphs *g, cpb_span name, cpb_meter *meter, uint32_t *graph, cpb_error *error) {
  const cpb_named_graphs of = named(g);
  *graph = 0;
  if (g->items[0].function.data && cpb_span_equal(g->items[0].name, name)) return true;
  return cpb_graph_names_find(&g->names, &of, name, meter, graph, error);
}

/* --- Building ------------------------------------------------------------------------------------ */

typedef struct builder {
  cpb_coreml_graphs *graphs;
  const cpb_part *part;
  cpb_problems *problems;
  bool too_deep; /* it was said */
} builder;

static bool add(cpb_coreml_graphs *g, cpb_coreml_graph graph) {
  static const uint32_t fields[CPB_COREML_NUM_FORMS] = {0, BLOCK_OPERATION, NETWORK_LAYER, PIPELINE_MODEL};
  void *items = g->items;
  if (g->count == CPB_NO_GRAPH) return true;
  if (!cpb_reserve(&g->allocator, &items, &g->capacity, g->count + 1, sizeof *g->items)) return false;
  g->items = items;
  graph.nodes = graph.form == CPB_COREML_OTHER ? 0 : cpb_count_bytes(graph.message, fields[graph.form]);
  g->items[g->count++] = graph;
  return true;
}

/* Notes once that messages are nested deeper than they are read. */
static bool is_too_deep(builder *b, cpb_span message) {
  if (message.size > 0 || !cpb_part_omits(b->part, message)) return false;
  if (!b->too_deep)
    cpb_problems_add(b->problems, cpb_part_where(b->part, message).offset,
                     "messages are nested deeper than the limit; graphs from here inwards are not shown");
  return b->too_deep = true;
}

static bool add_function(builder *b, cpb_coreml_graph like, cpb_span entry) {
  like.name = cpb_get_bytes(entry, MAP_KEY);
  like.function = cpb_get_bytes(entry, MAP_VALUE);
  if (is_too_deep(b, like.function)) return true;
  if (!like.function.data) like.function = (cpb_span){(const uint8_t *)"", 0};
  like.message = cpb_coreml_block_of(like.function);
  return add(b->graphs, like);
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
static bool add_program(builder *b, cpb_coreml_graph like, cpb_span program) {
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
static bool add_model(builder *b, cpb_coreml_graph like) {
  char spare[CPB_COREML_SPARE];
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(like.model, &content);
  if (is_too_deep(b, like.model) || is_too_deep(b, content)) return true;
  like.form = cpb_coreml_form_of(type, &content);
  like.message = content;
  if (like.form == CPB_COREML_OTHER) return true;
  if (like.form == CPB_COREML_BLOCK) return add_program(b, like, content);
  like.name = cpb_coreml_type_name(type, spare); /* which has a name */
  return add(b->graphs, like);
}

static bool add_blocks(builder *b, cpb_coreml_graph like, cpb_span operation) {
  cpb_cursor c = cpb_cursor_of(operation);
  like.name = cpb_span_of("block");
  like.form = CPB_COREML_BLOCK;
  while (cpb_cursor_find(&c, OPERATION_BLOCK, CPB_WIRE_LEN)) {
    like.element++;
    like.message = c.bytes;
    if (!is_too_deep(b, c.bytes) && !add(b->graphs, like)) return false;
  }
  return true;
}

static bool add_networks(builder *b, cpb_coreml_graph like, cpb_span layer) {
  cpb_coreml_network networks[2];
  const size_t count = cpb_coreml_networks_of(layer, networks);
  like.form = CPB_COREML_NETWORK;
  for (size_t i = 0; i < count; i++) {
    like.message = networks[i].message;
    like.name = networks[i].name;
    if (!is_too_deep(b, like.message) && !add(b->graphs, like)) return false;
  }
  return true;
}

/* A name that is made of a number is no text of the model, and made again (nodes.h). */
static cpb_span own_name(const cpb_coreml_nodes *nodes, cpb_span name) {
  return name.data == (const uint8_t *)nodes->label ? (cpb_span){NULL, 0} : name;
}

/* The graphs of its nodes. */
static bool look_into(builder *b, uint32_t graph) {
  bool done = true;
  cpb_coreml_node node;
  const cpb_coreml_graph of = b->graphs->items[graph];
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(&of);
  while (done && cpb_coreml_nodes_next(&nodes, &node)) {
    cpb_coreml_graph like = {.is_within = true, .parent = graph, .node_number = (uint32_t)node.number};
    like.node_name = own_name(&nodes, node.name);
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
static bool build(cpb_coreml_graphs *g, const cpb_part *part, cpb_problems *problems) {
  builder b = {g, part, problems, false};
  const cpb_coreml_graph whole = {.model = part->message};
  if (!add_model(&b, whole) || (g->count == 0 && !add(g, whole))) return false;
  for (size_t i = 0; i < g->count; i++) {
    if (!look_into(&b, (uint32_t)i)) return false;
  }
  return true;
}

static uint64_t count_nodes(const cpb_coreml_graphs *g) {
  uint64_t total = 0;
  for (size_t i = 0; i < g->count; i++) total += g->items[i].nodes;
  return total;
}

/* A node is gone through for what it is and once more for what is in it; one within another graph is passed over in
 * that. */
bool cpb_coreml_graphs_build(cpb_coreml_graphs *g, const cpb_part *part, cpb_problems *problems, cpb_meter *meter,
                             cpb_error *error) {
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, 4 * (uint64_t)part->message.size, CPB_NO_OFFSET, error)) return false;
  if (!build(g, part, problems)) return cpb_fail_memory(error), false;
  return cpb_meter_charge(meter, CPB_WORK_ENTRIES, count_nodes(g) + g->count, CPB_NO_OFFSET, error);
}
