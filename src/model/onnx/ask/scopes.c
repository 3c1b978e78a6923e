#include "model/onnx/ask/scopes.h"

#include "model/common/scopes.h"
#include "model/onnx/ask/initializers.h"
#include "model/onnx/values_index.h"

/* Edges lead from values to nodes: here from who makes a value, or, where no node does, from the value itself. */
typedef struct walk {
  cpb_onnx_model *model;
  const cpb_onnx_graph *graph;
  cpb_onnx_makers makers;
  cpb_names weights; /* initializers, and the bytes of each: */
  uint64_t *sizes;
  cpb_cursor nodes, inputs;
  uint64_t number;
  cpb_buffer labels; /* of nodes without names, which must stay */
} walk;

static cpb_span label_of(const walk *w, cpb_span name, uint64_t number) {
  return name.size > 0 ? name : cpb_span_of((const char *)w->labels.data + number * CPB_ONNX_NUMBER);
}

static void begin(void *user) {
  walk *w = user;
  w->nodes = cpb_cursor_of(w->graph->message);
  w->number = 0;
}

/* The bytes of the tensors that are its own: those in its attributes, and initializers that it takes. */
static uint64_t size_of(const walk *w, cpb_span node) {
  uint64_t size = 0;
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == NODE_INPUT) {
      uint32_t weight = cpb_names_find(&w->weights, c.bytes);
      if (weight != CPB_NO_NAME) size += w->sizes[weight];
    } else if (c.number == NODE_ATTRIBUTE) {
      cpb_span tensor = cpb_get_bytes(c.bytes, ATTRIBUTE_TENSOR);
      if (tensor.data) size += cpb_onnx_tensor_of(&w->model->whole.part, tensor).size;
    }
  }
  return size;
}

static bool next(void *user, cpb_scope_node *node) {
  walk *w = user;
  if (!cpb_cursor_find(&w->nodes, cpb_onnx_node_field(w->graph), CPB_WIRE_LEN)) return false;
  cpb_span message = w->nodes.bytes;
  *node = (cpb_scope_node){label_of(w, cpb_get_bytes(message, NODE_NAME), w->number), cpb_get_bytes(message, NODE_OP),
                           size_of(w, message)};
  w->number++;
  w->inputs = cpb_cursor_of(message);
  return true;
}

/* Initializers lead to no edge: they belong to the node. */
static bool next_input(void *user, cpb_span *from, bool *control) {
  walk *w = user;
  *control = false;
  while (cpb_cursor_find(&w->inputs, NODE_INPUT, CPB_WIRE_LEN)) {
    if (w->inputs.bytes.size == 0 || cpb_names_find(&w->weights, w->inputs.bytes) != CPB_NO_NAME) continue;
    uint32_t maker = cpb_names_find(&w->makers.names, w->inputs.bytes);
    *from = maker == CPB_NO_NAME ? w->inputs.bytes : label_of(w, w->makers.labels[maker], maker);
    return true;
  }
  return false;
}

/* What nodes without names are called. */
static bool make_labels(walk *w) {
  for (uint64_t i = 0; i < w->makers.count; i++) {
    char label[CPB_ONNX_NUMBER] = "";
    if (w->makers.labels[i].size == 0) cpb_onnx_node_label(w->makers.labels[i], i, label);
    if (!cpb_buffer_append(&w->labels, label, sizeof label)) return false;
  }
  return true;
}

static bool measure_weights(walk *w) {
  size_t count = 0;
  cpb_cursor c = cpb_cursor_of(w->graph->message);
  if (w->graph->kind == CPB_ONNX_FUNCTION) return true;
  if (!cpb_onnx_name_initializers(w->graph->message, &w->weights)) return false;
  if (w->weights.count == 0) return true;
  w->sizes = cpb_alloc(&w->model->whole.allocator, w->weights.count * sizeof *w->sizes);
  while (w->sizes && count < w->weights.count && cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == GRAPH_INITIALIZER) w->sizes[count++] = cpb_onnx_tensor_of(&w->model->whole.part, c.bytes).size;
    else if (c.number == GRAPH_SPARSE_INITIALIZER)
      w->sizes[count++] = cpb_onnx_tensor_of(&w->model->whole.part, cpb_get_bytes(c.bytes, SPARSE_VALUES)).size;
  }
  return w->sizes != NULL;
}

static void write(cpb_onnx_model *m, walk *w) {
  const cpb_scoped graph = {&m->whole.allocator, w, begin, next, next_input};
  bool found = cpb_scopes_write(&graph, &m->whole.question, m->whole.answer, m->whole.error);
  if (!found && m->whole.error->code == CPB_OK)
    cpb_whole_not_found(&m->whole, "scope", cpb_scope_of(&m->whole.question));
}

void cpb_onnx_scopes(cpb_onnx_model *m) {
  uint32_t graph;
  if (!cpb_onnx_graph_named(m, cpb_onnx_name(m), &graph)) return;
  walk w = {.model = m, .graph = &m->graphs.items[graph]};
  cpb_names_init(&w.weights, &m->whole.allocator);
  cpb_buffer_init(&w.labels, &m->whole.allocator);
  cpb_onnx_write_graph_name(m, "function", graph);
  if (cpb_onnx_makers_build(&w.makers, &m->whole.allocator, w.graph) && make_labels(&w) && measure_weights(&w))
    write(m, &w);
  else cpb_whole_fail_memory(&m->whole);
  cpb_onnx_makers_free(&w.makers);
  cpb_names_free(&w.weights);
  cpb_buffer_free(&w.labels);
  cpb_release(&m->whole.allocator, w.sizes);
}
