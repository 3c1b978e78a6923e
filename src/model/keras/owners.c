#include "model/keras/owners.h"

#define CHILD 64 /* what a child that is looked at costs, in bytes that are walked */

/* --- The variables of a layer ----------------------------------------------------------------- */

static bool next_child(cpb_keras_variables *v, uint32_t *child, cpb_span *name, cpb_json_writer *charged) {
  const cpb_keras_graph *g = v->graph;
  while (!v->none && g->child(g->user, v->node, &v->place, child, name)) {
    if (!cpb_json_writer_charge(charged, CPB_WORK_WALKED, CHILD)) return false;
    if (*child < g->nodes) return true;
  }
  return false;
}

/* Those in the list that Keras keeps with a layer, or else among the object's children. */
cpb_keras_variables cpb_keras_variables_of(const cpb_keras *k, uint32_t layer, cpb_json_writer *charged) {
  uint32_t object = k->layers[layer].object, child;
  uint32_t home = k->layers[layer].shared ? k->homes[object] : layer;
  int64_t node = object == CPB_KERAS_NONE ? -1 : k->objects[object].node;
  bool known = k->graph && node >= 0 && node < k->graph->nodes;
  cpb_keras_variables own = {k->graph, layer, home, known ? (uint32_t)node : 0, !known, 0}, list = own;
  cpb_span name;
  while (next_child(&list, &child, &name, charged)) {
    if (cpb_span_is(name, "variables")) return (cpb_keras_variables){k->graph, layer, home, child, false, 0};
  }
  return own;
}

static bool next_variable(cpb_keras_variables *v, uint32_t *node, cpb_json_writer *charged) {
  cpb_span name;
  uint64_t elements;
  while (next_child(v, node, &name, charged)) {
    if (v->graph->variable(v->graph->user, *node, &elements)) return true;
  }
  return false;
}

bool cpb_keras_variables_next(cpb_keras *k, cpb_keras_variables *v, uint32_t *node, cpb_json_writer *charged) {
  while (next_variable(v, node, charged)) {
    bool own = k->owners[*node] == v->home && k->listed[*node] != v->layer + 1;
    k->listed[*node] = v->layer + 1;
    if (own) return true;
  }
  return false;
}

/* --- All of them -------------------------------------------------------------------------------- */

/* A model's list has those of the layers in it, too: layers come after what they are in, and win. */
const uint32_t *cpb_keras_owners(cpb_keras *k, cpb_json_writer *charged) {
  if (k->owners || !k->graph) return k->owners;
  k->owners = cpb_alloc(&k->allocator, k->graph->nodes * sizeof *k->owners);
  k->listed = cpb_alloc_zeroed(&k->allocator, k->graph->nodes * sizeof *k->listed);
  if (!k->owners || !k->listed) {
    charged->failed = true;
    return NULL;
  }
  for (uint32_t i = 0; i < k->graph->nodes; i++) k->owners[i] = CPB_KERAS_NONE;
  for (uint32_t i = 0; i < k->num_layers; i++) {
    uint32_t node;
    if (k->layers[i].shared) continue;
    cpb_keras_variables v = cpb_keras_variables_of(k, i, charged);
    while (next_variable(&v, &node, charged)) k->owners[node] = i;
  }
  return charged->failed ? NULL : k->owners;
}
