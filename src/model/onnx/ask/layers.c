#include "model/onnx/ask/layers.h"

#include "model/common/name_layers.h"
#include "model/onnx/ask/initializers.h"

/* ONNX has no layers: they are made of the names of nodes. An initializer belongs to the first node that takes it. */
typedef struct layers {
  cpb_onnx_model *model;
  cpb_names weights;
  cpb_span *messages; /* of the weights, by number; NULL data once one is taken */
  size_t num_messages;
  cpb_name_layers list;
} layers;

/* --- Weights ----------------------------------------------------------------------------------- */

static bool read_weights(layers *l) {
  cpb_span graph = l->model->graphs.items[0].message;
  cpb_cursor c = cpb_cursor_of(graph);
  if (!cpb_onnx_name_initializers(graph, &l->weights)) return false;
  if (l->weights.count == 0) return true;
  l->messages = cpb_alloc(&l->model->whole.allocator, l->weights.count * sizeof *l->messages);
  while (l->messages && l->num_messages < l->weights.count && cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == GRAPH_INITIALIZER) l->messages[l->num_messages++] = c.bytes;
    else if (c.number == GRAPH_SPARSE_INITIALIZER)
      l->messages[l->num_messages++] = cpb_get_bytes(c.bytes, SPARSE_VALUES);
  }
  return l->messages != NULL;
}

static void take_weights(layers *l, cpb_span node, cpb_name_layer *to) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    uint32_t i = cpb_names_find(&l->weights, c.bytes);
    if (i == CPB_NO_NAME || !l->messages[i].data) continue;
    const cpb_onnx_tensor t = cpb_onnx_tensor_of(&l->model->whole.part, l->messages[i]);
    l->messages[i].data = NULL;
    cpb_name_layer_take(to, t.has_elements, t.elements, t.bytes);
  }
}

/* --- Layers ------------------------------------------------------------------------------------- */

/* Nodes without names are in no layer; what they take is in the one without a path. */
static bool find_layers(layers *l) {
  uint64_t order = 0;
  cpb_cursor c = cpb_cursor_of(l->model->graphs.items[0].message);
  for (; cpb_cursor_find(&c, GRAPH_NODE, CPB_WIRE_LEN); order++) {
    cpb_name_layer found = {
        cpb_name_layer_path(cpb_get_bytes(c.bytes, NODE_NAME)), cpb_get_bytes(c.bytes, NODE_OP), order, 1, 0, 0, 0};
    take_weights(l, c.bytes, &found);
    if (!cpb_name_layers_add(&l->list, found)) return false;
  }
  return true;
}

void cpb_onnx_layers(cpb_onnx_model *m) {
  layers l = {.model = m};
  cpb_names_init(&l.weights, &m->whole.allocator);
  cpb_name_layers_init(&l.list, &m->whole.allocator);
  if (read_weights(&l) && find_layers(&l)) cpb_name_layers_write(&l.list, &m->whole.question, m->whole.answer);
  else cpb_whole_fail_memory(&m->whole);
  cpb_names_free(&l.weights);
  cpb_release(&m->whole.allocator, l.messages);
  cpb_name_layers_free(&l.list);
}
