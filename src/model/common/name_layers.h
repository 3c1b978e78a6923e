/* Layers, by the paths of nodes. If the model does not give paths, the path is the name of the node up to the last
 * slash, since exporters name nodes after modules: "/encoder/layer.0/Add". A node without a slash is a layer by
 * itself. */
#ifndef CPB_MODEL_COMMON_NAME_LAYERS_H
#define CPB_MODEL_COMMON_NAME_LAYERS_H

#include "base/bytes.h"
#include "model/common/answer.h"
#include "model/common/lists.h"

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

/* --- variable names --------------------------------------------------------------------------- */

/* The use of TensorFlow's variables, as far as their names tell. */

typedef struct cpb_named_variable {
  cpb_span name;
  bool has_elements;
  uint64_t elements;
  bool is_known; /* its use is known already; otherwise it is decided */
  cpb_tensor_use use;
} cpb_named_variable;

/* False if memory is short. Linear in the number of names, except for searching them. */
bool cpb_use_names(const cpb_allocator *a, cpb_named_variable *all, size_t count);

/* Whether objects keep their optimizers and metrics under this name. */
bool cpb_is_optimizer_name(cpb_span name);
bool cpb_is_metrics_name(cpb_span name);

#endif
