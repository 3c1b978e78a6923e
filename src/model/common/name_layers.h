/* Layers, by the paths of nodes. If the model does not give paths, the path is the name of the node up to the last
 * slash, since exporters name nodes after modules: "/encoder/layer.0/Add". A node without a slash is a layer by
 * itself. */
#ifndef CPB_MODEL_COMMON_NAME_LAYERS_H
#define CPB_MODEL_COMMON_NAME_LAYERS_H

#include "base/bytes.h"
#include "model/common/joined.h"
#include "model/common/page.h"

typedef struct cpb_layer_sum {
  uint64_t tensors, elements, bytes;
} cpb_layer_sum;

typedef struct cpb_name_layer {
  cpb_span path, op; /* of the first node */
  bool has_class;    /* `op` is the class of all of them */
  uint64_t order;    /* of the first node; the list sets it */
  uint64_t nodes;
  cpb_layer_sum sum;
} cpb_name_layer;

typedef struct cpb_name_layers {
  cpb_joined list;
  uint64_t added;
} cpb_name_layers;

/* Empty. */
cpb_name_layers cpb_name_layers_on(const cpb_allocator *a);
void cpb_name_layers_free(cpb_name_layers *layers);

/* The path of a node with this name. */
cpb_span cpb_name_layer_path(cpb_span name);

/* Adds a tensor of the node. */
void cpb_layer_sum_add(cpb_layer_sum *sum, bool has_elements, uint64_t elements, uint64_t bytes);

/* Adds a node with the totals of its tensors. False if memory is short. */
bool cpb_name_layers_add(cpb_name_layers *layers, cpb_name_layer node);

/* Call it after the last was added. Writes a page, "layers", of the paths that begin with the question's name. */
void cpb_name_layers_write(cpb_name_layers *layers, const cpb_question *question, cpb_json_writer *answer);

#endif
