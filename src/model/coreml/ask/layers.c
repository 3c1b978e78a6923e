#include "model/coreml/ask/layers.h"

#include "model/common/name_layers.h"
#include "model/coreml/makers.h"
#include "model/coreml/tensor.h"

/* Layers of a network are what they are. Of a program layers are made of the names of operations; what a "const" makes
 * belongs to the first operation that takes it. */
typedef struct layers {
  cpb_coreml_model *model;
  const cpb_coreml_graph *graph;
  cpb_coreml_makers makers;
  cpb_name_layers list;
  cpb_name_layer *to; /* what takes the constants of a node */
} layers;

static bool take(void *user, const cpb_coreml_constant *c) {
  layers *l = user;
  if (!cpb_coreml_is_weight(c)) return true;
  const cpb_coreml_tensor t = cpb_coreml_tensor_of(&l->model->whole.part, c);
  cpb_name_layer_take(l->to, t.has_elements, t.elements, t.bytes);
  return true;
}

static void take_inputs(layers *l, cpb_span node) {
  cpb_coreml_value value;
  cpb_coreml_values inputs = cpb_coreml_inputs(l->graph, node);
  while (cpb_coreml_values_next(&inputs, &value)) {
    uint32_t i = value.name.data ? cpb_names_find(&l->makers.names, value.name) : CPB_NO_NAME;
    if (i == CPB_NO_NAME || !l->makers.items[i].is_const) continue;
    cpb_coreml_each_constant(l->graph, &l->makers.items[i].node, take, l);
    l->makers.items[i].node.message.size = 0; /* once */
  }
}

static bool find_layers(layers *l) {
  const bool is_program = l->graph->form == CPB_COREML_BLOCK;
  for (size_t i = 0; i < l->makers.count; i++) {
    const cpb_coreml_maker *maker = &l->makers.items[i];
    if (maker->is_const) continue;
    cpb_name_layer found = {.path = is_program ? cpb_name_layer_path(maker->node.name) : maker->node.name,
                            .op = maker->node.op,
                            .order = i,
                            .nodes = 1};
    l->to = &found;
    cpb_coreml_each_constant(l->graph, &maker->node, take, l);
    if (is_program) take_inputs(l, maker->node.message);
    if (!cpb_name_layers_add(&l->list, found)) return false;
  }
  return true;
}

void cpb_coreml_ask_layers(cpb_coreml_model *m) {
  layers l = {.model = m, .graph = &m->graphs.items[0]};
  cpb_name_layers_init(&l.list, &m->whole.allocator);
  if (cpb_coreml_makers_build(&l.makers, &m->whole.allocator, l.graph) && find_layers(&l))
    cpb_name_layers_write(&l.list, &m->whole.question, m->whole.answer);
  else cpb_whole_fail_memory(&m->whole);
  cpb_coreml_makers_free(&l.makers);
  cpb_name_layers_free(&l.list);
}
