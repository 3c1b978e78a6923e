/* Nodes of the graph or of a function; constants; how often each operation is used. */
#include "model/tensorflow/ask/nodes.h"

#include <stdlib.h>

#include "model/common/uses.h"
#include "model/tensorflow/attributes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/functions.h"
#include "model/tensorflow/nodes.h"
#include "model/tensorflow/ops.h"
#include "model/tensorflow/tensors.h"

/* --- Nodes --------------------------------------------------------------------------- */

static void write_inputs(cpb_json_writer *a, const char *key, cpb_span node, bool controls) {
  cpb_cursor c = cpb_cursor_of(node);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    bool control;
    cpb_span name = cpb_node_of_input(c.bytes, &control);
    if (control == controls) cpb_json_writer_span(a, NULL, control ? name : c.bytes);
  }
  cpb_json_writer_close(a, ']');
}

static void write_node(cpb_saved_model *m, cpb_span node) {
  cpb_json_writer *a = m->answer;
  cpb_span device = cpb_get_bytes(node, NODE_DEVICE);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", cpb_get_bytes(node, NODE_NAME));
  cpb_json_writer_span(a, "op", cpb_get_bytes(node, NODE_OP));
  if (device.size > 0) cpb_json_writer_span(a, "device", device);
  write_inputs(a, "inputs", node, false);
  write_inputs(a, "control_inputs", node, true);
  cpb_write_attrs(a, "attributes", &m->graph_part, node, NODE_ATTR);
  cpb_json_writer_close(a, '}');
}

static void note_damage(cpb_saved_model *m, const cpb_cursor *c, cpb_span of) {
  if (c->damaged && m->graph_part.damage.code == CPB_OK)
    cpb_problems_add_damage(&m->problems, cpb_part_where(&m->graph_part, of).offset,
                            "a graph cannot be parsed to its end");
}

void cpb_ask_nodes(cpb_saved_model *m) {
  uint32_t function, number;
  if (!cpb_saved_function(m, &function)) return;
  cpb_write_function_name(m, function);
  cpb_page page = cpb_saved_open_page(m, "nodes");
  cpb_cursor c = cpb_graph_nodes(&m->graph, function, &number);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    bool wanted = m->question.scope_size == 0 || cpb_span_begins(cpb_get_bytes(c.bytes, NODE_NAME), cpb_saved_scope(m));
    if (wanted && cpb_page_has(&page)) write_node(m, c.bytes);
  }
  cpb_page_close(m->answer, &page);
  if (function != CPB_MAIN_GRAPH) note_damage(m, &c, m->graph.functions[function].message);
}

/* --- Every node ------------------------------------------------------------------------ */

typedef bool (*visit)(void *user, cpb_span node, uint32_t function);

static bool visit_nodes(const cpb_graph *g, uint32_t function, visit each, void *user) {
  uint32_t number;
  cpb_cursor c = cpb_graph_nodes(g, function, &number);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    if (!each(user, c.bytes, function)) return false;
  }
  return true;
}

/* Those of the graph, then those of each function; false when a visit is. */
static bool visit_all(const cpb_graph *g, visit each, void *user) {
  if (!visit_nodes(g, CPB_MAIN_GRAPH, each, user)) return false;
  for (size_t i = 0; i < g->num_functions; i++) {
    if (!visit_nodes(g, (uint32_t)i, each, user)) return false;
  }
  return true;
}

/* --- Constants --------------------------------------------------------------------------- */

typedef struct constant {
  uint64_t size;
  size_t order;
  uint32_t function;
  cpb_span node, attr, tensor;
} constant;

typedef struct constants {
  cpb_saved_model *model;
  constant *items;
  size_t count, capacity;
  uint64_t size;
} constants;

static bool add_constants(void *user, cpb_span node, uint32_t function) {
  constants *list = user;
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_ATTR, CPB_WIRE_LEN)) {
    void *items = list->items;
    cpb_span message = cpb_get_bytes(cpb_get_bytes(c.bytes, MAP_VALUE), ATTR_TENSOR);
    if (!message.data) continue;
    const cpb_tensor tensor = cpb_tensor_of(&list->model->graph_part, message);
    if (cpb_tensor_lacks_values(&tensor)) continue;
    if (!cpb_reserve(&list->model->allocator, &items, &list->capacity, list->count + 1, sizeof *list->items))
      return cpb_saved_fail_memory(list->model);
    list->items = items;
    cpb_span attr = cpb_get_bytes(c.bytes, MAP_KEY);
    list->items[list->count] = (constant){tensor.size, list->count, function, node, attr, message};
    list->count++;
    list->size += tensor.size;
  }
  return true;
}

static int largest_first(const void *a, const void *b) {
  const constant *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->order > y->order) - (x->order < y->order);
}

static void write_constant(cpb_saved_model *m, const constant *c) {
  cpb_tensor tensor = cpb_tensor_of(&m->graph_part, c->tensor);
  cpb_json_writer_open(m->answer, NULL, '{');
  cpb_json_writer_span(m->answer, "node", cpb_get_bytes(c->node, NODE_NAME));
  cpb_write_function_name(m, c->function);
  if (!cpb_span_is(c->attr, "value")) cpb_json_writer_span(m->answer, "attribute", c->attr);
  cpb_write_tensor(m->answer, &tensor);
  cpb_json_writer_close(m->answer, '}');
}

void cpb_ask_constants(cpb_saved_model *m) {
  constants list = {.model = m};
  if (visit_all(&m->graph, add_constants, &list)) {
    if (list.count > 1) qsort(list.items, list.count, sizeof *list.items, largest_first);
    cpb_json_writer_unsigned(m->answer, "size", list.size);
    cpb_page page = cpb_saved_open_page(m, "constants");
    for (size_t i = 0; i < list.count; i++) {
      if (cpb_page_has(&page)) write_constant(m, &list.items[i]);
    }
    cpb_page_close(m->answer, &page);
  }
  cpb_release(&m->allocator, list.items);
}

/* --- Operations ----------------------------------------------------------------------------- */

typedef struct op_uses {
  cpb_saved_model *model;
  cpb_uses list;
} op_uses;

static bool add_use(void *user, cpb_span node, uint32_t function) {
  static const cpb_span no_domain = {NULL, 0};
  op_uses *uses = user;
  return cpb_uses_add(&uses->list, no_domain, cpb_get_bytes(node, NODE_OP), function == CPB_MAIN_GRAPH) ||
         cpb_saved_fail_memory(uses->model);
}

static const char *origin_of(const cpb_saved_model *m, cpb_span op) {
  if (cpb_graph_find(&m->graph, op) != CPB_NO_NAME) return "library";
  return cpb_is_tensorflow_op(op) ? "tensorflow" : "custom";
}

static void write_use(cpb_saved_model *m, const cpb_use *u) {
  cpb_json_writer_open(m->answer, NULL, '{');
  cpb_json_writer_span(m->answer, "op", u->op);
  cpb_json_writer_unsigned(m->answer, "count", u->graph + u->functions);
  cpb_json_writer_unsigned(m->answer, "in_graph", u->graph);
  cpb_json_writer_unsigned(m->answer, "in_functions", u->functions);
  cpb_json_writer_text(m->answer, "from", origin_of(m, u->op));
  cpb_json_writer_close(m->answer, '}');
}

/* These are looked for however rare they are: not only on the page. */
static void write_custom(cpb_saved_model *m, const cpb_uses *list) {
  uint64_t shown = 0;
  cpb_json_writer_open(m->answer, "custom", '[');
  for (size_t i = 0; i < list->count && shown < m->question.count; i++) {
    if (strcmp(origin_of(m, list->items[i].op), "custom") != 0) continue;
    cpb_json_writer_span(m->answer, NULL, list->items[i].op);
    shown++;
  }
  cpb_json_writer_close(m->answer, ']');
}

static uint64_t count_function_nodes(const cpb_graph *g) {
  uint64_t total = 0;
  for (size_t i = 0; i < g->num_functions; i++) total += g->functions[i].nodes;
  return total;
}

static void write_uses(cpb_saved_model *m, cpb_uses *list) {
  cpb_uses_join(list);
  cpb_page page = cpb_saved_open_page(m, "ops");
  for (size_t i = 0; i < list->count; i++) {
    if (cpb_page_has(&page)) write_use(m, &list->items[i]);
  }
  cpb_page_close(m->answer, &page);
  write_custom(m, list);
}

/* Of the one function that is named, or of all there is. */
void cpb_ask_ops(cpb_saved_model *m) {
  uint32_t function;
  op_uses uses = {.model = m};
  if (!cpb_saved_function(m, &function)) return;
  cpb_uses_init(&uses.list, &m->allocator);
  cpb_json_writer_unsigned(m->answer, "nodes", m->graph.nodes);
  cpb_json_writer_unsigned(m->answer, "functions", m->graph.num_functions);
  cpb_json_writer_unsigned(m->answer, "function_nodes", count_function_nodes(&m->graph));
  bool seen = function == CPB_MAIN_GRAPH ? visit_all(&m->graph, add_use, &uses)
                                         : visit_nodes(&m->graph, function, add_use, &uses);
  if (seen) write_uses(m, &uses.list);
  cpb_uses_free(&uses.list);
}
