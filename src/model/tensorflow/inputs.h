/* What the inputs of a node are for: by TensorFlow's own description of its operation (model/operators), or by the
 * signature of the function that it calls. */
#ifndef CPB_MODEL_TENSORFLOW_INPUTS_H
#define CPB_MODEL_TENSORFLOW_INPUTS_H

#include "model/tensorflow/graph.h"
#include "model/view/view.h"

/* Its inputs with their roles, without those that only say that it must wait. False, and nothing given, if these are
 * not known. */
bool cpb_tensorflow_inputs(const cpb_view *view, const cpb_graph *graph, const cpb_view_node *node,
                           cpb_view_values *inputs);

#endif
