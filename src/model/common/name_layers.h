/* Layers by the paths that nodes are in. Where nothing says these, they are what the names of nodes have before the
 * last slash, as exporters name them after modules, "/encoder/layer.0/Add"; a node without a slash is one by itself. */
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
  uint64_t order;    /* of that node: the list sets it */
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

/* What a node of that name is in. */
cpb_span cpb_name_layer_path(cpb_span name);

/* A tensor belongs to the node. */
void cpb_layer_sum_add(cpb_layer_sum *sum, bool has_elements, uint64_t elements, uint64_t bytes);

/* A node, with what it takes. False when memory is short. */
bool cpb_name_layers_add(cpb_name_layers *layers, cpb_name_layer node);

/* After the last was added: a page, "layers", of those whose paths begin with the question's name. */
void cpb_name_layers_write(cpb_name_layers *layers, const cpb_question *question, cpb_json_writer *answer);

#endif
