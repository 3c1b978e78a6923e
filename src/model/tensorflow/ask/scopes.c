#include "model/tensorflow/ask/scopes.h"

#include "model/common/scopes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/nodes.h"
#include "model/tensorflow/tensors.h"

typedef struct walk {
  const cpb_saved_model *model;
  uint32_t function, number; /* of the field with the nodes */
  cpb_cursor nodes, inputs;
} walk;

static void begin(void *user) {
  walk *w = user;
  w->nodes = cpb_graph_nodes(&w->model->graph, w->function, &w->number);
}

/* The bytes of the tensors in its attributes. */
static uint64_t size_of(const walk *w, cpb_span node) {
  uint64_t size = 0;
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_ATTR, CPB_WIRE_LEN)) {
    cpb_span tensor = cpb_get_bytes(cpb_get_bytes(c.bytes, MAP_VALUE), ATTR_TENSOR);
    if (tensor.data) size += cpb_tensor_of(&w->model->graph_part, tensor).size;
  }
  return size;
}

static bool next(void *user, cpb_scope_node *node) {
  walk *w = user;
  if (!cpb_cursor_find(&w->nodes, w->number, CPB_WIRE_LEN)) return false;
  cpb_span message = w->nodes.bytes;
  *node = (cpb_scope_node){
      .name = cpb_get_bytes(message, NODE_NAME), .op = cpb_get_bytes(message, NODE_OP), .size = size_of(w, message)};
  w->inputs = cpb_cursor_of(message);
  return true;
}

static bool next_input(void *user, cpb_scope_input *input) {
  walk *w = user;
  if (!cpb_cursor_find(&w->inputs, NODE_INPUT, CPB_WIRE_LEN)) return false;
  *input = (cpb_scope_input){.tensor = CPB_NO_TENSOR};
  input->from = cpb_node_of_input(w->inputs.bytes, &input->control);
  return true;
}

void cpb_ask_scopes(cpb_saved_model *m) {
  walk w = {.model = m};
  const cpb_scoped graph = {
      .allocator = &m->viewed.allocator, .user = &w, .begin = begin, .next = next, .next_input = next_input};
  if (!cpb_viewed_graph(&m->viewed, cpb_viewed_name(&m->viewed), &w.function)) return;
  cpb_viewed_write_graph_name(&m->viewed, "function", w.function);
  bool found = cpb_scopes_write(&graph, &m->viewed.question, m->viewed.answer, m->viewed.error);
  if (!found && m->viewed.error->code == CPB_OK)
    cpb_viewed_not_found(&m->viewed, "scope", cpb_scope_of(&m->viewed.question));
}
