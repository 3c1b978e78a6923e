/* Tensors among the attributes of nodes; those of a frozen graph are its weights. */
#ifndef CPB_MODEL_TENSORFLOW_WEIGHTS_H
#define CPB_MODEL_TENSORFLOW_WEIGHTS_H

#include "model/tensorflow/state.h"

/* Call it after the skeleton was read, and again after the graph: finds out whether the model has no variables.
 * Constants are then the weights. */
void cpb_saved_find_frozen(cpb_saved_model *m);

/* Implements each_tensor of a cpb_view_kind. */
bool cpb_saved_each_tensor(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);
cpb_view_measure cpb_saved_measure(const cpb_view *view, const cpb_view_tensor *tensor);
cpb_tensor_use cpb_saved_use(const cpb_view *view, const cpb_view_tensor *tensor, const cpb_view_node *taker,
                             cpb_span role, uint64_t input, cpb_view_measure *measure);

#endif
